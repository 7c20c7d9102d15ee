#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lc::numerics {

/// Number formats that tensor cores multiply, accumulate or scale by, named as in the PTX ISA.
/// Sub-byte and b1 codes stand in the low bits of an integer; tf32 in a whole 32-bit word.
enum class Format : std::uint8_t {
  f32,
  f16,
  bf16,
  tf32,
  e4m3,
  e5m2,
  e2m3,
  e3m2,
  e2m1,
  ue8m0,
  ue4m3,  // floating point
  s32,
  s8,
  u8,
  s4,
  u4,
  b1  // integers
};

/// Which codes are not finite numbers.
enum class Special : std::uint8_t {
  none,       ///< every code is a number (e2m3, e3m2, e2m1, integers)
  ieee,       ///< exponent of ones: mantissa 0 is infinity, the rest NaN
  nan_at_top  ///< all bits of exponent and mantissa set is NaN; there is no infinity
};

/// One format.  A code is sign | exponent | mantissa | `unused_low_bits` that are ignored.
struct FormatRow {
  Format format;
  std::string_view name;
  std::uint8_t bits;           ///< width of a code, ignored bits included
  std::uint8_t exponent_bits;  ///< 0 for integers
  std::uint8_t mantissa_bits;  ///< stored ones; for integers all bits but the sign
  std::uint8_t unused_low_bits;
  std::int16_t bias;  ///< exponent = field - bias
  bool is_signed;
  Special special;
  std::uint32_t canonical_nan;  ///< what arithmetic and conversions produce

  constexpr bool is_float() const { return exponent_bits != 0; }
  /// Exponent of the smallest normal number, which subnormal numbers share.
  constexpr int min_exponent() const { return mantissa_bits == 0 ? -bias : 1 - bias; }
  constexpr std::uint32_t exponent_mask() const { return (1u << exponent_bits) - 1; }
  constexpr std::uint32_t mantissa_mask() const { return (1u << mantissa_bits) - 1; }
  /// All exponent and mantissa bits, at the bottom of a word.
  constexpr std::uint32_t magnitude_mask() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << (exponent_bits + mantissa_bits)) - 1);
  }
  /// Magnitude code of the largest finite number.
  constexpr std::uint32_t max_magnitude() const {
    switch (special) {
      case Special::ieee:
        return (exponent_mask() << mantissa_bits) - 1;
      case Special::nan_at_top:
        return magnitude_mask() - 1;
      case Special::none:
        break;
    }
    return magnitude_mask();
  }
};

/// Widths and biases: PTX ISA 9.0, 5.2.3 "Alternate floating-point data formats"; ue4m3 is e4m3
/// whose sign bit is ignored.  Canonical NaNs of f32 and f16: measured (docs/arithmetic.md).
constexpr FormatRow format_row(Format format) {
  constexpr FormatRow kRows[] = {
      // format         name  bits exp man unused bias signed special            NaN
      {Format::f32, "f32", 32, 8, 23, 0, 127, true, Special::ieee, 0x7fffffff},
      {Format::f16, "f16", 16, 5, 10, 0, 15, true, Special::ieee, 0x7fff},
      {Format::bf16, "bf16", 16, 8, 7, 0, 127, true, Special::ieee, 0x7fff},
      {Format::tf32, "tf32", 32, 8, 10, 13, 127, true, Special::ieee, 0x7fffffff},
      {Format::e4m3, "e4m3", 8, 4, 3, 0, 7, true, Special::nan_at_top, 0x7f},
      {Format::e5m2, "e5m2", 8, 5, 2, 0, 15, true, Special::ieee, 0x7f},
      {Format::e2m3, "e2m3", 6, 2, 3, 0, 1, true, Special::none, 0},
      {Format::e3m2, "e3m2", 6, 3, 2, 0, 3, true, Special::none, 0},
      {Format::e2m1, "e2m1", 4, 2, 1, 0, 1, true, Special::none, 0},
      {Format::ue8m0, "ue8m0", 8, 8, 0, 0, 127, false, Special::nan_at_top, 0xff},
      {Format::ue4m3, "ue4m3", 8, 4, 3, 0, 7, false, Special::nan_at_top, 0x7f},
      {Format::s32, "s32", 32, 0, 31, 0, 0, true, Special::none, 0},
      {Format::s8, "s8", 8, 0, 7, 0, 0, true, Special::none, 0},
      {Format::u8, "u8", 8, 0, 8, 0, 0, false, Special::none, 0},
      {Format::s4, "s4", 4, 0, 3, 0, 0, true, Special::none, 0},
      {Format::u4, "u4", 4, 0, 4, 0, 0, false, Special::none, 0},
      {Format::b1, "b1", 1, 0, 1, 0, 0, false, Special::none, 0},
  };
  return kRows[static_cast<int>(format)];
}

inline constexpr std::size_t kFormatCount = 17;

constexpr bool is_float(Format format) {
  return format_row(format).is_float();
}

}  // namespace lc::numerics
