#pragma once

#include <bit>
#include <cstdint>

#include "sim/numerics/format.h"

/// Small floating-point formats: code -> number and number -> code, for every row of format.h.
///
///   e4m3 code 0x4d = 0 1001 101 -> exponent 9 - 7 = 2, significand 1.101b = 13 / 8 -> 6.5
///   encode(e4m3, 6.7, nearest_even) -> 0x4d;  toward +infinity -> 0x4e (7)
///
/// Everything goes through double, which holds each of these numbers exactly.
namespace lc::numerics {

enum class NumberClass : std::uint8_t { finite, infinity, nan };

/// A decoded number: (-1)^negative * significand * 2^(exponent - mantissa_bits of its format).
/// Subnormal numbers keep their format's smallest exponent and are not normalised.
struct Unpacked {
  bool negative = false;
  NumberClass number_class = NumberClass::finite;
  int exponent = 0;
  std::uint32_t significand = 0;  ///< hidden bit included; 0 for zero, infinity and NaN
};

/// 2^exponent for the exponents of normal double numbers.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Exponent and mantissa bits of a code, at the bottom of a word.
constexpr std::uint32_t magnitude_code(const FormatRow& f, std::uint32_t code) {
  return (code >> f.unused_low_bits) & f.magnitude_mask();
}

constexpr bool negative_code(const FormatRow& f, std::uint32_t code) {
  return f.is_signed && ((code >> (f.bits - 1)) & 1) != 0;
}

constexpr NumberClass class_of_magnitude(const FormatRow& f, std::uint32_t magnitude) {
  if (magnitude <= f.max_magnitude()) return NumberClass::finite;
  const bool infinity = f.special == Special::ieee && (magnitude & f.mantissa_mask()) == 0;
  return infinity ? NumberClass::infinity : NumberClass::nan;
}

constexpr Unpacked unpack(Format format, std::uint32_t code) {
  const FormatRow f = format_row(format);
  const std::uint32_t magnitude = magnitude_code(f, code);
  Unpacked u{negative_code(f, code), class_of_magnitude(f, magnitude), 0, 0};
  if (u.number_class != NumberClass::finite) return u;
  const int field = static_cast<int>(magnitude >> f.mantissa_bits);
  const bool normal = field != 0 || f.mantissa_bits == 0;  // ue8m0 has no zero and no subnormals
  u.exponent = normal ? field - f.bias : f.min_exponent();
  u.significand = (magnitude & f.mantissa_mask()) | (normal ? 1u << f.mantissa_bits : 0u);
  return u;
}

/// The number of a code; NaN codes give a quiet NaN, integers their value.
constexpr double to_double(Format format, std::uint32_t code) {
  const FormatRow f = format_row(format);
  if (!f.is_float()) {
    const std::uint32_t shift = 32u - f.bits;
    if (!f.is_signed) return (code << shift) >> shift;
    return static_cast<std::int32_t>(code << shift) >> shift;
  }
  const Unpacked u = unpack(format, code);
  const double sign = u.negative ? -1.0 : 1.0;
  switch (u.number_class) {
    case NumberClass::infinity:
      return sign * std::bit_cast<double>(0x7ff0000000000000u);
    case NumberClass::nan:
      return std::bit_cast<double>(0x7ff8000000000000u);
    case NumberClass::finite:
      break;
  }
  return sign * u.significand * power_of_two(u.exponent - f.mantissa_bits);
}

/// Rounding modes of `cvt`: .rn, .rna, .rz, .rm, .rp.
enum class Rounding : std::uint8_t { nearest_even, nearest_away, toward_zero, down, up };

/// What a conversion does with a number beyond the largest finite one.
enum class Overflow : std::uint8_t {
  /// To infinity, or to NaN where the format has none; directed modes that may not pass the largest
  /// finite number stop there.
  ieee,
  /// `.satfinite` (PTX ISA, cvt): to the largest finite number, infinities too; NaN becomes the
  /// canonical NaN, or the largest number where the format has no NaN (e2m3, e3m2, e2m1).
  saturate
};

namespace detail {

/// floor(significand / 2^shift) and what was cut off: below, at or above one half.
struct Cut {
  std::uint64_t kept;
  bool inexact, above_half, half;
};

constexpr Cut cut(std::uint64_t significand, int shift) {
  if (shift <= 0) return {significand << -shift, false, false, false};
  if (shift > 63) return {0, significand != 0, false, false};
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return {significand >> shift, rest != 0, rest > half, rest == half};
}

constexpr bool rounds_up(const Cut& c, Rounding rounding, bool negative) {
  switch (rounding) {
    case Rounding::nearest_even:
      return c.above_half || (c.half && (c.kept & 1) != 0);
    case Rounding::nearest_away:
      return c.above_half || c.half;
    case Rounding::toward_zero:
      return false;
    case Rounding::down:
      return c.inexact && negative;
    case Rounding::up:
      return c.inexact && !negative;
  }
  return false;
}

constexpr std::uint32_t overflow_magnitude(const FormatRow& f, Rounding rounding, bool negative,
                                           Overflow overflow) {
  const bool stops = rounding == Rounding::toward_zero ||
                     (rounding == Rounding::down && !negative) ||
                     (rounding == Rounding::up && negative);
  if (overflow == Overflow::saturate || stops || f.special == Special::none) {
    return f.max_magnitude();
  }
  return f.max_magnitude() + 1;  // infinity, or the NaN of a format without infinity
}

constexpr std::uint32_t assemble(const FormatRow& f, bool negative, std::uint32_t magnitude) {
  const std::uint32_t sign = negative && f.is_signed ? 1u << (f.bits - 1) : 0u;
  return sign | magnitude << f.unused_low_bits;
}

}  // namespace detail

/// The code of `value` in a floating-point format.  A format without sign takes the magnitude; so
/// cvt to ue8m0 does (PTX ISA).  Zero in ue8m0 becomes its smallest number, 2^-127.
constexpr std::uint32_t encode(Format format, double value, Rounding rounding,
                               Overflow overflow = Overflow::ieee) {
  const FormatRow f = format_row(format);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = f.is_signed && (bits >> 63) != 0;
  const int field = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t mantissa = bits & 0xfffffffffffff;
  if (field == 0x7ff) {
    if (mantissa != 0) return f.special == Special::none ? f.max_magnitude() : f.canonical_nan;
    const bool saturate = overflow == Overflow::saturate || f.special == Special::none;
    return detail::assemble(f, negative, saturate ? f.max_magnitude() : f.max_magnitude() + 1);
  }
  // Numbers below the normal doubles are far below every format: one sticky bit is enough.
  const std::uint64_t significand = field == 0 ? (mantissa != 0) : mantissa | 1ull << 52;
  const int exponent = field == 0 ? -1022 : field - 1023;
  const int unit = (exponent < f.min_exponent() ? f.min_exponent() : exponent) - f.mantissa_bits;
  const detail::Cut c = detail::cut(significand, unit - (exponent - 52));
  const std::uint64_t rounded = c.kept + detail::rounds_up(c, rounding, negative);
  // One past the top of a binade is the next binade's first number: adding the codes carries over.
  const int step = unit + f.mantissa_bits - f.min_exponent();
  std::uint64_t magnitude = (static_cast<std::uint64_t>(step) << f.mantissa_bits) + rounded;
  if (f.mantissa_bits == 0) magnitude = magnitude == 0 ? 0 : magnitude - 1;
  if (magnitude > f.max_magnitude()) {
    magnitude = detail::overflow_magnitude(f, rounding, negative, overflow);
  }
  return detail::assemble(f, negative, static_cast<std::uint32_t>(magnitude));
}

static_assert(to_double(Format::e4m3, 0x4d) == 6.5);
static_assert(to_double(Format::s4, 0xf) == -1 && to_double(Format::u4, 0xf) == 15);
static_assert(encode(Format::e4m3, 6.7, Rounding::nearest_even) == 0x4d);
static_assert(encode(Format::e4m3, 6.7, Rounding::up) == 0x4e);
static_assert(encode(Format::f16, 65520.0, Rounding::nearest_even) == 0x7c00);
static_assert(encode(Format::e2m1, -5.0, Rounding::nearest_even) == 0xe);

}  // namespace lc::numerics
