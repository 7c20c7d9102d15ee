#pragma once

#include <cstdint>

#include "sim/layout/bit_field.h"

/// The zero-column mask of weight-stationary matrix instructions, 64 bits (PTX ISA 9.0,
/// 9.7.16.10.8; checked against the ISA's examples by the specification, not measured):
///
///   63 62 | 61 56 | 55 48 | 47  40 | 39  | 38 36 | 35    32 | 31 24 | 23 16 | 15  8 | 7   0
///     0   | shift |  use  |  skip  | nzm |   0   | fs3..fs0 |  sc3  |  sc2  |  sc1  |  sc0
///
/// Sub-mask q covers the q-th part of N (one for M = 128, two for 64, four for 32).  It is made of
/// runs of skip + 1 ones and use + 1 zeros in turn, ones first where fs_q is set, without its first
/// sc_q bits.  A one makes that column of B zero.  Column n of the result is made with column
/// n + shift of B; that the mask counts B's columns, and that columns past N are zero, is inferred.
namespace lc::machine {

struct ZeroColumns {
  std::uint64_t word = 0;

  static constexpr BitField kStart{"start_count", 0, 8, 0}, kFirst{"first_span", 32, 1, 0},
      kNonZero{"non_zero_mask", 39, 1, 0}, kSkip{"skip_span", 40, 8, 0}, kUse{"use_span", 48, 8, 0},
      kShift{"column_shift", 56, 6, 0};

  constexpr std::uint32_t shift() const { return static_cast<std::uint32_t>(kShift.raw(word)); }

  /// Whether column `c` of part `part` of B counts as zero.
  constexpr bool is_zero(std::uint32_t part, std::uint32_t c) const {
    if (kNonZero.raw(word) == 0) return false;
    const std::uint64_t ones = kSkip.raw(word) + 1, zeros = kUse.raw(word) + 1;
    const std::uint64_t at = (c + kStart.raw(word >> 8 * part)) % (ones + zeros);
    const bool ones_first = kFirst.raw(word >> part) != 0;
    return ones_first ? at < ones : at >= zeros;
  }
};

}  // namespace lc::machine
