#pragma once

#include <array>
#include <cstdint>

#include "sim/layout/host_device.h"
#include "sim/layout/spelling.h"

namespace lc {

/// How a tile permutes its bytes inside aligned spans of shared memory.  The first five are modes
/// of MMA descriptors and of tensor maps alike; the last two exist in tensor maps only.
///
///   address bits   ... 10 9 8 7 | 6 5 4 | 3 2 1 0
///   32B                       s |     x |            bit  4   ^= bit  7
///   64B                     s s |   x x |            bits 5:4 ^= bits 8:7
///   128B                  s s s | x x x |            bits 6:4 ^= bits 9:7
///   128B_32B                s s | x x   |            bits 6:5 ^= bits 8:7
///   ..._FLIP_8B             s s | x x   | x          the same, and bit 3 ^= bit 7
///   128B_ATOM_64B             s | x     |            bit  6   ^= bit  7
///
/// The deciding bits `s` are those of the absolute shared-window address, after every offset has
/// been added; the pattern does not move with the tile.  Measured on H200 for 32B, 64B and 128B,
/// TMA and wgmma; the others follow PTX ISA 5.5.6 and 9.7.16.10.5.
enum class Swizzle : std::uint8_t { none, b32, b64, b128, b128_32b, b128_32b_flip8, b128_64b };

struct SwizzleRow {
  Swizzle mode;
  const char* name;              ///< spelling for MMA operands
  const char* tensor_map_name;   ///< spelling for tensor maps
  std::uint32_t span;            ///< contiguous bytes of one row inside an atom
  std::uint32_t key_mask;        ///< which of the bits from 7 up decide
  std::uint32_t key_shift;       ///< the lowest address bit they are XORed into
  bool flip8;                    ///< bit 3 ^= bit 7 too
  std::uint32_t period;          ///< bytes after which the pattern repeats
  std::uint32_t alignment;       ///< natural alignment of an atom
  std::int8_t code_sm90;         ///< descriptor bits 63:62, -1: no such mode
  std::int8_t code_sm100;        ///< descriptor bits 63:61, -1: no such mode
  std::uint8_t tensor_map_code;  ///< CUtensorMapSwizzle
};

LC_HD constexpr SwizzleRow swizzle_row(Swizzle mode) {
  constexpr SwizzleRow kRows[] = {
      {Swizzle::none, "none", "none", 16, 0, 4, false, 16, 16, 0, 0, 0},
      {Swizzle::b32, "32B", "32B", 32, 1, 4, false, 256, 256, 3, 6, 1},
      {Swizzle::b64, "64B", "64B", 64, 3, 4, false, 512, 512, 2, 4, 2},
      {Swizzle::b128, "128B", "128B", 128, 7, 4, false, 1024, 1024, 1, 2, 3},
      {Swizzle::b128_32b, "128B_32B", "128B_ATOM_32B", 128, 3, 5, false, 512, 1024, -1, 1, 4},
      {Swizzle::b128_32b_flip8, "", "128B_ATOM_32B_FLIP_8B", 128, 3, 5, true, 512, 1024, -1, -1, 5},
      {Swizzle::b128_64b, "", "128B_ATOM_64B", 128, 1, 6, false, 256, 1024, -1, -1, 6},
  };
  return kRows[static_cast<int>(mode)];
}

inline constexpr std::size_t kOperandSwizzleCount = 5;
inline constexpr std::size_t kSwizzleCount = 7;

inline constexpr std::array<Swizzle, kOperandSwizzleCount> kOperandSwizzles = {
    Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128, Swizzle::b128_32b};
inline constexpr std::array<Swizzle, kSwizzleCount> kAllSwizzles = {
    Swizzle::none,           Swizzle::b32,     Swizzle::b64, Swizzle::b128, Swizzle::b128_32b,
    Swizzle::b128_32b_flip8, Swizzle::b128_64b};

/// Operand spellings.  Tensor maps spell the same modes through `TensorMapSwizzle` below.
constexpr std::array<Spelled<Swizzle>, kOperandSwizzleCount> spellings(Swizzle) {
  std::array<Spelled<Swizzle>, kOperandSwizzleCount> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SwizzleRow row = swizzle_row(static_cast<Swizzle>(i));
    rows[i] = {row.mode, row.name};
  }
  return rows;
}

/// A tag that makes `name_of` and `value_of` use the tensor map's names.
enum class TensorMapSwizzle : std::uint8_t {};

constexpr std::array<Spelled<TensorMapSwizzle>, kSwizzleCount> spellings(TensorMapSwizzle) {
  std::array<Spelled<TensorMapSwizzle>, kSwizzleCount> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {static_cast<TensorMapSwizzle>(i),
               swizzle_row(static_cast<Swizzle>(i)).tensor_map_name};
  }
  return rows;
}

/// The XOR key of the row that holds `address`.  `base_offset` is subtracted from address bits
/// 9:7 (measured on H200 in 371 of 371 probes; inferred for sm_100); TMA always has 0.
LC_HD constexpr std::uint32_t swizzle_key(const SwizzleRow& row, std::uint64_t address,
                                          std::uint32_t base_offset = 0) {
  return (static_cast<std::uint32_t>(address >> 7) - base_offset) & row.key_mask;
}

/// Linear address -> address that holds it.  Its own inverse; bits 7 and up never change.
LC_HD constexpr std::uint64_t swizzled(const SwizzleRow& row, std::uint64_t address,
                                       std::uint32_t base_offset = 0) {
  const std::uint64_t key = swizzle_key(row, address, base_offset);
  const std::uint64_t flip = row.flip8 ? ((address >> 7) & 1) << 3 : 0;
  return address ^ (key << row.key_shift) ^ flip;
}

LC_HD constexpr std::uint64_t swizzled(Swizzle mode, std::uint64_t address,
                                       std::uint32_t base_offset = 0) {
  return swizzled(swizzle_row(mode), address, base_offset);
}

static_assert(swizzled(Swizzle::b128, 0x080) == 0x090);  // row 1, chunk 0 -> chunk 1
static_assert(swizzled(Swizzle::b64, 0x480) == 0x490);   // the pattern keeps to absolute addresses
static_assert(swizzled(Swizzle::b64, 0x480, 1) == 0x480);

}  // namespace lc
