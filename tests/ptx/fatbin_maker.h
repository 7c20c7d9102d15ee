#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/decompress.h"

namespace lc::tests {

/// One entry of a fat binary to be made; the fields that lie are for tests of hostile files.
struct FatbinPart {
  std::uint16_t kind = 1;  ///< 1 PTX, 2 ELF
  std::uint32_t arch = 100;
  std::string text;
  ptx::Compression compression = ptx::Compression::none;
  std::int64_t size_lie = 0;        ///< added to the decompressed size
  std::int64_t compressed_lie = 0;  ///< added to the compressed size
};

/// A container with these entries, as nvcc lays it out.
std::string make_fatbin(const std::vector<FatbinPart>& parts);

/// A 64-bit ELF file with one section of that name and these bytes.
std::string make_elf(const std::string& section, const std::string& bytes,
                     std::uint16_t machine = 62);

}  // namespace lc::tests
