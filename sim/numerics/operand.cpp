#include "sim/numerics/operand.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "sim/numerics/minifloat.h"
#include "sim/numerics/simd_clones.h"

namespace lc::numerics {
namespace {

/// Columns of B are padded to whole blocks of this many, with zeros.
constexpr std::size_t kColumnBlock = 8;

struct Linear {
  std::vector<float> value;
  std::vector<std::int16_t> exponent;
  bool any_special = false;
};

/// value = (bits of a float whose exponent field is the code's) * 2^(127 - bias): one
/// multiplication moves the bias and turns subnormal codes into their number.  Special codes become
/// 0.  Returns whether there were any.
LC_SIMD_CLONES
bool decode_floats(const FormatRow& f, const std::uint32_t* __restrict codes, std::size_t n,
                   float* __restrict value, std::int16_t* __restrict exponent) {
  const std::uint32_t magnitude_mask = f.magnitude_mask(), top = f.max_magnitude();
  const std::uint32_t mantissa_bits = f.mantissa_bits, unused = f.unused_low_bits;
  const std::uint32_t sign_shift = f.bits - 1u, to_float = 23u - mantissa_bits;
  const float rebias = std::bit_cast<float>(static_cast<std::uint32_t>(254 - f.bias) << 23);
  const std::int32_t bias = f.bias;
  std::uint32_t special = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t code = codes[i];
    const std::uint32_t all = (code >> unused) & magnitude_mask;
    const std::uint32_t finite = 0u - static_cast<std::uint32_t>(all <= top);
    special |= ~finite;
    const std::uint32_t magnitude = all & finite;
    const float v = std::bit_cast<float>(magnitude << to_float) * rebias;
    const std::uint32_t sign = ((code >> sign_shift) & 1u) << 31;
    value[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) | sign);
    const std::int32_t field = static_cast<std::int32_t>(magnitude >> mantissa_bits);
    const std::int32_t e = field + (field == 0) - bias;
    const std::int32_t zero = -static_cast<std::int32_t>(magnitude == 0);
    exponent[i] = static_cast<std::int16_t>((e & ~zero) | (kNoExponent & zero));
  }
  return special != 0;
}

template <class Code>
Linear decode_linear(const FormatRow& f, std::span<const Code> codes) {
  Linear out{std::vector<float>(codes.size()), std::vector<std::int16_t>(codes.size())};
  if (f.is_float()) {
    const std::vector<std::uint32_t> words(codes.begin(), codes.end());
    out.any_special =
        decode_floats(f, words.data(), words.size(), out.value.data(), out.exponent.data());
    return out;
  }
  for (std::size_t i = 0; i < codes.size(); ++i) {
    out.value[i] = static_cast<float>(to_double(f.format, codes[i]));
    out.exponent[i] = out.value[i] == 0 ? kNoExponent : std::int16_t{0};
  }
  return out;
}

SpecialValue special_value(Format format, std::uint32_t code) {
  const Unpacked u = unpack(format, code);
  switch (u.number_class) {
    case NumberClass::nan:
      return SpecialValue::nan;
    case NumberClass::infinity:
      return u.negative ? SpecialValue::minus_infinity : SpecialValue::plus_infinity;
    case NumberClass::finite:
      break;
  }
  return SpecialValue::none;
}

constexpr std::int32_t kFar = 32767;

LC_SIMD_CLONES
Range range_of(const float* __restrict values, const std::int16_t* __restrict exponents,
               std::size_t n) {
  std::int32_t unit = kFar, low = kFar, high = kNoExponent, largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(values[i]) & 0x7fffffff;
    const std::int32_t field = bits >> 23;
    const std::int32_t subnormal = field == 0;
    const std::int32_t significand = (bits & 0x7fffff) | (1 - subnormal) << 23;
    // The lowest set bit, and its exponent through the exponent field of a float.
    const float lowest = static_cast<float>(significand & -significand);
    const std::int32_t log2 = (std::bit_cast<std::int32_t>(lowest) >> 23) - 127;
    const std::int32_t zero = -static_cast<std::int32_t>(bits == 0);
    const std::int32_t unit_here = ((field + subnormal - 150 + log2) & ~zero) | (kFar & zero);
    const std::int32_t e = exponents[i];
    const std::int32_t e_or_far = (e & ~zero) | (kFar & zero);
    unit = unit_here < unit ? unit_here : unit;
    low = e_or_far < low ? e_or_far : low;
    high = e > high ? e : high;
    largest = bits > largest ? bits : largest;
  }
  return {low, high, unit, std::bit_cast<float>(largest)};
}

}  // namespace

