#include "sim/layout/swizzle.h"

#include <set>

#include "tests/test.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(swizzle_tests)

BOOST_AUTO_TEST_CASE(is_a_permutation_and_its_own_inverse) {
  for (const Swizzle s : kAllSwizzles) {
    for (std::uint32_t base_offset = 0; base_offset < 8; ++base_offset) {
      std::set<std::uint64_t> seen;
      for (std::uint64_t a = 0; a < 4096; ++a) {
        const std::uint64_t b = swizzled(s, a, base_offset);
        BOOST_TEST_REQUIRE(swizzled(s, b, base_offset) == a);
        BOOST_TEST_REQUIRE(b / 128 == a / 128);
        seen.insert(b);
      }
      BOOST_TEST(seen.size() == 4096u);
    }
  }
}

BOOST_AUTO_TEST_CASE(repeats_with_its_period_and_no_earlier) {
  for (const Swizzle s : kAllSwizzles) {
    const std::uint32_t period = swizzle_row(s).period;
    const auto shift_by = [&](std::uint32_t step) {
      for (std::uint64_t a = 0; a < 4096; ++a) {
        if (swizzled(s, a + step) != swizzled(s, a) + step) return false;
      }
      return true;
    };
    BOOST_TEST(shift_by(period));
    if (period > 128) BOOST_TEST(!shift_by(period / 2));
  }
}

BOOST_AUTO_TEST_CASE(cell_order_inside_a_line) {
  // Source cell of each 16-byte cell of the first 128-byte lines, from the pictures of PTX
  // ISA 5.5.6.
  struct Case {
    Swizzle mode;
    int line;
    int cells[8];
  };
  constexpr Case kCases[] = {
      {Swizzle::b128, 1, {1, 0, 3, 2, 5, 4, 7, 6}},
      {Swizzle::b128, 6, {6, 7, 4, 5, 2, 3, 0, 1}},
      {Swizzle::b64, 3, {3, 2, 1, 0, 7, 6, 5, 4}},
      {Swizzle::b64, 4, {0, 1, 2, 3, 4, 5, 6, 7}},
      {Swizzle::b32, 1, {1, 0, 3, 2, 5, 4, 7, 6}},
      {Swizzle::b128_32b, 1, {2, 3, 0, 1, 6, 7, 4, 5}},
      {Swizzle::b128_32b, 3, {6, 7, 4, 5, 2, 3, 0, 1}},
      {Swizzle::b128_64b, 1, {4, 5, 6, 7, 0, 1, 2, 3}},
  };
  for (const Case& c : kCases) {
    for (int cell = 0; cell < 8; ++cell) {
      const std::uint64_t at = swizzled(c.mode, c.line * 128 + cell * 16);
      BOOST_TEST(at == static_cast<std::uint64_t>(c.line * 128 + c.cells[cell] * 16));
    }
  }
}

BOOST_AUTO_TEST_CASE(flip_swaps_8_byte_halves_on_odd_lines) {
  constexpr std::uint64_t kLine1[] = {0x4A8, 0x4A0, 0x4B8, 0x4B0, 0x488, 0x480, 0x498, 0x490};
  for (std::uint64_t u = 0; u < 8; ++u) {
    BOOST_TEST(swizzled(Swizzle::b128_32b_flip8, 0x400 + 8 * u) == 0x400 + 8 * u);
    BOOST_TEST(swizzled(Swizzle::b128_32b_flip8, 0x480 + 8 * u) == kLine1[u]);
  }
}

BOOST_AUTO_TEST_CASE(base_offset_is_subtracted) {
  // SW64 from P = 0x480: keys by row pair are 1 2 3 0 without, 0 1 2 3 with base offset 1.
  constexpr std::uint32_t kWithout[] = {1, 1, 2, 2, 3, 3, 0, 0}, kWith[] = {0, 0, 1, 1, 2, 2, 3, 3};
  for (std::uint32_t r = 0; r < 8; ++r) {
    BOOST_TEST(swizzle_key(swizzle_row(Swizzle::b64), 0x480 + 64 * r) == kWithout[r]);
    BOOST_TEST(swizzle_key(swizzle_row(Swizzle::b64), 0x480 + 64 * r, 1) == kWith[r]);
  }
}

BOOST_AUTO_TEST_CASE(tables_stand_in_the_order_of_their_enumeration) {
  for (const Swizzle s : kAllSwizzles) BOOST_TEST((swizzle_row(s).mode == s));
  for (const auto& row : spellings(Swizzle{}))
    BOOST_TEST((value_of<Swizzle>(row.name) == row.value));
  BOOST_TEST(!value_of<Swizzle>("128b").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
