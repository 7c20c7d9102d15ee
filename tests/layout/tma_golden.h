#pragma once

#include "sim/layout/tma_copy.h"
#include "tests/layout/tensor_map_golden.h"

/// The buffers that the captured copies read, byte by byte.
namespace lc::golden {

inline constexpr std::uint32_t kLoadSeed = 0x1000000, kStoreSeed = 0x2000000,
                               kTargetSeed = 0x3000000;

inline std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352d;
  x ^= x >> 15;
  x *= 0x846ca68b;
  return x ^ x >> 16;
}

/// Words beside every edge of the f32 format.
inline std::uint32_t special(std::uint32_t i) {
  const std::uint32_t h = mixed(i + 0x4000000), s = h & 0x80000000;
  switch (i % 8) {
    case 0:
      return (h & ~0x1fffu) | 0x1000;
    case 1:
      return (h & ~0x1fffu) | 0xfff;
    case 2:
      return s | 0x7f7fffff;
    case 3:
      return h & 0x807fffff;
    case 4:
      return s | 0x7f800000;
    case 5:
      return h | 0x7f800001;
    case 6:
      return s | 0x7f7ff000;
    default:
      return h;
  }
}

/// A filled buffer: hashes, edge cases of f32, or 1, 2, 3, …
struct Filled {
  enum Kind { hashes, specials, counting } kind;
  std::uint32_t seed = 0;

  std::uint32_t word(std::uint64_t i) const {
    const std::uint32_t n = static_cast<std::uint32_t>(i);
    if (kind == counting) return n + 1;
    return kind == specials ? special(n) : mixed(n + seed);
  }
  std::uint8_t byte(std::uint64_t offset) const {
    return static_cast<std::uint8_t>(word(offset / 4) >> offset % 4 * 8);
  }
  /// The byte as a load of this type delivers it.
  std::uint8_t loaded_byte(DataType type, std::uint64_t offset) const {
    if (data_type_row(type).bits != 32) return byte(offset);
    return static_cast<std::uint8_t>(tma_load_value(type, word(offset / 4)) >> offset % 4 * 8);
  }
};

/// Records without a `fill` column counted.
inline Filled load_source(const Row& row) {
  if (!row.has("fill")) return {Filled::counting};
  return {row.text("fill") == "special" ? Filled::specials : Filled::hashes, kLoadSeed};
}

}  // namespace lc::golden