void Operand::resize(Format format, Side side, std::size_t mn, std::size_t k) {
  format_ = format;
  side_ = side;
  mn_ = mn;
  k_ = k;
  stride_ = side == Side::a ? k : (mn + kColumnBlock - 1) / kColumnBlock * kColumnBlock;
  const std::size_t size = side == Side::a ? mn * k : k * stride_;
  value_.assign(size, 0.0f);
  exponent_.assign(size, kNoExponent);
  special_.clear();
  special_row_.clear();
  scales_per_row_ = 0;
  scale_significand_.clear();
  scale_exponent_.clear();
  scale_nan_.clear();
}

void Operand::place(std::span<const float> values, std::span<const std::int16_t> exponents) {
  if (side_ == Side::a) {
    std::copy(values.begin(), values.end(), value_.begin());
    std::copy(exponents.begin(), exponents.end(), exponent_.begin());
    return;
  }
  for (std::size_t k = 0; k < k_; ++k) {
    for (std::size_t n = 0; n < mn_; ++n) {
      value_[k * stride_ + n] = values[n * k_ + k];
      exponent_[k * stride_ + n] = exponents[n * k_ + k];
    }
  }
}

void Operand::set_special(std::size_t mn, std::size_t k, SpecialValue value) {
  if (special_.empty()) special_.assign(value_.size(), SpecialValue::none);
  if (special_row_.empty()) special_row_.assign(mn_, 0);
  special_[index(mn, k)] = value;
  special_row_[mn] = 1;
}

void Operand::measure() {
  range_ = range_of(value_.data(), exponent_.data(), value_.size());
}

template <class Code>
void Operand::decode(Format format, Side side, std::size_t mn, std::size_t k,
                     std::span<const Code> codes) {
  assert(codes.size() == mn * k && format != Format::ue8m0 && format != Format::s32);
  resize(format, side, mn, k);
  const Linear linear = decode_linear(format_row(format), codes);
  place(linear.value, linear.exponent);
  if (linear.any_special) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const SpecialValue s = special_value(format, codes[i]);
      if (s != SpecialValue::none) set_special(i / k, i % k, s);
    }
  }
  measure();
}

template void Operand::decode(Format, Side, std::size_t, std::size_t,
                              std::span<const std::uint8_t>);
template void Operand::decode(Format, Side, std::size_t, std::size_t,
                              std::span<const std::uint16_t>);
template void Operand::decode(Format, Side, std::size_t, std::size_t,
                              std::span<const std::uint32_t>);

void Operand::set_scales(Format format, std::size_t per_row, std::span<const std::uint8_t> codes) {
  assert(per_row != 0 && codes.size() == per_row * mn_ && k_ % per_row == 0);
  const FormatRow f = format_row(format);
  scales_per_row_ = per_row;
  scale_significand_.assign(codes.size(), 0.0);
  scale_exponent_.assign(codes.size(), 0);
  scale_nan_.assign(mn_, 0);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Unpacked u = unpack(format, codes[i]);
    if (u.number_class == NumberClass::nan) scale_nan_[i / per_row] = 1;
    scale_significand_[i] = u.significand * power_of_two(-f.mantissa_bits);
    scale_exponent_[i] = static_cast<std::int16_t>(u.exponent);
  }
}

template <class Source>
Operand Operand::chosen_as_f16(std::size_t k, Source&& source) const {
  Operand out;
  out.resize(Format::f16, side_, mn_, k);
  for (std::size_t mn = 0; mn < mn_; ++mn) {
    for (std::size_t i = 0; i < k; ++i) {
      const float v = value(mn, source(i));
      const std::size_t to = out.index(mn, i);
      out.value_[to] = v;
      if (v != 0) {
        const int e = std::max(std::ilogb(v), format_row(Format::f16).min_exponent());
        out.exponent_[to] = static_cast<std::int16_t>(e);
      }
      const SpecialValue s = special(mn, source(i));
      if (s != SpecialValue::none) out.set_special(mn, i, s);
    }
  }
  out.measure();
  return out;
}

Operand Operand::half_of_quads(bool upper) const {
  const std::size_t offset = upper ? 2 : 0;
  return chosen_as_f16(k_ / 2, [=](std::size_t i) { return i / 2 * 4 + i % 2 + offset; });
}

Operand Operand::as_f16() const {
  return chosen_as_f16(k_, [](std::size_t i) { return i; });
}

bool Operand::any_scale_nan() const {
  return std::find(scale_nan_.begin(), scale_nan_.end(), 1) != scale_nan_.end();
}

}  // namespace lc::numerics
