#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/numerics/format.h"

/// Operand tiles, decoded once and then multiplied many times.
namespace lc::numerics {

/// Exponent that stands for "zero: has none".  Two of them still add up within 16 bits.
inline constexpr std::int16_t kNoExponent = -16384;

/// What the finite elements of a tile have in common.
struct Range {
  int min_exponent = 32767;  ///< smallest and largest exponent of an element that is not zero,
  int max_exponent = kNoExponent;  ///< as decoded: subnormal numbers have their format's smallest
  int min_unit = 32767;            ///< every element is a multiple of 2^min_unit
  float max_magnitude = 0;

  bool all_zero() const { return max_magnitude == 0; }
};

/// Classes of elements that are not finite numbers, and of results.
enum class SpecialValue : std::uint8_t { none, plus_infinity, minus_infinity, nan };

/// A is kept as [row m][k], B as [k][column n]: the innermost loop runs along n.
enum class Side : std::uint8_t { a, b };

/// A decoded tile: mn rows (of A) or columns (of B), k deep.  Elements that are not finite are 0
/// here and named in `special`.
class Operand {
 public:
  /// Decodes `codes`, k inner; each code stands in the low bits of a word (format.h).
  template <class Code>
  void decode(Format format, Side side, std::size_t mn, std::size_t k, std::span<const Code> codes);

  /// Multiplies blocks of K / `per_row` elements by scale factors, `per_row` codes for every mn.
  /// Kind mxf8f6f4 has one for each row and instruction, the mxf4 kinds two or more.
  void set_scales(Format format, std::size_t per_row, std::span<const std::uint8_t> codes);

  Format format() const { return format_; }
  Side side() const { return side_; }
  std::size_t mn() const { return mn_; }
  std::size_t k() const { return k_; }
  /// Elements between neighbours along the outer axis.
  std::size_t stride() const { return stride_; }
  const Range& range() const { return range_; }

  const float* values() const { return value_.data(); }
  const std::int16_t* exponents() const { return exponent_.data(); }

  bool has_specials() const { return !special_.empty(); }
  SpecialValue special(std::size_t mn, std::size_t k) const {
    return special_.empty() ? SpecialValue::none : special_[index(mn, k)];
  }
  /// Whether any element of a row (A) or column (B) is special, or its scale factor NaN.
  bool special_row(std::size_t mn) const { return !special_row_.empty() && special_row_[mn] != 0; }
  float value(std::size_t mn, std::size_t k) const { return value_[index(mn, k)]; }

  std::size_t scales_per_row() const { return scales_per_row_; }
  bool has_scales() const { return scales_per_row_ != 0; }
  /// Scale factor: significand and exponent, value = significand * 2^exponent.
  double scale_significand(std::size_t mn, std::size_t i) const {
    return scale_significand_[mn * scales_per_row_ + i];
  }
  int scale_exponent(std::size_t mn, std::size_t i) const {
    return scale_exponent_[mn * scales_per_row_ + i];
  }
  bool any_scale_nan() const;
  bool scale_is_nan(std::size_t mn) const { return !scale_nan_.empty() && scale_nan_[mn] != 0; }

  /// The lower or upper two of every four elements along k, converted to f16.
  Operand half_of_quads(bool upper) const;
  /// All elements, converted to f16; from formats whose numbers f16 has.
  Operand as_f16() const;

 private:
  std::size_t index(std::size_t mn, std::size_t k) const {
    return side_ == Side::a ? mn * stride_ + k : k * stride_ + mn;
  }
  void resize(Format format, Side side, std::size_t mn, std::size_t k);
  /// The elements source(0), source(1), ... along k, converted to f16.
  template <class Source>
  Operand chosen_as_f16(std::size_t k, Source&& source) const;
  void place(std::span<const float> values, std::span<const std::int16_t> exponents);
  void set_special(std::size_t mn, std::size_t k, SpecialValue value);
  void measure();

  Format format_ = Format::f16;
  Side side_ = Side::a;
  std::size_t mn_ = 0, k_ = 0, stride_ = 0;
  std::vector<float> value_;
  std::vector<std::int16_t> exponent_;
  std::vector<SpecialValue> special_;
  std::vector<std::uint8_t> special_row_;
  Range range_;
  std::size_t scales_per_row_ = 0;
  std::vector<double> scale_significand_;
  std::vector<std::int16_t> scale_exponent_;
  std::vector<std::uint8_t> scale_nan_;
};

}  // namespace lc::numerics
