#include "sim/numerics/exact_product.h"

#include <cmath>
#include <random>

#include "sim/numerics/fused_tile.h"
#include "sim/numerics/minifloat.h"
#include "tests/test.h"

// The plain product is used only where it cannot differ, and is used for integers.
namespace lc::tests {
namespace {

using namespace lc::numerics;
using Codes = std::vector<std::uint32_t>;

constexpr std::size_t kM = 3, kN = 10, kK = 16;

/// Tiles given as numbers.
struct Numbers {
  const DotRule* rule;
  Format format;
  std::vector<double> a, b, c;

  Codes codes(Format f, const std::vector<double>& values) const {
    Codes out;
    for (const double v : values) out.push_back(encode(f, v, Rounding::nearest_even));
    return out;
  }
  Operand operand(Side side) const {
    Operand o;
    const bool is_a = side == Side::a;
    const Codes c_codes = codes(format, is_a ? a : b);
    o.decode<std::uint32_t>(format, side, is_a ? kM : kN, kK, c_codes);
    return o;
  }
  /// Whether the plain product was used; `d` gets its words.
  bool plain(Codes& d) const {
    d = codes(rule->d, c);
    return exact_product(*rule, operand(Side::a), operand(Side::b), 1.0f, true, {d.data(), kN});
  }
  Codes rounding() const {
    Codes d = codes(rule->d, c);
    TileOptions options;
    options.path = Path::rounding;
    fused_tile(*rule, operand(Side::a), operand(Side::b), {d.data(), kN}, options);
    return d;
  }
};

Numbers filled(const DotRule* rule, Format format, double a, double b, double c) {
  return {rule, format, std::vector<double>(kM * kK, a), std::vector<double>(kN * kK, b),
          std::vector<double>(kM * kN, c)};
}

const DotRule* tcgen05_rule(Kind kind, Format format, Format d = Format::f32) {
  return find_dot_rule(Family::tcgen05, kind, format, format, d);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exact_product_tests)

BOOST_AUTO_TEST_CASE(small_integers_take_the_plain_product_under_every_rule) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> small(-4, 4);
  for (const DotRule& rule : kDotRules) {
    if (rule.method != Method::window) continue;
    for (std::size_t i = 0; i < kFormatCount; ++i) {
      const Format format = static_cast<Format>(i);
      if ((format_bit(format) & rule.operands) == 0) continue;
      Numbers tile = filled(&rule, format, 0, 0, 0);
      for (auto* values : {&tile.a, &tile.b, &tile.c}) {
        for (double& v : *values) v = small(random);
      }
      Codes d;
      BOOST_TEST_REQUIRE(tile.plain(d), format_row(format).name);
      BOOST_TEST_REQUIRE(d == tile.rounding(), format_row(format).name);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_condition_of_the_proof_is_needed) {
  const DotRule* f16 = tcgen05_rule(Kind::f16, Format::f16);
  const DotRule* bf16 = tcgen05_rule(Kind::f16, Format::bf16);
  const DotRule* f16_d = tcgen05_rule(Kind::f16, Format::f16, Format::f16);
  const DotRule* fp8 =
      find_dot_rule(Family::wgmma, Kind::f8f6f4, Format::e4m3, Format::e4m3, Format::f32);
  struct Case {
    const char* what;
    Numbers tile;
    bool taken;
  };
  Numbers far = filled(f16, Format::f16, 1.0, 1.0, 0.0);
  far.a[0] = 0x1p-24;
  Numbers cut = filled(f16, Format::f16, 0x1p-24, 0.5, 0.0);  // subnormal: exponent -14
  cut.b[0] = 0x1p15;
  const Case cases[] = {
      {"sum at the limit", filled(f16, Format::f16, 1023.0, 1023.0, 0.0), true},
      {"sum past it", filled(f16, Format::f16, 1025.0, 1025.0, 0.0), false},
      {"products too fine for the sum", far, false},
      {"C too fine", filled(f16, Format::f16, 512.0, 1.0, 0x1p-12), false},
      {"C fine enough", filled(f16, Format::f16, 255.0, 1.0, 0x1p-11), true},
      {"C too large", filled(f16, Format::f16, 1.0, 1.0, 0x1p25), false},
      {"subnormal factors that the window cuts", cut, false},
      {"fp8 on Hopper keeps 14 bits", filled(fp8, Format::e4m3, 15.0, 15.0, 0.0), true},
      {"and no more", filled(fp8, Format::e4m3, 32.0, 32.0, 1.0), false},
      {"f16 D rounds an exact sum", filled(f16_d, Format::f16, 127.0, 15.0, 1.0), true},
      {"C infinite", filled(f16, Format::f16, 1.0, 1.0, HUGE_VAL), false},
      {"f16 C infinite", filled(f16_d, Format::f16, 1.0, 1.0, -HUGE_VAL), false},
      {"C is NaN", filled(f16, Format::f16, 1.0, 1.0, std::nan("")), false},
      {"sum near the largest float", filled(bf16, Format::bf16, 0x1p62, 0x1p62, 0.0), false},
      {"products near the smallest", filled(bf16, Format::bf16, 0x1p-64, 0x1p-63, 0.0), false},
      {"A infinite", filled(f16, Format::f16, HUGE_VAL, 1.0, 0.0), false},
      {"B is NaN", filled(bf16, Format::bf16, 1.0, std::nan(""), 0.0), false},
      {"all zero", filled(f16, Format::f16, 0.0, -0.0, -0.0), true},
  };
  for (const Case& c : cases) {
    BOOST_TEST_CONTEXT(c.what) {
      Codes d;
      const bool taken = c.tile.plain(d);
      BOOST_TEST(taken == c.taken);
      if (taken) BOOST_TEST(d == c.tile.rounding());
    }
  }
}

BOOST_AUTO_TEST_CASE(whenever_it_is_taken_the_words_are_the_same) {
  std::mt19937 random(2);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int taken = 0, refused = 0;
  for (int round = 0; round < 6000; ++round) {
    const DotRule& rule = kDotRules[random() % std::size(kDotRules)];
    const Format format = std::array{Format::f16,  Format::bf16, Format::tf32,
                                     Format::e4m3, Format::e5m2, Format::e3m2}[random() % 6];
    if (rule.method != Method::window || (format_bit(format) & rule.operands) == 0) continue;
    Numbers tile = filled(&rule, format, 0, 0, 0);
    // Integers of a few bits, shifted together to somewhere around the limits.
    const int bits_a = 1 + below(11), bits_b = 1 + below(11), bits_c = 1 + below(25);
    const int shift =
        format == Format::bf16 || format == Format::tf32 ? below(140) - 70 : below(12) - 10;
    for (double& v : tile.a) v = std::ldexp(below(2 << bits_a) - (1 << bits_a), shift);
    for (double& v : tile.b) v = std::ldexp(below(2 << bits_b) - (1 << bits_b), shift);
    for (double& v : tile.c)
      v = std::ldexp(below(2 << bits_c) - (1 << bits_c), 2 * shift - below(3));
    Codes d;
    if (!tile.plain(d)) {
      ++refused;
      continue;
    }
    ++taken;
    BOOST_TEST_REQUIRE(d == tile.rounding());
  }
  BOOST_TEST(taken > 300);
  BOOST_TEST(refused > 300);
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace lc::tests
