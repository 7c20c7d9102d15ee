#include "sim/layout/tmem_transfer.h"

#include <map>
#include <set>
#include <string>

#include "tests/layout/stride_layout.h"
#include "tests/test.h"

using namespace lc;

namespace {

constexpr std::uint32_t kLane = 1u << 16, kColumn = 1;
constexpr TmemShape kShapes[] = {TmemShape::s32x32b, TmemShape::s16x64b, TmemShape::s16x128b,
                                 TmemShape::s16x256b, TmemShape::s16x32bx2};

/// Threads and registers as shapes and strides over cells.
struct Fragment {
  StrideLayout thread, reg;
};

Fragment fragment(TmemShape shape) {
  switch (shape) {
    case TmemShape::s32x32b:
      return {{{32, kLane}}, {{128, kColumn}}};
    case TmemShape::s16x64b:
      return {{{2, 8 * kLane}, {2, kColumn}, {8, kLane}}, {{128, 2 * kColumn}}};
    case TmemShape::s16x128b:
      return {{{4, kColumn}, {8, kLane}}, {{2, 8 * kLane}, {64, 4 * kColumn}}};
    case TmemShape::s16x256b:
      return {{{4, 2 * kColumn}, {8, kLane}}, {{2, kColumn}, {2, 8 * kLane}, {32, 8 * kColumn}}};
    default:
      return {{{16, kLane}, {2, 0}}, {{128, kColumn}}};
  }
}

std::string rules_of(const TmemTransfer& x) {
  std::string ids;
  for (const Finding& f : check_tmem_transfer(x)) {
    if (!ids.empty()) ids += ' ';
    ids += std::string(f.rule.id).substr(5);
  }
  return ids;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tmem_transfer_tests)

BOOST_AUTO_TEST_CASE(fragments_equal_the_stride_layouts) {
  for (const TmemShape shape : kShapes) {
    const Fragment f = fragment(shape);
    for (std::uint32_t t = 0; t < 32; ++t) {
      for (std::uint32_t r = 0; r < 128; ++r) {
        const TmemOffset got = tmem_fragment(shape, t, r);
        BOOST_TEST_REQUIRE(got.lane * kLane + got.column == f.thread(t) + f.reg(r));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(fragment_examples) {
  struct Case {
    TmemShape shape;
    std::uint32_t t, r, lane, column;
  };
  const Case kCases[] = {
      {TmemShape::s16x64b, 0, 1, 0, 2},    {TmemShape::s16x64b, 1, 0, 8, 0},
      {TmemShape::s16x64b, 2, 0, 0, 1},    {TmemShape::s16x64b, 3, 1, 8, 3},
      {TmemShape::s16x64b, 5, 3, 9, 6},    {TmemShape::s16x64b, 17, 2, 12, 4},
      {TmemShape::s16x64b, 31, 3, 15, 7},  {TmemShape::s16x128b, 0, 1, 8, 0},
      {TmemShape::s16x128b, 0, 2, 0, 4},   {TmemShape::s16x128b, 1, 0, 0, 1},
      {TmemShape::s16x128b, 3, 1, 8, 3},   {TmemShape::s16x128b, 5, 3, 9, 5},
      {TmemShape::s16x128b, 17, 2, 4, 5},  {TmemShape::s16x128b, 31, 3, 15, 7},
      {TmemShape::s16x256b, 0, 1, 0, 1},   {TmemShape::s16x256b, 0, 2, 8, 0},
      {TmemShape::s16x256b, 1, 0, 0, 2},   {TmemShape::s16x256b, 3, 1, 0, 7},
      {TmemShape::s16x256b, 5, 3, 9, 3},   {TmemShape::s16x256b, 17, 2, 12, 2},
      {TmemShape::s16x256b, 31, 3, 15, 7},
  };
  for (const Case& c : kCases) {
    BOOST_TEST((tmem_fragment(c.shape, c.t, c.r) == TmemOffset{c.lane, c.column}));
  }
  const TmemTransfer split{TmemShape::s16x32bx2, 4, false, 4};
  BOOST_TEST((tmem_cell(split, 0, 3) == TmemOffset{0, 3}));
  BOOST_TEST((tmem_cell(split, 17, 2) == TmemOffset{1, 6}));
  BOOST_TEST((tmem_cell(split, 31, 3) == TmemOffset{15, 7}));
}

BOOST_AUTO_TEST_CASE(every_transfer_fills_its_rectangle_once) {
  for (const TmemShape shape : kShapes) {
    const TmemShapeRow row = tmem_shape_row(shape);
    for (std::uint32_t num = 1; num <= row.max_num; num *= 2) {
      for (const bool pack : {false, true}) {
        const std::uint32_t columns = row.columns * num * (pack ? 2 : 1);
        const bool two = shape == TmemShape::s16x32bx2;
        const TmemTransfer x{shape, num, pack, two ? columns : 0};
        std::set<std::pair<std::uint32_t, std::uint32_t>> cells;
        for (std::uint32_t t = 0; t < 32; ++t) {
          for (std::uint32_t r = 0; r < x.registers(); ++r) {
            for (std::uint32_t half = 0; half < x.halves(); ++half) {
              const TmemOffset cell = tmem_cell(x, t, r, half);
              BOOST_TEST_REQUIRE(cell.lane < row.lanes);
              BOOST_TEST_REQUIRE(cell.column < columns * (two ? 2 : 1));
              cells.emplace(cell.lane, cell.column);
            }
          }
        }
        BOOST_TEST(cells.size() == std::size_t{row.lanes} * columns * (two ? 2 : 1));
        BOOST_TEST(rules_of(x) == "");
        BOOST_TEST(x.registers() <= 128u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(pack_takes_two_adjacent_columns) {
  const TmemTransfer x{TmemShape::s16x256b, 2, true};
  for (std::uint32_t t = 0; t < 32; ++t) {
    for (std::uint32_t r = 0; r < x.registers(); ++r) {
      const TmemOffset plain = tmem_fragment(x.shape, t, r);
      BOOST_TEST((tmem_cell(x, t, r, 0) == TmemOffset{plain.lane, 2 * plain.column}));
      BOOST_TEST((tmem_cell(x, t, r, 1) == TmemOffset{plain.lane, 2 * plain.column + 1}));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_warp_says_the_sub_partition_and_the_split_may_change_lanes) {
  TmemTransfer x{TmemShape::s32x32b, 1, false, 0, 7, 6};
  BOOST_TEST((tmem_cell(x, 3, 0) == TmemOffset{67, 7}));
  x.address = 64u << 16 | 7;
  BOOST_TEST((tmem_cell(x, 3, 0) == TmemOffset{67, 7}));
  BOOST_TEST(rules_of(x) == "");
  x.address = 32u << 16 | 7;
  BOOST_TEST((tmem_cell(x, 3, 0) == TmemOffset{67, 7}));
  BOOST_TEST(rules_of(x) == "sub-partition");
  TmemTransfer split{TmemShape::s16x32bx2, 2, false, 16u << 16};
  BOOST_TEST((tmem_cell(split, 16, 1) == TmemOffset{16, 1}));
  BOOST_TEST(rules_of(split) == "");
  // A negative offset from a base further on.
  split = {TmemShape::s16x32bx2, 2, false, 0xFFFFFFF8, 16};
  BOOST_TEST((tmem_cell(split, 16, 1) == TmemOffset{0, 9}));
  BOOST_TEST(rules_of(split) == "");
}

BOOST_AUTO_TEST_CASE(rules) {
  using S = TmemShape;
  BOOST_TEST(rules_of({S::s32x32b, 128}) == "");
  BOOST_TEST(rules_of({S::s32x32b, 0}) == "num");
  BOOST_TEST(rules_of({S::s32x32b, 3}) == "num");
  BOOST_TEST(rules_of({S::s32x32b, 256}) == "num");
  BOOST_TEST(rules_of({S::s16x128b, 128}) == "num");
  BOOST_TEST(rules_of({S::s16x256b, 64}) == "num");
  BOOST_TEST(rules_of({S::s16x256b, 0x80000000}) == "num");
  BOOST_TEST(rules_of({S::s16x64b, 1, false, 4}) == "split-shape");
  BOOST_TEST(rules_of({S::s16x32bx2, 4, false, 3}) == "split-overlap");
  BOOST_TEST(rules_of({S::s16x32bx2, 4, true, 4}) == "split-overlap");
  BOOST_TEST(rules_of({S::s16x32bx2, 4, false, 0}) == "split-overlap");
  BOOST_TEST(rules_of({S::s16x32bx2, 4, false, 4}) == "");
  BOOST_TEST(rules_of({S::s16x32bx2, 4, false, 509}) == "transfer-columns");
  BOOST_TEST(rules_of({S::s16x32bx2, 4, false, 17u << 16}) == "transfer-lanes");
  BOOST_TEST(rules_of({S::s16x32bx2, 4, false, 8u << 16}) == "transfer-base-16");
  BOOST_TEST(rules_of({S::s32x32b, 128, false, 0, 384}) == "");
  BOOST_TEST(rules_of({S::s32x32b, 128, false, 0, 385}) == "transfer-columns");
  BOOST_TEST(rules_of({S::s32x32b, 1, false, 0, 16u << 16}) == "transfer-base");
  BOOST_TEST(rules_of({S::s16x64b, 1, false, 0, 16u << 16}) == "");
}

BOOST_AUTO_TEST_CASE(copies_reach_every_lane_they_should) {
  const std::map<TmemCopyShape, std::string> kFirst = {
      {TmemCopyShape::c128x256b, "0"},         {TmemCopyShape::c128x128b, "0"},
      {TmemCopyShape::c4x256b, "0"},           {TmemCopyShape::c64x128b_02_13, "0 64"},
      {TmemCopyShape::c64x128b_01_23, "0 32"}, {TmemCopyShape::c32x128b, "0 32 64 96"}};
  for (const auto& [shape, want] : kFirst) {
    const TmemCopyRow row = tmem_copy_row(shape);
    BOOST_TEST((row.shape == shape));
    std::set<std::uint32_t> lanes;
    std::string first;
    for (std::uint32_t r = 0; r < row.rows; ++r) {
      for (std::uint32_t copy = 0; copy < row.copies; ++copy) {
        const std::uint32_t lane = tmem_copy_lane(shape, r, copy);
        BOOST_TEST_REQUIRE(lane < kTmemLanes);
        BOOST_TEST_REQUIRE(lanes.insert(lane).second);
        if (r != 0) continue;
        if (!first.empty()) first += ' ';
        first += std::to_string(lane);
      }
    }
    BOOST_TEST(first == want);
    BOOST_TEST(lanes.size() == row.rows * row.copies);
    BOOST_TEST(tmem_copy_column(row.bytes - 1) + 1 == row.bytes / 4);
  }
  BOOST_TEST(tmem_copy_lane(TmemCopyShape::c64x128b_01_23, 33, 1) == 97u);
  BOOST_TEST(tmem_copy_lane(TmemCopyShape::c64x128b_02_13, 33, 1) == 97u);
  BOOST_TEST(tmem_copy_lane(TmemCopyShape::c4x256b, 3, 0) == 96u);
}

BOOST_AUTO_TEST_CASE(decompression_leaves_codes_inside_their_byte) {
  for (const auto format :
       {TmemDecompression::none, TmemDecompression::b6x16_p32, TmemDecompression::b4x16_p64}) {
    const TmemUnpacking u = tmem_unpacking(format);
    BOOST_TEST(u.bits + u.shift <= 8u);
    BOOST_TEST(u.bits * 16 <= 128u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
