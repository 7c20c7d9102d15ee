#include "sim/isa/half.h"

#include <cmath>

#include "sim/isa/half_fma.h"
#include "sim/numerics/minifloat.h"
#include "tests/test.h"

// Halves against numerics/minifloat.h, which goes through double and knows no bit tricks.
using namespace lc::isa;
using lc::numerics::encode;
using lc::numerics::Format;
using lc::numerics::Rounding;

BOOST_AUTO_TEST_SUITE(half_tests)

namespace {

struct Random {
  std::uint64_t state = 1;
  std::uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
};

double number(F16 h) {
  return lc::numerics::to_double(Format::f16, h.bits);
}
double number(Bf16 h) {
  return lc::numerics::to_double(Format::bf16, h.bits);
}

std::uint16_t nearest_code(Format format, double value) {
  return static_cast<std::uint16_t>(encode(format, value, Rounding::nearest_even));
}

/// a * b + c in 300 bits: integers whose unit is 2^-280.
struct Exact {
  // Two's complement, 64 bits a word, lowest first.
  std::array<std::uint64_t, 10> words{};

  /// Adds significand * 2^exponent, exponent >= -280.
  void add(std::int64_t significand, int exponent) {
    const int at = exponent + 280;
    const std::uint64_t sign = significand < 0 ? ~std::uint64_t{0} : 0;
    const auto low = static_cast<std::uint64_t>(significand);
    bool carry = false;
    for (int w = 0; w < 10; ++w) {
      const auto word_of = [&](int i) -> std::uint64_t { return i < 0 ? 0 : i == 0 ? low : sign; };
      const int i = w - at / 64, shift = at % 64;
      const std::uint64_t part =
          shift == 0 ? word_of(i) : word_of(i) << shift | word_of(i - 1) >> (64 - shift);
      const std::uint64_t sum = words[w] + part;
      const std::uint64_t all = sum + (carry ? 1 : 0);
      carry = sum < part || all < sum;
      words[w] = all;
    }
  }

