#include "sim/isa/conversion.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/test.h"

// Conversions of single numbers.  Integers are compared with 128-bit arithmetic, numbers with the
// neighbours that bracket them.
using lc::isa::Conversion;
using lc::isa::converted;
using lc::isa::encode_stochastic;
using lc::numerics::Format;
using lc::numerics::Overflow;
using lc::numerics::Rounding;
using lc::ptx::Type;

BOOST_AUTO_TEST_SUITE(conversion_tests)

namespace {

__extension__ using Wide = __int128;

constexpr Type kIntegers[] = {Type::u8,  Type::s8,  Type::u16, Type::s16,
                              Type::u32, Type::s32, Type::u64, Type::s64};
constexpr Type kFloats[] = {Type::f16, Type::bf16, Type::f32, Type::f64};
constexpr Rounding kRoundings[] = {Rounding::nearest_even, Rounding::toward_zero, Rounding::down,
                                   Rounding::up};

std::uint32_t bits_of(Type t) {
  return lc::ptx::row_of(t).bits;
}
bool has_sign(Type t) {
  return lc::ptx::row_of(t).name.front() == 's';
}

std::uint64_t cut(Type t, std::uint64_t bits) {
  return bits_of(t) == 64 ? bits : bits & ((std::uint64_t{1} << bits_of(t)) - 1);
}

Wide integer(Type t, std::uint64_t bits) {
  const Wide modulus = Wide{1} << bits_of(t);
  const Wide v = cut(t, bits);
  return has_sign(t) && v >= modulus / 2 ? v - modulus : v;
}
Wide lowest(Type t) {
  return has_sign(t) ? -(Wide{1} << (bits_of(t) - 1)) : 0;
}
Wide highest(Type t) {
  return (Wide{1} << (bits_of(t) - (has_sign(t) ? 1 : 0))) - 1;
}

long double number(Type t, std::uint64_t bits) {
  switch (t) {
    case Type::f16:
      return lc::numerics::to_double(Format::f16, static_cast<std::uint32_t>(bits));
    case Type::bf16:
      return lc::numerics::to_double(Format::bf16, static_cast<std::uint32_t>(bits));
    case Type::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

/// Values at the edges of every width, with both signs.
std::vector<std::uint64_t> interesting() {
  std::vector<std::uint64_t> all{0, 1, 2, 3, 5};
  for (int i = 2; i < 64; ++i) {
    const std::uint64_t p = std::uint64_t{1} << i;
    for (const std::uint64_t d : {p - 1, p, p + 1, p + p / 2, p | 0x155555, p - p / 512}) {
      all.push_back(d);
      all.push_back(0 - d);
    }
  }
  return all;
}

std::vector<std::uint64_t> floats(Type t) {
  std::vector<std::uint64_t> all;
  if (bits_of(t) == 16) {
    for (std::uint64_t code = 0; code < 65536; ++code) all.push_back(code);
    return all;
  }
  const int mantissa = t == Type::f32 ? 23 : 52;
  const int fields = t == Type::f32 ? 256 : 2048;
  for (int field = 0; field<fields; field += field> 900 && field < 1150 ? 1 : fields / 256) {
    for (const std::uint64_t m : {0ull, 1ull, 2ull, 3ull}) {
      for (const int shift : {0, mantissa - 2, mantissa - 10, mantissa - 12}) {
        const std::uint64_t bits = (std::uint64_t(field) << mantissa) + (m << shift);
        all.push_back(bits);
        all.push_back(bits | std::uint64_t{1} << (bits_of(t) - 1));
        all.push_back(bits + (std::uint64_t{1} << (mantissa - 11)) + 1);
      }
    }
  }
  return all;
}

/// Whether `code` of `t` is `exact` rounded that way: looks at the numbers on both sides.
bool is_rounded(Type t, std::uint64_t code, long double exact, Rounding rounding) {
  const long double v = number(t, code);
  if (v == exact) return true;
  const std::uint64_t sign = std::uint64_t{1} << (bits_of(t) - 1);
  const bool negative = (code & sign) != 0;
  if (negative != (exact < 0)) return false;
  const long double m = std::fabs(v), e = std::fabs(exact);
  const bool up = m > e;
  const std::uint64_t other = up ? code - 1 : code + 1;
  if (up && (code & ~sign) == 0) return false;
  long double o = std::fabs(number(t, other));
  // Infinity stands for the first number too large.
  const auto as_finite = [&](long double x, std::uint64_t other_code) {
    if (!std::isinf(x)) return x;
    return 2 * std::fabs(number(t, other_code - 1)) - std::fabs(number(t, other_code - 2));
  };
  const long double mf = as_finite(m, code & ~sign), of = as_finite(o, other & ~sign);
  if (up ? !(of < e || std::isinf(v)) : !(of > e)) return false;
  switch (rounding) {
    case Rounding::toward_zero:
      return !up;
    case Rounding::down:
      return up == negative;
    case Rounding::up:
      return up != negative;
    default:
      break;
  }
  const long double mine = std::fabs(mf - e), others = std::fabs(of - e);
  return mine < others || (mine == others && (code & 1) == 0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(integers_keep_their_low_bits_or_saturate) {
  for (const Type a : kIntegers) {
    for (const Type d : kIntegers) {
      for (const std::uint64_t v : interesting()) {
        const std::uint64_t source = cut(a, v);
        const Wide value = integer(a, source);
        Conversion c{d, a};
        BOOST_TEST_REQUIRE(converted(c, source) == cut(d, static_cast<std::uint64_t>(value)));
        c.sat = true;
        const Wide clamped = value < lowest(d)    ? lowest(d)
                             : value > highest(d) ? highest(d)
                                                  : value;
        BOOST_TEST_REQUIRE(converted(c, source) == cut(d, static_cast<std::uint64_t>(clamped)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(integers_round_to_numbers) {
  // 64 bits of long double hold every 64-bit integer.
  static_assert(std::numeric_limits<long double>::digits >= 64);
  for (const Type a : kIntegers) {
    for (const Type d : kFloats) {
      for (const Rounding rounding : kRoundings) {
        for (const std::uint64_t v : interesting()) {
          Conversion c{d, a, rounding};
          const std::uint64_t source = cut(a, v);
          const auto exact = static_cast<long double>(integer(a, source));
          const std::uint64_t got = converted(c, source);
          if (d == Type::f16 && std::fabs(exact) > 65504) continue;  // overflow: below
          BOOST_TEST_CONTEXT(int(a) << " " << int(d) << " " << int(rounding) << " " << source) {
            BOOST_TEST_REQUIRE(is_rounded(d, got, exact, rounding));
          }
        }
      }
    }
  }
  BOOST_TEST(converted({Type::f16, Type::u32, Rounding::nearest_even}, 65519) == 0x7BFFu);
  BOOST_TEST(converted({Type::f16, Type::u32, Rounding::nearest_even}, 65520) == 0x7C00u);
  BOOST_TEST(converted({Type::f16, Type::u32, Rounding::toward_zero}, 1u << 31) == 0x7BFFu);
}

BOOST_AUTO_TEST_CASE(numbers_become_the_integer_in_their_direction) {
  for (const Type a : kFloats) {
    const auto sources = floats(a);
    for (const Type d : kIntegers) {
      for (const Rounding rounding : kRoundings) {
        Conversion c{d, a, rounding, true};
        for (const std::uint64_t source : sources) {
          const long double x = number(a, source);
          const std::uint64_t got = converted(c, source);
          if (std::isnan(x)) {
            const bool high = a == Type::f64 || bits_of(d) == 64;
            BOOST_TEST_REQUIRE(got == (high ? std::uint64_t{1} << (bits_of(d) - 1) : 0));
            continue;
          }
          long double r = std::isinf(x)                       ? x
                          : rounding == Rounding::up          ? std::ceil(x)
                          : rounding == Rounding::down        ? std::floor(x)
                          : rounding == Rounding::toward_zero ? std::trunc(x)
                                                              : x - std::remainder(x, 1.0L);
          r = std::fmax(static_cast<long double>(lowest(d)), r);
          r = std::fmin(static_cast<long double>(highest(d)), r);
          BOOST_TEST_REQUIRE(got == cut(d, static_cast<std::uint64_t>(static_cast<Wide>(r))));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_round_to_narrower_numbers) {
  for (const Type a : kFloats) {
    const auto sources = floats(a);
    for (const Type d : kFloats) {
      for (const Rounding rounding : kRoundings) {
        for (const std::uint64_t source : sources) {
          const long double x = number(a, source);
          if (!std::isfinite(x)) continue;
          const std::uint64_t got = converted({d, a, rounding}, source);
          if (d == Type::f16 && std::fabs(x) >= 65520) continue;
          if (bits_of(d) < 64 && std::fabs(x) > 3.3e38L) continue;
          BOOST_TEST_CONTEXT(int(a) << " " << int(d) << " " << int(rounding) << " " << source) {
            BOOST_TEST_REQUIRE(is_rounded(d, got, x, rounding));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(flushing_saturation_and_whole_numbers) {
  Conversion c{Type::f32, Type::f32};
  c.ftz = true;
  BOOST_TEST(converted(c, 0x80000001) == 0x80000000u);
  BOOST_TEST(converted(c, 0x00800000) == 0x00800000u);
  c.sat = true;
  BOOST_TEST(converted(c, 0x40000000) == 0x3F800000u);
  BOOST_TEST(converted(c, 0xBF800000) == 0u);
  BOOST_TEST(converted(c, 0x7FC00000) == 0u);
  Conversion whole{Type::f32, Type::f32, Rounding::nearest_even, true};
  BOOST_TEST(converted(whole, std::bit_cast<std::uint32_t>(2.5f)) ==
             std::bit_cast<std::uint32_t>(2.0f));
  BOOST_TEST(converted(whole, std::bit_cast<std::uint32_t>(-0.4f)) == 0x80000000u);
  whole.rounding = Rounding::up;
  BOOST_TEST(converted(whole, std::bit_cast<std::uint32_t>(2.1f)) ==
             std::bit_cast<std::uint32_t>(3.0f));
  Conversion narrow{Type::f32, Type::f64};
  narrow.ftz = true;
  BOOST_TEST(converted(narrow, std::bit_cast<std::uint64_t>(1e-40)) == 0u);
}

BOOST_AUTO_TEST_CASE(random_bits_decide_as_often_as_the_fraction_says) {
  // For each number the share of random values that round up is the fraction that is cut off.
  for (const Format format : {Format::e4m3, Format::e2m1, Format::f16}) {
    const int bits = format == Format::f16 ? 13 : 8;
    for (const double x : {1.0, 1.03125, 1.5, 1.7, 0.01, 3.1, -1.03125, 0.3}) {
      const double down =
          lc::numerics::to_double(format, lc::numerics::encode(format, x, Rounding::toward_zero));
      int ups = 0;
      double up = down;
      for (std::uint32_t r = 0; r < 1u << bits; ++r) {
        const double got = lc::numerics::to_double(
            format, encode_stochastic(format, x, r, bits, Overflow::saturate));
        if (got == down) continue;
        up = got;
        ++ups;
      }
      const double share = ups == 0 ? 0 : (x - down) / (up - down);
      BOOST_TEST(std::fabs(share - ups / std::ldexp(1.0, bits)) <= std::ldexp(1.0, -bits));
    }
  }
  BOOST_TEST(encode_stochastic(Format::bf16, 1.0, 0xFFFF, 16, Overflow::ieee) == 0x3F80u);
  BOOST_TEST(encode_stochastic(Format::e4m3, 1e9, 0, 16, Overflow::saturate) == 0x7Eu);
}

BOOST_AUTO_TEST_SUITE_END()
