#include "sim/numerics/minifloat.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/numerics/vendor_formats.h"
#include "tests/test.h"

namespace lc::tests {
namespace {

using namespace lc::numerics;

constexpr Format kSmall[] = {Format::f16,  Format::bf16, Format::e4m3,  Format::e5m2, Format::e2m3,
                             Format::e3m2, Format::e2m1, Format::ue8m0, Format::ue4m3};
constexpr Rounding kRoundings[] = {Rounding::nearest_even, Rounding::nearest_away,
                                   Rounding::toward_zero, Rounding::down, Rounding::up};

std::uint32_t code_count(Format format) {
  return 1u << format_row(format).bits;
}

/// The numbers of a format by definition: sum of powers of two, no shared code with the header.
double by_definition(Format format, std::uint32_t code) {
  const FormatRow f = format_row(format);
  double mantissa = 0;
  for (int i = 0; i < f.mantissa_bits; ++i) {
    if ((code >> i & 1) != 0) mantissa += std::ldexp(1.0, i - f.mantissa_bits);
  }
  const int field = static_cast<int>(code >> f.mantissa_bits & f.exponent_mask());
  const double magnitude = field == 0 && f.mantissa_bits != 0
                               ? std::ldexp(mantissa, 1 - f.bias)
                               : std::ldexp(1.0 + mantissa, field - f.bias);
  return f.is_signed && (code >> (f.bits - 1) & 1) != 0 ? -magnitude : magnitude;
}

bool finite_code(Format format, std::uint32_t code) {
  return unpack(format, code).number_class == NumberClass::finite;
}

/// All finite non-negative numbers, ascending, because codes are in order.
std::vector<double> ladder(Format format) {
  std::vector<double> steps;
  const FormatRow f = format_row(format);
  for (std::uint32_t code = 0; code <= f.max_magnitude(); ++code) {
    steps.push_back(by_definition(format, code));
  }
  return steps;
}

/// Rounding by looking at the two neighbours on the ladder; `value` lies between first and last.
std::uint32_t nearest_on_ladder(const std::vector<double>& steps, double value, Rounding rounding) {
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  const auto above = std::lower_bound(steps.begin(), steps.end(), magnitude);
  const auto high = static_cast<std::uint32_t>(above - steps.begin());
  if (*above == magnitude || high == 0) return high;
  const std::uint32_t low = high - 1;
  const double to_low = magnitude - steps[low], to_high = steps[high] - magnitude;
  switch (rounding) {
    case Rounding::nearest_even:
      if (to_low == to_high) return low % 2 == 0 ? low : high;
      return to_low < to_high ? low : high;
    case Rounding::nearest_away:
      return to_low < to_high ? low : high;
    case Rounding::toward_zero:
      return low;
    case Rounding::down:
      return negative ? high : low;
    case Rounding::up:
      return negative ? low : high;
  }
  return low;
}

std::uint32_t sign_of(Format format, double value) {
  return std::signbit(value) ? 1u << (format_row(format).bits - 1) : 0;
}

/// Values around every step: itself, its neighbours in double, the middles and their neighbours.
std::vector<double> probes(const std::vector<double>& steps) {
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const double middle = (steps[i] + steps[i + 1]) / 2;
    for (const double v : {steps[i], middle}) {
      out.push_back(v);
      out.push_back(std::nextafter(v, std::numeric_limits<double>::infinity()));
      out.push_back(std::nextafter(v, 0.0));
    }
  }
  out.push_back(steps.back());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(minifloat_tests)

BOOST_AUTO_TEST_CASE(every_code_is_the_number_its_definition_says) {
  for (const Format format : kSmall) {
    for (std::uint32_t code = 0; code < code_count(format); ++code) {
      if (!finite_code(format, code)) continue;
      BOOST_TEST_REQUIRE(to_double(format, code) == by_definition(format, code));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_number_encodes_to_its_code_in_every_mode) {
  for (const Format format : kSmall) {
    for (std::uint32_t code = 0; code < code_count(format); ++code) {
      if (!finite_code(format, code)) continue;
      const bool ignored_sign =
          !format_row(format).is_signed && code > format_row(format).magnitude_mask();
      if (ignored_sign) continue;
      for (const Rounding rounding : kRoundings) {
        BOOST_TEST_REQUIRE(encode(format, to_double(format, code), rounding) == code);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rounding_picks_the_neighbour_that_the_mode_names) {
  for (const Format format : kSmall) {
    const std::vector<double> steps = ladder(format);
    for (const double magnitude : probes(steps)) {
      if (format == Format::ue8m0 && magnitude < steps[0]) continue;
      for (const double probe : {magnitude, -magnitude}) {
        if (std::signbit(probe) && (!format_row(format).is_signed || probe == 0)) continue;
        for (const Rounding rounding : kRoundings) {
          // Powers of two have no even neighbour, and cvt to ue8m0 has .rz and .rp only.
          if (format == Format::ue8m0 && rounding == Rounding::nearest_even) continue;
          const std::uint32_t want =
              sign_of(format, probe) | nearest_on_ladder(steps, probe, rounding);
          if (encode(format, probe, rounding) == want) continue;
          BOOST_TEST_CONTEXT(format_row(format).name << " of " << probe) {
            BOOST_TEST_REQUIRE(encode(format, probe, rounding) == want);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(beyond_the_largest_number) {
  struct Case {
    Format format;
    double value;
    Rounding rounding;
    Overflow overflow;
    std::uint32_t want;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr auto kEven = Rounding::nearest_even;
  constexpr auto kIeee = Overflow::ieee;
  constexpr auto kSaturate = Overflow::saturate;
  const Case cases[] = {
      {Format::f16, 65519.0, kEven, kIeee, 0x7bff},
      {Format::f16, 65520.0, kEven, kIeee, 0x7c00},
      {Format::f16, 1e9, Rounding::toward_zero, kIeee, 0x7bff},
      {Format::f16, -1e9, Rounding::up, kIeee, 0xfbff},
      {Format::f16, -1e9, Rounding::down, kIeee, 0xfc00},
      {Format::f16, kInfinity, kEven, kSaturate, 0x7bff},
      {Format::e5m2, kInfinity, kEven, kSaturate, 0x7b},
      {Format::e5m2, -61440.0, kEven, kIeee, 0xfc},
      {Format::e4m3, 464.0, kEven, kIeee, 0x7e},
      {Format::e4m3, 464.5, kEven, kIeee, 0x7f},
      {Format::e4m3, 464.5, kEven, kSaturate, 0x7e},
      {Format::e4m3, -kInfinity, kEven, kSaturate, 0xfe},
      {Format::e2m1, 100.0, kEven, kSaturate, 0x7},
      {Format::e2m1, -100.0, kEven, kSaturate, 0xf},
      {Format::e2m3, kInfinity, kEven, kSaturate, 0x1f},
      {Format::e3m2, -kInfinity, kEven, kSaturate, 0x3f},
      {Format::ue8m0, kInfinity, Rounding::up, kSaturate, 0xfe},
      {Format::ue8m0, 0x1.8p127, Rounding::up, kIeee, 0xff},
      {Format::ue8m0, 0.0, Rounding::toward_zero, kSaturate, 0x00},
      {Format::ue8m0, -4.0, Rounding::toward_zero, kSaturate, 0x81},
      {Format::f32, 0x1.ffffffp127, kEven, kIeee, 0x7f800000},
      {Format::f32, 0x1.ffffffp127, Rounding::toward_zero, kIeee, 0x7f7fffff},
      {Format::tf32, 1.0 + 0x1p-11, Rounding::nearest_away, kIeee, 0x3f802000},
      {Format::tf32, 1.0 + 0x1p-11, kEven, kIeee, 0x3f800000},
  };
  for (const Case& c : cases) {
    BOOST_TEST_CONTEXT(format_row(c.format).name << " of " << c.value) {
      BOOST_TEST(encode(c.format, c.value, c.rounding, c.overflow) == c.want);
    }
  }
}

BOOST_AUTO_TEST_CASE(nan_becomes_the_canonical_one_or_the_largest_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [format, want] : {std::pair{Format::f32, 0x7fffffffu},
                                     {Format::f16, 0x7fffu},
                                     {Format::bf16, 0x7fffu},
                                     {Format::tf32, 0x7fffffffu},
                                     {Format::e4m3, 0x7fu},
                                     {Format::e5m2, 0x7fu},
                                     {Format::ue8m0, 0xffu},
                                     {Format::e2m3, 0x1fu},
                                     {Format::e3m2, 0x1fu},
                                     {Format::e2m1, 0x7u}}) {
    BOOST_TEST(encode(format, -nan, Rounding::nearest_even, Overflow::saturate) == want);
    BOOST_TEST(encode(format, nan, Rounding::nearest_even) == want);
  }
}

BOOST_AUTO_TEST_CASE(tf32_ignores_thirteen_bits) {
  BOOST_TEST(to_double(Format::tf32, 0x3f801fff) == 1.0);
  BOOST_TEST((unpack(Format::tf32, 0x7f800001).number_class == NumberClass::infinity));
  BOOST_TEST(to_double(Format::tf32, 0x00001fff) == 0.0);
  BOOST_TEST(to_double(Format::tf32, 0x80002000) == -0x1p-136);
}

BOOST_AUTO_TEST_CASE(f32_agrees_with_the_host) {
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto code = static_cast<std::uint32_t>(random());
    const float value = std::bit_cast<float>(code);
    if (std::isnan(value)) continue;
    BOOST_TEST_REQUIRE(to_double(Format::f32, code) == static_cast<double>(value));
    const double between = std::bit_cast<double>(
        std::bit_cast<std::uint64_t>(static_cast<double>(value)) ^ (random() & 0x3fffffff));
    BOOST_TEST_REQUIRE(encode(Format::f32, between, Rounding::nearest_even) ==
                       std::bit_cast<std::uint32_t>(static_cast<float>(between)));
  }
}

BOOST_AUTO_TEST_CASE(codes_agree_with_other_peoples_tables) {
  for (const VendorFormat& vendor : vendor_formats()) {
    BOOST_TEST_CONTEXT(vendor.source << ", " << format_row(vendor.format).name) {
      for (std::uint32_t code = 0; code < code_count(vendor.format); ++code) {
        const float theirs = vendor.decode(code);
        if (std::isnan(theirs)) {
          BOOST_TEST_REQUIRE((unpack(vendor.format, code).number_class == NumberClass::nan));
        } else {
          BOOST_TEST_REQUIRE(to_double(vendor.format, code) == static_cast<double>(theirs));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(conversions_agree_with_other_peoples_code) {
  std::mt19937 random(8);
  for (const VendorFormat& vendor : vendor_formats()) {
    const std::vector<double> middles = probes(ladder(vendor.format));
    for (int i = 0; i < 300'000; ++i) {
      float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (i % 2 == 0) value = static_cast<float>(middles[random() % middles.size()]);
      if (i % 4 == 0) value = -value;
      if (std::isnan(value)) continue;
      const std::uint32_t ours = encode(vendor.format, value, vendor.rounding, vendor.overflow);
      if (ours == vendor.encode(value)) continue;
      BOOST_TEST_CONTEXT(vendor.source << ", " << format_row(vendor.format).name << " of "
                                       << value) {
        BOOST_TEST_REQUIRE(ours == vendor.encode(value));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace lc::tests