  /// A double that rounds on to at most 50 bits as the number does: 51 leading bits and a sticky.
  double sticky() const {
    Exact magnitude = *this;
    const bool negative = (words[9] >> 63) != 0;
    if (negative) {
      bool carry = true;
      for (std::uint64_t& w : magnitude.words) {
        w = ~w + (carry ? 1 : 0);
        carry = carry && w == 0;
      }
    }
    int top = 639;
    const auto bit = [&](int i) { return i >= 0 && (magnitude.words[i / 64] >> i % 64 & 1) != 0; };
    while (top >= 0 && !bit(top)) --top;
    if (top < 0) return 0;
    double value = 0;
    for (int i = top; i > top - 51; --i) value = 2 * value + (bit(i) ? 1 : 0);
    bool rest = false;
    for (int i = top - 51; i >= 0; --i) rest = rest || bit(i);
    value = std::ldexp(2 * value + (rest ? 1 : 0), top - 51 - 280);
    return negative ? -value : value;
  }
};

template <class H>
void add_product(Exact& sum, H a, H b) {
  int ea, eb;
  const auto ma = static_cast<std::int64_t>(std::ldexp(std::frexp(number(a), &ea), 11));
  const auto mb = static_cast<std::int64_t>(std::ldexp(std::frexp(number(b), &eb), 11));
  sum.add(ma * mb, ea + eb - 22);
}

template <class H>
std::uint16_t fused_by_definition(Format format, H a, H b, H c) {
  Exact sum;
  add_product(sum, a, b);
  add_product(sum, c, H{H::kOne});
  return nearest_code(format, sum.sticky());
}

template <class H>
void check_fma(Format format, H a, H b, H c) {
  const double x = number(a) * number(b) + number(c);
  if (!std::isfinite(number(a)) || !std::isfinite(number(b)) || !std::isfinite(number(c))) return;
  const std::uint16_t want = fused_by_definition(format, a, b, c);
  const std::uint16_t got = fused(a, b, c).bits;
  // The sign of an exact zero is that of the terms; the definition above has only +0.
  if (x == 0 && ((want | got) & 0x7FFF) == 0) return;
  BOOST_TEST_CONTEXT(a.bits << " * " << b.bits << " + " << c.bits) {
    BOOST_TEST_REQUIRE(got == want);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_half_becomes_its_float) {
  for (std::uint32_t code = 0; code < 65536; ++code) {
    const F16 f{static_cast<std::uint16_t>(code)};
    const Bf16 b{static_cast<std::uint16_t>(code)};
    BOOST_TEST_REQUIRE(std::isnan(to_float(f)) == std::isnan(number(f)));
    BOOST_TEST_REQUIRE(std::isnan(to_float(b)) == std::isnan(number(b)));
    BOOST_TEST_REQUIRE(std::signbit(to_float(f)) == (code >= 0x8000));
    if (!std::isnan(number(f))) BOOST_TEST_REQUIRE(double{to_float(f)} == number(f));
    if (!std::isnan(number(b))) BOOST_TEST_REQUIRE(double{to_float(b)} == number(b));
    BOOST_TEST_REQUIRE(is_nan(f) == std::isnan(number(f)));
    BOOST_TEST_REQUIRE(is_nan(b) == std::isnan(number(b)));
  }
}

BOOST_AUTO_TEST_CASE(floats_round_to_the_nearest_half) {
  const auto check = [](std::uint32_t bits) {
    const float f = std::bit_cast<float>(bits);
    BOOST_TEST_REQUIRE(nearest_f16(f).bits == nearest_code(Format::f16, f));
    BOOST_TEST_REQUIRE(nearest_bf16(f).bits == nearest_code(Format::bf16, f));
  };
  // Around every half, and around the middle between it and the next.
  for (std::uint32_t code = 0; code < 65536; ++code) {
    for (const float f : {to_float(F16{static_cast<std::uint16_t>(code)}),
                          to_float(Bf16{static_cast<std::uint16_t>(code)})}) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
      for (const std::uint32_t half : {0u, 1u << 12, 1u << 15}) {
        for (std::uint32_t d = 0; d < 3; ++d) check(bits + half + d - 1);
      }
    }
  }
  Random random;
  for (int i = 0; i < 1'000'000; ++i) check(static_cast<std::uint32_t>(random.next()));
}

BOOST_AUTO_TEST_CASE(fused_products_round_once) {
  // 2^-11 * (1 + 2^-10) is just over half a unit of 1: rounding the product first would lose it.
  BOOST_TEST(fused(F16{0x1000}, F16{0x3C01}, F16{0x3C00}).bits == 0x3C01);
  BOOST_TEST(fused(F16{0x1000}, F16{0x3C00}, F16{0x3C00}).bits == 0x3C00);
  // A bf16 tie that a number 2^-120 as large decides.
  BOOST_TEST(fused(Bf16{0x3F81}, Bf16{0x3FC0}, Bf16{0x0100}).bits ==
             fused_by_definition(Format::bf16, Bf16{0x3F81}, Bf16{0x3FC0}, Bf16{0x0100}));
  Random random;
  for (int i = 0; i < 300'000; ++i) {
    const std::uint64_t r = random.next();
    const auto a = static_cast<std::uint16_t>(r), b = static_cast<std::uint16_t>(r >> 16),
               c = static_cast<std::uint16_t>(r >> 32);
    check_fma(Format::f16, F16{a}, F16{b}, F16{c});
    check_fma(Format::bf16, Bf16{a}, Bf16{b}, Bf16{c});
  }
}

BOOST_AUTO_TEST_CASE(ties_of_products_are_decided_by_the_addend) {
  // Products whose lowest bit is half a unit, and addends down to the smallest.
  for (std::uint32_t a = 0; a < 128; ++a) {
    for (std::uint32_t b = 0; b < 128; b += 3) {
      for (const std::uint32_t c : {0x0001u, 0x8001u, 0x0080u, 0x8080u, 0x2000u, 0xA000u}) {
        check_fma(Format::bf16, Bf16{static_cast<std::uint16_t>(0x3F80 | a)},
                  Bf16{static_cast<std::uint16_t>(0x3F80 | b)},
                  Bf16{static_cast<std::uint16_t>(c)});
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
