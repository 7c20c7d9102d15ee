#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/numerics/minifloat.h"
#include "sim/numerics/operand.h"
#include "sim/numerics/simd_clones.h"

/// Words of C and D: f32, or f16 in the low half of a word.  The loops here are inlined into
/// functions that are built for several vector units.
namespace lc::numerics {

/// Columns handled together.
inline constexpr std::size_t kBlock = 64;

/// C terms of one block.  Special words count as 0 here.
struct AccumulatorBlock {
  float value[kBlock];
  std::int16_t exponent[kBlock];
};

constexpr bool is_special_word(Format d, std::uint32_t word) {
  return d == Format::f32 ? (word & 0x7f800000) == 0x7f800000
                          : d == Format::f16 && (word & 0x7c00) == 0x7c00;
}

/// An f16 number as float: one multiplication also normalises subnormal numbers.
LC_INLINE_INTO_CLONES float f16_value(std::uint32_t word) {
  const std::uint32_t magnitude = (word & 0x7fff) << 13;
  const float v = std::bit_cast<float>(magnitude) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) | (word & 0x8000) << 16);
}

/// Reads `n` words as terms.  Exponents are those of the format, not normalised.  True if any word
/// is special.
LC_INLINE_INTO_CLONES bool load_accumulators(Format d, const std::uint32_t* words, std::size_t n,
                                             AccumulatorBlock& c) {
  const bool f32 = d == Format::f32;
  std::uint32_t any_special = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const bool special = is_special_word(d, words[j]);
    any_special |= special ? 1u : 0u;
    const std::uint32_t word = special ? 0 : words[j];
    const std::int32_t field =
        static_cast<std::int32_t>(f32 ? word >> 23 & 0xff : word >> 10 & 0x1f);
    const std::int32_t e = (field == 0 ? 1 : field) - (f32 ? 127 : 15);
    const bool zero = (f32 ? word & 0x7fffffff : word & 0x7fff) == 0;
    c.value[j] = f32 ? std::bit_cast<float>(word) : f16_value(word);
    c.exponent[j] = static_cast<std::int16_t>(zero ? kNoExponent : e);
  }
  return any_special != 0;
}

/// float -> f16, nearest even; 65520 and above become infinity.  Branch-free.
LC_INLINE_INTO_CLONES std::uint32_t f16_nearest(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  // Below 2^-14: adding 0.5 lets the float addition round at 2^-24, the unit of f16 subnormals.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t small = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000;
  const std::uint32_t normal = (magnitude + 0xc8000fff + (magnitude >> 13 & 1)) >> 13;
  const std::uint32_t code =
      magnitude < 0x38800000 ? small : (magnitude >= 0x47800000 ? 0x7c00u : normal);
  return code == 0 ? 0u : code | (bits >> 31) << 15;
}

/// The D word of a sum, where the sum is a normal float number below 2^127 or 0: f32 cut toward
/// zero to `fraction_bits`, f16 to nearest even.
LC_INLINE_INTO_CLONES std::uint32_t finish_normal(Format d, int fraction_bits, double sum) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  if (d == Format::f32) {
    const std::uint64_t kept = bits & (~std::uint64_t{0} << (52 - fraction_bits));
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(kept)));
  }
  // Round to odd at 24 bits first; then the second rounding sees which way the rest lay.
  constexpr std::uint64_t kRest = (std::uint64_t{1} << 29) - 1;
  const std::uint64_t sticky = (bits & kRest) != 0 ? kRest + 1 : 0;
  return f16_nearest(static_cast<float>(std::bit_cast<double>((bits & ~kRest) | sticky)));
}

/// 1 where finish_normal() does not serve: below 2^-126 and not 0, or 2^127 and above.
LC_INLINE_INTO_CLONES std::uint64_t is_extreme(double sum) {
  const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(sum) << 1;
  constexpr std::uint64_t kLow = std::bit_cast<std::uint64_t>(0x1p-126) << 1;
  constexpr std::uint64_t kHigh = std::bit_cast<std::uint64_t>(0x1p127) << 1;
  return static_cast<std::uint64_t>(magnitude - kLow >= kHigh - kLow) &
         static_cast<std::uint64_t>(magnitude != 0);
}

/// The D word of any finite sum: subnormal results keep what fits, results from 2^128 (f16: 65520)
/// on become infinity, and a result of zero is +0.
inline std::uint32_t finish_any(Format d, int fraction_bits, double sum) {
  if (d == Format::f16) {
    const std::uint32_t code = encode(Format::f16, sum, Rounding::nearest_even);
    return (code & 0x7fff) == 0 ? 0 : code;
  }
  const std::uint32_t sign = std::signbit(sum) ? 0x80000000 : 0;
  if (std::fabs(sum) >= 0x1p128) return sign | 0x7f800000;
  const std::uint32_t cut = encode(Format::f32, std::fabs(sum), Rounding::toward_zero);
  const std::uint32_t magnitude = cut & ~((1u << (23 - fraction_bits)) - 1);
  return magnitude == 0 ? 0 : sign | magnitude;
}

}  // namespace lc::numerics
