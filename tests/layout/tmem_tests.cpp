#include "sim/layout/tmem.h"

#include <array>
#include <set>
#include <string>

#include "tests/layout/stride_layout.h"
#include "tests/test.h"

using namespace lc;

namespace {

constexpr std::uint32_t kLane = 1u << 16, kColumn = 1, kCta = 1u << 24;

std::uint32_t address(const TmemCell& c) {
  return c.cta * kCta + c.lane * kLane + c.column;
}

/// The seven layouts as CuTe writes them: shapes and strides over (m, n).
struct Strided {
  DLayout layout;
  StrideLayout m;
  StrideLayout n(std::uint32_t n_total) const {
    switch (layout) {
      case DLayout::b:
      case DLayout::e:
        return {{n_total / 2, kColumn}, {2, 64 * kLane}};
      case DLayout::g:
        return {{n_total / 4, kColumn}, {4, 32 * kLane}};
      default:
        return {{n_total, kColumn}};
    }
  }
};

const Strided kStrided[] = {
    {DLayout::a, {{128, kLane}, {2, kCta}}},
    {DLayout::b, {{64, kLane}, {2, kCta}}},
    {DLayout::c, {{16, kLane}, {4, 32 * kLane}, {2, kCta}}},
    {DLayout::d, {{128, kLane}}},
    {DLayout::e, {{64, kLane}}},
    {DLayout::f, {{16, kLane}, {4, 32 * kLane}}},
    {DLayout::g, {{32, kLane}}},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tmem_tests)

BOOST_AUTO_TEST_CASE(equals_the_stride_layouts_and_hits_every_cell_once) {
  for (const Strided& strided : kStrided) {
    const DLayoutRow row = d_layout_row(strided.layout);
    BOOST_TEST((row.layout == strided.layout));
    for (const std::uint32_t n_total : {64u, 128u, 256u}) {
      std::set<std::uint32_t> cells;
      const StrideLayout along_n = strided.n(n_total);
      for (std::uint32_t m = 0; m < row.m; ++m) {
        for (std::uint32_t n = 0; n < n_total; ++n) {
          const TmemCell cell = d_cell(row, n_total, m, n);
          BOOST_TEST_REQUIRE(address(cell) == strided.m(m) + along_n(n));
          BOOST_TEST_REQUIRE((cell.lane < kTmemLanes && cell.column < d_columns(row, n_total)));
          cells.insert(address(cell));
        }
      }
      BOOST_TEST(cells.size() == std::size_t{row.m} * n_total);
    }
  }
}

BOOST_AUTO_TEST_CASE(examples_with_64_columns) {
  struct Case {
    DLayout layout;
    std::uint32_t m, n, lane, column;
  };
  const Case kCases[] = {
      {DLayout::d, 17, 3, 17, 3},    {DLayout::d, 127, 63, 127, 63}, {DLayout::f, 15, 0, 15, 0},
      {DLayout::f, 16, 0, 32, 0},    {DLayout::f, 17, 3, 33, 3},     {DLayout::f, 31, 7, 47, 7},
      {DLayout::f, 63, 63, 111, 63}, {DLayout::e, 0, 31, 0, 31},     {DLayout::e, 0, 32, 64, 0},
      {DLayout::e, 5, 63, 69, 31},   {DLayout::e, 63, 63, 127, 31},  {DLayout::b, 5, 63, 69, 31},
      {DLayout::g, 0, 31, 32, 15},   {DLayout::g, 0, 32, 64, 0},     {DLayout::g, 5, 63, 101, 15},
      {DLayout::g, 31, 63, 127, 15},
  };
  for (const Case& c : kCases) {
    BOOST_TEST((d_cell(d_layout_row(c.layout), 64, c.m, c.n) == TmemCell{0, c.lane, c.column}));
  }
  BOOST_TEST((d_cell(d_layout_row(DLayout::a), 64, 130, 3) == TmemCell{1, 2, 3}));
  BOOST_TEST((d_cell(d_layout_row(DLayout::b), 64, 64, 32) == TmemCell{1, 64, 0}));
  BOOST_TEST((d_cell(d_layout_row(DLayout::f), 64, 16, 0, 16) == TmemCell{0, 48, 0}));
}

BOOST_AUTO_TEST_CASE(two_half_lane_tiles_share_columns) {
  std::set<std::uint32_t> cells;
  for (const std::uint32_t base : {0u, 16u}) {
    for (std::uint32_t m = 0; m < 64; ++m) {
      cells.insert(d_cell(d_layout_row(DLayout::f), 8, m, 0, base).lane);
    }
  }
  BOOST_TEST(cells.size() == 128u);
}

BOOST_AUTO_TEST_CASE(the_shape_names_the_layout) {
  const auto name = [](std::uint32_t m, std::uint32_t cta, bool ws, bool sparse) {
    const auto layout = find_d_layout(m, cta, ws, sparse);
    return std::string(layout ? d_layout_row(*layout).name : "-");
  };
  std::string all;
  for (const std::uint32_t m : {32u, 64u, 128u, 256u}) {
    for (const std::uint32_t cta : {1u, 2u}) {
      for (const bool ws : {false, true}) {
        for (const bool sparse : {false, true}) all += name(m, cta, ws, sparse);
      }
    }
  }
  BOOST_TEST(all ==
             "--GG----"
             "FFEE----"
             "DDDDBC--"
             "----AA--");
}

BOOST_AUTO_TEST_CASE(rules) {
  const auto rule = [](std::uint32_t m, std::uint32_t n, std::uint32_t cta, bool ws, bool sparse,
                       std::uint32_t base = 0) {
    const Findings found = check_d_tile(m, n, cta, ws, sparse, base);
    return found.count == 0 ? std::string() : std::string(found.items[0].rule.id);
  };
  BOOST_TEST(rule(128, 256, 1, false, false) == "");
  BOOST_TEST(rule(64, 8, 1, false, true, 16) == "");
  BOOST_TEST(rule(64, 8, 1, false, false, 8) == "tmem.lane-base");
  BOOST_TEST(rule(128, 8, 1, false, false, 16) == "tmem.lane-base");
  BOOST_TEST(rule(128, 8, 3, false, false) == "tmem.cta-group");
  BOOST_TEST(rule(128, 64, 2, true, false) == "tmem.ws-pair");
  BOOST_TEST(rule(32, 64, 1, false, false) == "tmem.m");
  BOOST_TEST(rule(32, 64, 1, true, false) == "");
  BOOST_TEST(rule(32, 96, 1, true, false) == "tmem.n");
  BOOST_TEST(rule(32, 256, 1, true, true) == "tmem.n");
  BOOST_TEST(rule(256, 8, 2, false, false) == "tmem.n");
  BOOST_TEST(rule(256, 16, 2, false, false) == "");
  BOOST_TEST(rule(128, 0, 1, false, false) == "tmem.n");
  BOOST_TEST(rule(128, 0xFFFFFFF8, 1, false, false) == "tmem.n");
  BOOST_TEST(rule(128, 64, 2, false, true) == "tmem.layout-c");
  BOOST_TEST(!check_d_tile(128, 64, 2, false, true).has_error());
}

BOOST_AUTO_TEST_SUITE_END()
