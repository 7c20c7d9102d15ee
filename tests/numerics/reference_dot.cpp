#include "tests/numerics/reference_dot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/numerics/big_integer.h"

namespace lc::tests {
namespace {

using namespace lc::numerics;  // the words of the rule, read often below

/// Big integers count units of 2^-kPoint.
constexpr int kPoint = 700;

/// (-1)^negative * significand * 2^(exponent - fraction), or a class.
struct Number {
  bool negative = false, infinite = false, nan = false;
  std::uint64_t significand = 0;
  int exponent = 0, fraction = 0;

  bool special() const { return infinite || nan; }
  bool zero() const { return !special() && significand == 0; }
};

Number ieee(std::uint32_t code, int exponent_bits, int mantissa_bits, int bias) {
  Number x;
  const std::uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
  const int field = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
  x.negative = (code >> (exponent_bits + mantissa_bits) & 1) != 0;
  x.fraction = mantissa_bits;
  x.exponent = field == 0 ? 1 - bias : field - bias;
  x.significand = field == 0 ? mantissa : mantissa + (1u << mantissa_bits);
  return x;
}

Number with_specials(Number x, std::uint32_t code, int exponent_bits, int mantissa_bits) {
  const std::uint32_t ones = (1u << exponent_bits) - 1;
  if ((code >> mantissa_bits & ones) == ones) {
    x.infinite = (code & ((1u << mantissa_bits) - 1)) == 0;
    x.nan = !x.infinite;
  }
  return x;
}

Number decode(Format format, std::uint32_t code) {
  Number x;
  switch (format) {
    case Format::f32:
      return with_specials(ieee(code, 8, 23, 127), code, 8, 23);
    case Format::f16:
      return with_specials(ieee(code, 5, 10, 15), code, 5, 10);
    case Format::bf16:
      return with_specials(ieee(code, 8, 7, 127), code, 8, 7);
    case Format::tf32:
      return decode(Format::f32, code & 0xffffe000);
    case Format::e5m2:
      return with_specials(ieee(code, 5, 2, 15), code, 5, 2);
    case Format::e4m3:
      x = ieee(code, 4, 3, 7);
      x.nan = (code & 0x7f) == 0x7f;
      return x;
    case Format::e2m3:
      return ieee(code, 2, 3, 1);
    case Format::e3m2:
      return ieee(code, 3, 2, 3);
    case Format::e2m1:
      return ieee(code, 2, 1, 1);
    case Format::ue8m0:
      x.significand = 1;
      x.exponent = static_cast<int>(code) - 127;
      x.nan = code == 0xff;
      return x;
    case Format::ue4m3:
      return decode(Format::e4m3, code & 0x7f);
    default:
      return x;
  }
}

/// The same number with f16's exponents: subnormal fp8 numbers become normal.
Number as_f16(Number x) {
  if (x.special() || x.significand == 0) return x;
  while ((x.significand >> x.fraction) == 0 && x.exponent > -14) {
    x.significand <<= 1;
    --x.exponent;
  }
  return x;
}

Number product(const Number& x, const Number& y) {
  Number p;
  p.negative = x.negative != y.negative;
  p.nan = x.nan || y.nan || (x.infinite && y.zero()) || (y.infinite && x.zero());
  p.infinite = !p.nan && (x.infinite || y.infinite);
  p.significand = x.significand * y.significand;
  p.exponent = x.exponent + y.exponent;
  p.fraction = x.fraction + y.fraction;
  return p;
}

/// |x| cut to a multiple of 2^unit.
BigInteger cut(const Number& x, int unit) {
  BigInteger big{x.negative, BigNatural(x.significand, x.exponent - x.fraction + kPoint)};
  big.magnitude.clear_below(unit + kPoint);
  return big;
}

/// Magnitude code of `sum` with `fraction` bits after the leading one, exponents from `least` on.
std::uint64_t rounded(const BigNatural& sum, int fraction, int least, bool nearest) {
  const int exponent = std::max(sum.top() - kPoint, least);
  const int unit = exponent - fraction + kPoint;
  std::uint64_t kept = 0;
  for (int bit = std::min(sum.top(), unit + fraction); bit >= unit; --bit) {
    kept = kept * 2 + (sum.bit(bit) ? 1 : 0);
  }
  const bool half = sum.bit(unit - 1);
  if (nearest && half && (sum.any_below(unit - 1) || (kept & 1) != 0)) ++kept;
  // The code of 2^exponent is one unit of the exponent field above that of 2^(exponent - 1).
  return (static_cast<std::uint64_t>(exponent - least) << fraction) + kept;
}

std::uint32_t finish(const DotRule& rule, const BigInteger& sum) {
  std::uint64_t code = 0;
  if (!sum.magnitude.zero()) {
    if (rule.d == Format::f16) {
      code = std::min<std::uint64_t>(rounded(sum.magnitude, 10, -14, true), 0x7c00);
    } else {
      const int fraction = rule.fraction_bits;
      code = rounded(sum.magnitude, fraction, -126, false) << (23 - fraction);
      code = std::min<std::uint64_t>(code, 0x7f800000);
    }
  }
  const std::uint32_t sign = rule.d == Format::f16 ? 0x8000 : 0x80000000;
  return static_cast<std::uint32_t>(code) | (code != 0 && sum.negative ? sign : 0);
}

std::optional<std::uint32_t> special_word(Format d, std::span<const Number> terms) {
  bool nan = false, plus = false, minus = false;
  for (const Number& t : terms) {
    nan |= t.nan;
    plus |= t.infinite && !t.negative;
    minus |= t.infinite && t.negative;
  }
  const bool f16 = d == Format::f16;
  if (nan || (plus && minus)) return f16 ? 0x7fff : 0x7fffffff;
  if (plus) return f16 ? 0x7c00 : 0x7f800000;
  if (minus) return f16 ? 0xfc00 : 0xff800000;
  return std::nullopt;
}

std::uint32_t window_sum(const DotRule& rule, const std::vector<Number>& terms) {
  if (const auto word = special_word(rule.d, terms)) return *word;
  int largest = -133;
  for (const Number& t : terms) {
    if (!t.zero()) largest = std::max(largest, t.exponent);
  }
  BigInteger sum;
  for (const Number& t : terms) sum = sum + cut(t, largest - rule.window);
  return finish(rule, sum);
}

/// The exact sum of the products as a term whose exponent the scale factors alone decide.
Number group_term(std::span<const Number> products, const Number& scale_a, const Number& scale_b) {
  std::int64_t quarters = 0;  // products of e2m1 numbers are multiples of 1/4
  for (const Number& p : products) {
    const std::int64_t value = static_cast<std::int64_t>(p.significand) << p.exponent;
    quarters += p.negative ? -value : value;
  }
  Number s;
  s.negative = quarters < 0;
  s.significand = static_cast<std::uint64_t>(std::abs(quarters));
  s.fraction = 2;
  return product(product(s, scale_a), scale_b);
}

std::uint32_t integer_sum(const DotRule& rule, Format a_format, std::span<const std::uint32_t> a,
                          Format b_format, std::span<const std::uint32_t> b, std::uint32_t c,
                          const TileOptions& options) {
  const auto value = [](Format f, std::uint32_t code) -> std::int64_t {
    switch (f) {
      case Format::s8:
        return static_cast<std::int8_t>(code);
      case Format::s4:
        return (code & 8) != 0 ? static_cast<std::int64_t>(code & 7) - 8 : code & 7;
      default:
        return code;
    }
  };
  std::int64_t sum = options.read_c ? static_cast<std::int32_t>(c) : 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const bool exclusive = rule.kind == Kind::b1 && options.bit_operation == BitOperation::xor_popc;
    sum += exclusive ? a[k] ^ b[k] : value(a_format, a[k]) * value(b_format, b[k]);
  }
  if (options.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

Number scale_of(const ReferenceScales& scales, std::span<const std::uint32_t> codes, std::size_t k,
                std::size_t depth) {
  if (codes.empty()) return {.significand = 1};
  return decode(scales.format, codes[k * codes.size() / depth]);
}

}  // namespace

std::uint32_t reference_dot(const DotRule& rule, Format a_format, std::span<const std::uint32_t> a,
                            Format b_format, std::span<const std::uint32_t> b, std::uint32_t c,
                            const TileOptions& options, const ReferenceScales& scales) {
  if (rule.method == Method::integer) {
    return integer_sum(rule, a_format, a, b_format, b, c, options);
  }
  std::vector<Number> products(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    Number x = decode(a_format, a[k]), y = decode(b_format, b[k]);
    if (rule.method == Method::fp8_as_f16) {
      x = as_f16(x);
      y = as_f16(y);
    }
    x.negative ^= options.negate_a != options.negate_b;
    products[k] = product(x, y);
  }
  Number c_term = options.read_c ? decode(rule.d, c) : Number{};
  c_term.exponent -= options.c_shift;

  std::vector<Number> terms;
  if (rule.method == Method::groups_of_16) {
    for (std::size_t k = 0; k < a.size(); k += 16) {
      terms.push_back(group_term(std::span(products).subspan(k, 16),
                                 scale_of(scales, scales.a, k, a.size()),
                                 scale_of(scales, scales.b, k, a.size())));
    }
  } else if (rule.method == Method::window) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      terms.push_back(product(product(products[k], scale_of(scales, scales.a, k, a.size())),
                              scale_of(scales, scales.b, k, a.size())));
    }
  } else {
    std::vector<Number> upper;
    for (std::size_t k = 0; k < a.size(); ++k) (k % 4 < 2 ? terms : upper).push_back(products[k]);
    upper.push_back(decode(rule.d, window_sum(rule, terms)));
    const Number y = decode(rule.d, window_sum(rule, upper));
    if (const auto word = special_word(rule.d, std::vector<Number>{c_term, y})) return *word;
    const BigInteger sum = cut(c_term, -kPoint) + cut(y, -kPoint);
    DotRule nearest = rule;
    if (rule.d == Format::f16) return finish(nearest, sum);
    if (sum.magnitude.zero()) return 0;
    const std::uint64_t code = rounded(sum.magnitude, 23, -126, true);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(code, 0x7f800000)) |
           (sum.negative ? 0x80000000 : 0);
  }
  terms.push_back(c_term);
  return window_sum(rule, terms);
}

}  // namespace lc::tests
