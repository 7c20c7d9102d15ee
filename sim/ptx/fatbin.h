#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/bytes.h"
#include "sim/ptx/decompress.h"

// A fat binary as nvcc 13.0 writes it (not specified in public; read from its output).  Numbers are
// little-endian.
//
//     container   0 u32 0xba55ed50   4 u16 version 1   6 u16 size of this header   8 u64 size of
//                 the entries that follow
//     entry       0 u16 kind (1 PTX, 2 ELF)   2 u16 0x0101   4 u32 size of this header
//                 8 u64 size of the payload with its padding
//                16 u32 size of the compressed data, 0 where it is not
//                20 u32 offset of the options in this header, 0: none
//                24 u16 minor, u16 major version of PTX   28 u32 architecture: 90, 100
//                40 u64 flags: 0x2000 LZ4, 0x8000 zstd   56 u64 size when decompressed
//     options     0 u32 offset of their text in the entry's header   4 u32 its length
//
// A section .nv_fatbin (or __nv_relfatbin, of code to be linked) holds one container for each
// translation unit, one after the other.
namespace lc::ptx {

struct FatbinEntry {
  enum class Kind : std::uint8_t { ptx, elf, other };
  Kind kind = Kind::other;
  std::uint32_t arch = 0;  ///< 100 for sm_100, sm_100a, sm_100f
  std::uint16_t version_major = 0, version_minor = 0;
  Compression compression = Compression::none;
  std::uint64_t size = 0;  ///< bytes when decompressed
  std::string_view options;
  Bytes payload;  ///< as stored, without padding where it is compressed
};

struct FatbinContainer {
  std::vector<FatbinEntry> entries;
};

bool looks_like_fatbin(Bytes file);

/// The containers of a section, or of a .fatbin file.  Entries are views into `bytes`.  Throws
/// ParseError where something does not lie inside; `name` is what messages call the file.
std::vector<FatbinContainer> read_fatbin(Bytes bytes, const std::string& name);

/// Containers of whatever `file` is: an ELF executable, shared object or object, or a .fatbin.
std::vector<FatbinContainer> read_containers(Bytes file, const std::string& name);

/// Text of a PTX entry, without the zero bytes that pad it.
std::string ptx_text(const FatbinEntry& entry, const std::string& name);

struct PtxImage {
  std::string target;  ///< "sm_100a", as the text says
  std::string text;
};

/// The PTX of a container that a device runs: that of its own architecture with its features, then
/// of its family, then the newest plain one that is not newer than the device.  nullopt: none.
/// `device` is "sm_90", "sm_100" …; a suffix changes nothing.
std::optional<PtxImage> choose_ptx(const FatbinContainer& container, std::string_view device,
                                   const std::string& name);

/// How well PTX of `target` suits `device`: 0 not at all, else more is better.
std::uint32_t suitability(std::string_view target, std::string_view device);

}  // namespace lc::ptx
