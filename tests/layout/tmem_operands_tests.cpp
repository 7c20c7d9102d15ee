#include "sim/layout/tmem_operands.h"

#include <set>
#include <string>
#include <tuple>

#include "tests/layout/stride_layout.h"
#include "tests/test.h"

using namespace lc;

namespace {

std::string rules_of(const Findings& found) {
  std::string ids;
  for (const Finding& f : found) {
    if (!ids.empty()) ids += ' ';
    ids += std::string(f.rule.id).substr(5);
  }
  return ids;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tmem_operands_tests)

BOOST_AUTO_TEST_CASE(a_examples) {
  const DLayoutRow d = d_layout_row(DLayout::d), f = d_layout_row(DLayout::f);
  BOOST_TEST((a_bits(d, 16, 0, 1, 0) == TmemBits{0, 0, 0, 16}));
  BOOST_TEST((a_bits(d, 16, 17, 3, 0) == TmemBits{0, 17, 1, 16}));
  BOOST_TEST((a_bits(d, 16, 127, 15, 0) == TmemBits{0, 127, 7, 16}));
  BOOST_TEST((a_bits(f, 16, 16, 0, 0) == TmemBits{0, 32, 0, 0}));
  BOOST_TEST((a_bits(f, 16, 63, 15, 0) == TmemBits{0, 111, 7, 16}));
  BOOST_TEST((a_bits(d, 32, 17, 3, 0) == TmemBits{0, 17, 3, 0}));
  BOOST_TEST((a_bits(d, 16, 0, 16, 0) == TmemBits{0, 0, 8, 0}));
  BOOST_TEST((a_bits(d, 4, 0, 1, 0) == TmemBits{0, 0, 0, 4}));
  const DLayoutRow b = d_layout_row(DLayout::b);
  BOOST_TEST((a_bits(b, 16, 70, 0, 0) == TmemBits{1, 6, 0, 0}));
  BOOST_TEST((a_bits(b, 16, 70, 0, 1) == TmemBits{1, 70, 0, 0}));
}

BOOST_AUTO_TEST_CASE(one_instruction_of_a_fills_eight_columns) {
  for (std::size_t i = 0; i < kMmaKindCount; ++i) {
    const auto kind = static_cast<MmaKind>(i);
    const std::uint32_t bits = mma_kind_row(kind).container_bits, k_total = mma_k(kind, false);
    for (std::size_t j = 0; j < kDLayoutCount; ++j) {
      const DLayoutRow row = d_layout_row(static_cast<DLayout>(j));
      std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> places;
      for (std::uint32_t m = 0; m < row.m; ++m) {
        for (std::uint32_t k = 0; k < k_total; ++k) {
          for (std::uint32_t copy = 0; copy < a_copies(row); ++copy) {
            const TmemBits at = a_bits(row, bits, m, k, copy);
            BOOST_TEST_REQUIRE((at.lane < kTmemLanes && at.column < 8 && at.bit + bits <= 32));
            places.emplace(at.cta, at.lane, at.column, at.bit);
          }
        }
      }
      BOOST_TEST(places.size() == std::size_t{row.m} * k_total * a_copies(row));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_stands_under_every_column_of_d_that_needs_it) {
  // For each output D(m, n) there is a copy of row m of A in the same lane.
  for (std::size_t j = 0; j < kDLayoutCount; ++j) {
    const DLayoutRow row = d_layout_row(static_cast<DLayout>(j));
    for (std::uint32_t m = 0; m < row.m; ++m) {
      for (std::uint32_t n = 0; n < 64; ++n) {
        const TmemCell d = d_cell(row, 64, m, n);
        std::uint32_t found = 0;
        for (std::uint32_t copy = 0; copy < a_copies(row); ++copy) {
          const TmemBits a = a_bits(row, 16, m, 0, copy);
          found += a.lane == d.lane && a.cta == d.cta;
        }
        BOOST_TEST_REQUIRE(found == 1u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_rules) {
  using K = MmaKind;
  BOOST_TEST(rules_of(check_a_tile(K::f16, 128, 64, 1, false, false)) == "");
  BOOST_TEST(rules_of(check_a_tile(K::f16, 128, 8, 1, false, false)) == "a-k-step");
  BOOST_TEST(rules_of(check_a_tile(K::f16, 128, 0, 1, false, false)) == "a-k-step");
  BOOST_TEST(rules_of(check_a_tile(K::f16, 128, 1024, 1, false, false)) == "");
  BOOST_TEST(rules_of(check_a_tile(K::f16, 128, 1040, 1, false, false)) == "a-columns");
  BOOST_TEST(rules_of(check_a_tile(K::tf32, 128, 0xFFFFFFF8, 1, false, false)) == "a-columns");
  BOOST_TEST(rules_of(check_a_tile(K::f16, 96, 16, 1, false, false)) == "m");
  BOOST_TEST(rules_of(check_a_tile(K::mxf4, 64, 64, 1, false, false)) == "a-m-kind");
  BOOST_TEST(rules_of(check_a_tile(K::mxf4, 128, 64, 2, false, false)) == "");
  BOOST_TEST(rules_of(check_a_tile(K::mxf8f6f4, 128, 32, 2, false, true))
                 .starts_with("layout-c a-m-kind"));
  BOOST_TEST(rules_of(check_a_tile(K::f16, 64, 16, 1, true, false)) == "a-ws-copies");
  BOOST_TEST(rules_of(check_a_tile(K::f16, 64, 16, 1, false, false, 16)) == "");
  BOOST_TEST(rules_of(check_a_tile(K::f16, 128, 16, 1, false, false, 16)) == "lane-base");
}

BOOST_AUTO_TEST_CASE(scale_factors_of_128_rows_fill_four_columns) {
  // Written as CuTe strides: row (32 lanes, 4 columns), factor (4 bytes), copy (4 x 32 lanes).
  constexpr std::uint32_t kLane = 1u << 16, kColumn = 1u << 4, kByte = 1;
  const StrideLayout rows{{32, kLane}, {8, kColumn}}, factors{{4, kByte}, {64, 4 * kColumn}},
      factors_256{{4, kByte}, {64, 8 * kColumn}}, copies{{4, 32 * kLane}};
  for (const std::uint32_t mn_total : {8u, 32u, 64u, 128u, 192u, 256u}) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t mn = 0; mn < mn_total; ++mn) {
      for (std::uint32_t block = 0; block < 16; ++block) {
        for (std::uint32_t copy = 0; copy < 4; ++copy) {
          const TmemByte at = scale_byte(ScaleSpread::four_by_one, mn_total, mn, block, copy);
          const std::uint32_t place = at.lane * kLane + at.column * kColumn + at.byte * kByte;
          const StrideLayout& f = mn_total > 128 ? factors_256 : factors;
          BOOST_TEST_REQUIRE(place == rows(mn) + f(block) + copies(copy));
          BOOST_TEST_REQUIRE(seen.insert(place).second);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(scale_factors_of_layout_b) {
  using S = ScaleSpread;
  BOOST_TEST((scale_byte(S::two_by_two, 128, 0, 0, 1) == TmemByte{32, 0, 0}));
  BOOST_TEST((scale_byte(S::two_by_two, 128, 64, 0, 0) == TmemByte{64, 0, 0}));
  BOOST_TEST((scale_byte(S::two_by_two, 128, 100, 3, 1) == TmemByte{100, 1, 3}));
  for (const std::uint32_t n_total : {16u, 64u, 128u, 256u}) {
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    for (std::uint32_t n = 0; n < n_total; ++n) {
      for (std::uint32_t block = 0; block < 8; ++block) {
        for (std::uint32_t copy = 0; copy < scale_copies(S::two_by_two); ++copy) {
          const TmemByte at = scale_byte(S::two_by_two, n_total, n, block, copy);
          BOOST_TEST_REQUIRE(at.lane < kTmemLanes);
          BOOST_TEST_REQUIRE(seen.emplace(at.lane, at.column, at.byte).second);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(scale_rules) {
  using K = MmaKind;
  using T = ScaleType;
  const auto rules = [](K kind, T type, std::uint32_t mn, std::uint32_t k,
                        ScaleSpread spread = ScaleSpread::four_by_one) {
    return rules_of(check_scale_tile(kind, type, scale_block(kind, type), spread, mn, k));
  };
  BOOST_TEST(scale_block(K::mxf8f6f4, T::ue8m0) == 32u);
  BOOST_TEST(scale_block(K::mxf4, T::ue8m0) == 32u);
  BOOST_TEST(scale_block(K::mxf4nvf4, T::ue8m0) == 32u);
  BOOST_TEST(scale_block(K::mxf4nvf4, T::ue4m3) == 16u);
  BOOST_TEST(rules(K::mxf8f6f4, T::ue8m0, 128, 128) == "");
  BOOST_TEST(rules(K::mxf4nvf4, T::ue4m3, 256, 64) == "");
  BOOST_TEST(rules(K::mxf4nvf4, T::ue8m0, 128, 64) == "sf-vector-size");
  BOOST_TEST(rules(K::f16, T::ue8m0, 128, 64) == "sf-kind");
  BOOST_TEST(rules(K::mxf4, T::ue4m3, 128, 64) == "sf-type");
  BOOST_TEST(rules(K::mxf4, T::ue8m0, 0, 64) == "sf-rows");
  BOOST_TEST(rules(K::mxf4, T::ue8m0, 257, 64) == "sf-rows");
  BOOST_TEST(rules(K::mxf4, T::ue8m0, 128, 96) == "sf-k-step");
  BOOST_TEST(rules(K::mxf8f6f4, T::ue8m0, 128, 16384) == "");
  BOOST_TEST(rules(K::mxf8f6f4, T::ue8m0, 128, 16416) == "sf-columns");
  BOOST_TEST(rules(K::mxf8f6f4, T::ue8m0, 256, 0xFFFFFFE0) == "sf-columns");
  BOOST_TEST(rules(K::mxf4, T::ue8m0, 17, 64, ScaleSpread::two_by_two) == "sf-halves");
}

BOOST_AUTO_TEST_SUITE_END()
