#include "sim/machine/reduction.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/numerics/minifloat.h"
#include "tests/layout/tma_golden.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(reduction_tests)

// Small integer worlds against arithmetic in a wider type.
BOOST_AUTO_TEST_CASE(integers_agree_with_wider_arithmetic) {
  const std::int64_t kEdges[] = {0,          1,         2, 7, 0x7FFFFFFF, -1, -2, -0x80000000LL,
                                 0x12345678, 0x40000000};
  for (const std::int64_t a : kEdges) {
    for (const std::int64_t b : kEdges) {
      const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
      const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
      const auto u = [&](TmaOperation o) { return reduced(o, ReductionType::u32, ua, ub); };
      const auto s = [&](TmaOperation o) {
        return static_cast<std::int32_t>(reduced(o, ReductionType::s32, ua, ub));
      };
      BOOST_TEST(u(TmaOperation::add) == ((std::uint64_t{ua} + ub) & 0xFFFFFFFF));
      BOOST_TEST(u(TmaOperation::max) == std::max(ua, ub));
      BOOST_TEST(s(TmaOperation::min) == std::min(sa, sb));
      BOOST_TEST(s(TmaOperation::max) == std::max(sa, sb));
      BOOST_TEST(u(TmaOperation::inc) == (ua >= ub ? 0 : ua + 1));
      BOOST_TEST(u(TmaOperation::dec) == (ua == 0 || ua > ub ? ub : ua - 1));
      BOOST_TEST(u(TmaOperation::bit_xor) == (ua ^ ub));
    }
  }
}

// inc counts 0 .. source and starts again, dec the other way round.
BOOST_AUTO_TEST_CASE(inc_and_dec_wrap_at_the_source) {
  std::uint64_t up = 0, down = 0;
  for (std::uint64_t i = 1; i < 20; ++i) {
    up = reduced(TmaOperation::inc, ReductionType::u32, up, 4);
    down = reduced(TmaOperation::dec, ReductionType::u32, down, 4);
    BOOST_TEST(up == i % 5);
    BOOST_TEST(down == (5 - i % 5) % 5);
  }
}

// f16 sums against float, whose rounding to f16 of an exact sum is the definition.
BOOST_AUTO_TEST_CASE(f16_sums_round_once) {
  using numerics::Format;
  for (std::uint32_t i = 0; i < 200000; ++i) {
    const std::uint32_t a = golden::mixed(i) & 0xFFFF, b = golden::mixed(i + 77777) & 0xFFFF;
    const double sum = numerics::to_double(Format::f16, a) + numerics::to_double(Format::f16, b);
    const std::uint64_t got = reduced(TmaOperation::add, ReductionType::f16, a, b);
    if (std::isnan(sum)) {
      BOOST_TEST_REQUIRE(got == 0x7FFFu);
      continue;
    }
    const double back = numerics::to_double(Format::f16, static_cast<std::uint32_t>(got));
    if (std::isinf(back)) {
      BOOST_TEST_REQUIRE(std::fabs(sum) >= 65520.0);
      continue;
    }
    // Nearest: no neighbour lies closer.
    for (const std::uint64_t other : {got - 1, got + 1}) {
      const double neighbour =
          numerics::to_double(Format::f16, static_cast<std::uint32_t>(other) & 0xFFFF);
      if (std::isfinite(neighbour)) {
        BOOST_TEST_REQUIRE(std::fabs(back - sum) <= std::fabs(neighbour - sum));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(special_numbers_as_measured) {
  const auto half = [](TmaOperation o, std::uint64_t a, std::uint64_t b) {
    return reduced(o, ReductionType::f16, a, b);
  };
  BOOST_TEST(half(TmaOperation::add, 0x7C00, 0xFC00) == 0x7FFFu);
  BOOST_TEST(half(TmaOperation::add, 0xFE01, 0) == 0x7FFFu);
  BOOST_TEST(half(TmaOperation::add, 0x7BFF, 0x7BFF) == 0x7C00u);
  BOOST_TEST(half(TmaOperation::add, 0x0001, 0x0001) == 0x0002u);
  BOOST_TEST(half(TmaOperation::add, 0x8000, 0x8000) == 0x8000u);
  BOOST_TEST(half(TmaOperation::add, 0x8000, 0x0000) == 0x0000u);
  BOOST_TEST(half(TmaOperation::add, 0x3C00, 0xBC00) == 0x0000u);
  BOOST_TEST(half(TmaOperation::min, 0x7E00, 0xBC00) == 0xBC00u);
  BOOST_TEST(half(TmaOperation::max, 0xBC00, 0x7E00) == 0xBC00u);
  BOOST_TEST(half(TmaOperation::max, 0x7E00, 0xFE00) == 0x7FFFu);
  BOOST_TEST(half(TmaOperation::min, 0x8000, 0x0000) == 0x8000u);
  BOOST_TEST(half(TmaOperation::max, 0x8000, 0x0000) == 0x0000u);
  BOOST_TEST(reduced(TmaOperation::add, ReductionType::f32, 1, 1) == 2u);
  BOOST_TEST(reduced(TmaOperation::add, ReductionType::f32_ftz, 0x80000001, 0x80000001) ==
             0x80000000u);
  BOOST_TEST(reduced(TmaOperation::add, ReductionType::f32, 0x7F800000, 0xFF800000) == 0x7FFFFFFFu);
}

BOOST_AUTO_TEST_CASE(bulk_reductions_are_those_of_the_isa) {
  using T = ReductionType;
  BOOST_TEST(has_bulk_reduction(T::u64, TmaOperation::add, true));
  BOOST_TEST(!has_bulk_reduction(T::f16, TmaOperation::add, true));
  BOOST_TEST(has_bulk_reduction(T::f16, TmaOperation::add, false));
  BOOST_TEST(!has_bulk_reduction(T::s64, TmaOperation::add, false));
  BOOST_TEST(has_bulk_reduction(T::s64, TmaOperation::min, false));
  BOOST_TEST(!has_bulk_reduction(T::u64, TmaOperation::min, true));
  BOOST_TEST(!has_bulk_reduction(T::s32, TmaOperation::inc, false));
  BOOST_TEST(!has_bulk_reduction(T::u32, TmaOperation::bit_and, false));
  BOOST_TEST(has_bulk_reduction(T::b64, TmaOperation::bit_and, false));
  BOOST_TEST(!has_bulk_reduction(T::b64, TmaOperation::bit_and, true));
}

BOOST_AUTO_TEST_SUITE_END()
