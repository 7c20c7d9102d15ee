#include "sim/isa/conversion.h"

#include <bit>
#include <cmath>

#include "sim/isa/float_number.h"
#include "sim/isa/half.h"

namespace lc::isa {
namespace {

using numerics::Format;
using numerics::Rounding;
using ptx::Type;

/// A source value: exact in one of the two.
struct Value {
  bool is_integer = false;
  bool negative = false;        ///< of integers
  std::uint64_t magnitude = 0;  ///< of integers
  double number = 0;
};

bool is_float(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64;
}

bool is_signed(Type t) {
  return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64;
}

std::uint64_t low(std::uint64_t bits, std::uint32_t width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

Value value_of(const Conversion& c, std::uint64_t bits) {
  Value v;
  switch (c.source) {
    case Type::f16:
      v.number = to_float(F16{static_cast<std::uint16_t>(bits)});
      return v;
    case Type::bf16:
      v.number = to_float(Bf16{static_cast<std::uint16_t>(bits)});
      return v;
    case Type::f32: {
      const float f = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      v.number = c.ftz ? flushed(f) : f;
      return v;
    }
    case Type::f64:
      v.number = std::bit_cast<double>(bits);
      return v;
    default:
      break;
  }
  const std::uint32_t width = ptx::row_of(c.source).bits;
  v.is_integer = true;
  v.negative = is_signed(c.source) && (bits >> (width - 1) & 1) != 0;
  v.magnitude = low(v.negative ? 0 - bits : bits, width);
  return v;
}

double whole(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::toward_zero:
      return std::trunc(x);
    case Rounding::down:
      return std::floor(x);
    case Rounding::up:
      return std::ceil(x);
    default:
      return std::nearbyint(x);  // the host's mode is to nearest, ties to even
  }
}

/// Integers from integers: the low bits, or with .sat the nearest value.
std::uint64_t to_integer(const Conversion& c, const Value& v) {
  const std::uint32_t width = ptx::row_of(c.destination).bits;
  const std::uint64_t wrapped = low(v.negative ? 0 - v.magnitude : v.magnitude, width);
  if (!c.sat) return wrapped;
  const bool with_sign = is_signed(c.destination);
  const std::uint64_t largest = low(~std::uint64_t{0}, width - (with_sign ? 1 : 0));
  if (!v.negative) return v.magnitude > largest ? largest : v.magnitude;
  if (!with_sign) return 0;
  return v.magnitude > largest + 1 ? largest + 1 : wrapped;
}

/// Integers from numbers: always clamped.  NaN gives 0, or the highest bit where a type of 64 bits
/// takes part (PTX ISA, cvt, "Integer Notes").
std::uint64_t to_clamped_integer(const Conversion& c, double x) {
  const std::uint32_t width = ptx::row_of(c.destination).bits;
  const bool with_sign = is_signed(c.destination);
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  if (x != x) return c.source == Type::f64 || width == 64 ? top : 0;
  const double r = whole(x, c.rounding);
  const double limit = std::ldexp(1.0, static_cast<int>(width) - (with_sign ? 1 : 0));
  if (r >= limit) return with_sign ? top - 1 : low(~std::uint64_t{0}, width);
  if (with_sign && r < -limit) return top;
  if (!with_sign && r < 0) return 0;
  return with_sign ? low(static_cast<std::uint64_t>(static_cast<std::int64_t>(r)), width)
                   : static_cast<std::uint64_t>(r);
}

Format format_of(Type t) {
  return t == Type::f16 ? Format::f16 : t == Type::bf16 ? Format::bf16 : Format::f32;
}

/// NaNs of f64 keep their sign and the top of their payload, those of bf16 in f32 all of it
/// (measured on an H200); otherwise comes the one NaN of the result's format.
std::uint64_t narrowed_nan(Type to, double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t payload = (bits & 0xFFFFFFFFFFFFF) | std::uint64_t{1} << 51;
  if (to == Type::f32) return (bits >> 32 & 0x80000000) | 0x7F800000 | payload >> 29;
  const std::uint64_t sign = bits >> 48 & 0x8000;
  return to == Type::f16 ? sign | 0x7C00 | payload >> 42 : sign | 0x7F80 | payload >> 45;
}

std::uint64_t to_number(const Conversion& c, double x) {
  if (c.integral) x = whole(x, c.rounding);
  if (c.sat) x = saturated(x);
  if (c.destination == Type::f64) return std::bit_cast<std::uint64_t>(x);
  if (x != x && c.source == Type::f64) return narrowed_nan(c.destination, x);
  const std::uint32_t code = numerics::encode(format_of(c.destination), x, c.rounding);
  if (c.ftz && c.destination == Type::f32) {
    return std::bit_cast<std::uint32_t>(flushed(std::bit_cast<float>(code)));
  }
  return code;
}

/// An integer of 64 bits as a double that rounds on as the integer would: 1 in its last bit where
/// bits were cut off.
double sticky_double(bool negative, std::uint64_t magnitude) {
  const int extra = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (extra > 0) {
    const bool rest = (magnitude & ((std::uint64_t{1} << extra) - 1)) != 0;
    magnitude = (magnitude >> extra | std::uint64_t{rest}) << extra;
  }
  const double x = static_cast<double>(magnitude);
  return negative ? -x : x;
}

}  // namespace

double to_double(bool negative, std::uint64_t magnitude, Rounding rounding) {
  const int extra = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (extra > 0) {
    const numerics::detail::Cut cut = numerics::detail::cut(magnitude, extra);
    const std::uint64_t kept = cut.kept + numerics::detail::rounds_up(cut, rounding, negative);
    const double x = std::ldexp(static_cast<double>(kept), extra);
    return negative ? -x : x;
  }
  const double x = static_cast<double>(magnitude);
  return negative ? -x : x;
}

std::uint64_t converted(const Conversion& c, std::uint64_t bits) {
  const Value v = value_of(c, bits);
  if (!is_float(c.destination)) {
    return v.is_integer ? to_integer(c, v) : to_clamped_integer(c, v.number);
  }
  const bool keeps_nan = c.source == Type::bf16 && c.destination == Type::f32 && !c.sat;
  if (keeps_nan && v.number != v.number) return bits << 16 & 0xFFFFFFFF;
  if (!v.is_integer) return to_number(c, v.number);
  if (c.destination == Type::f64) {
    return to_number(c, to_double(v.negative, v.magnitude, c.rounding));
  }
  return to_number(c, sticky_double(v.negative, v.magnitude));
}

std::uint32_t encode_stochastic(Format format, double value, std::uint32_t random, int random_bits,
                                numerics::Overflow overflow) {
  const numerics::FormatRow f = numerics::format_row(format);
  if (!std::isfinite(value) || value == 0) {
    return numerics::encode(format, value, Rounding::toward_zero, overflow);
  }
  const double magnitude = std::fabs(value);
  const int exponent = std::ilogb(magnitude);
  const int unit =
      (exponent < f.min_exponent() ? f.min_exponent() : exponent) - int{f.mantissa_bits};
  const double units = std::ldexp(magnitude, -unit);
  const double cut = units - std::floor(units);
  const bool up = cut + std::ldexp(static_cast<double>(random), -random_bits) >= 1;
  const double rounded = std::ldexp(std::floor(units) + (up ? 1 : 0), unit);
  return numerics::encode(format, std::copysign(rounded, value), Rounding::nearest_even, overflow);
}

}  // namespace lc::isa
