#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/bytes.h"

namespace lc::ptx {

struct ElfSection {
  std::string_view name;
  Bytes bytes;  ///< empty where the file holds none
};

struct ElfFile {
  std::uint16_t machine = 0;
  std::vector<ElfSection> sections;
};

inline constexpr std::uint16_t kElfMachineCuda = 190;  ///< EM_CUDA: a cubin

bool looks_like_elf(Bytes file);

/// Section table of a 64-bit little-endian ELF file; names and bytes are views into `file`.  What
/// does not lie inside the file is refused with a ParseError; `name` is what messages call it.
ElfFile read_elf(Bytes file, const std::string& name);

}  // namespace lc::ptx
