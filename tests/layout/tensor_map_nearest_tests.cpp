#include "sim/layout/tensor_map_nearest.h"

#include <random>

#include "tests/layout/tensor_map_golden.h"
#include "tests/test.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(tensor_map_nearest_tests)

namespace {

void check_repair(const TensorMap& map, Arch arch) {
  const TensorMap legal = nearest_legal_tensor_map(map, arch);
  BOOST_TEST_REQUIRE(is_accepted(legal, arch));
  BOOST_TEST_REQUIRE((nearest_legal_tensor_map(legal, arch) == legal));
  const TensorMapChanges changes = tensor_map_changes(map, legal);
  BOOST_TEST_REQUIRE((changes.count == 0) == is_accepted(map, arch));
  for (const TensorMapChange& change : changes) BOOST_TEST_REQUIRE(change.from != change.to);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_captured_call_has_an_accepted_neighbour) {
  const golden::Table table = golden::load("h200/tmap_tiled");
  golden::for_each_row(table, [&](const golden::Row& row) {
    const TensorMap map = golden::tensor_map(row, row.unsigned_number("addr"));
    BOOST_TEST_CONTEXT("record " << row.id()) {
      check_repair(map, Arch::sm_90);
      check_repair(map, Arch::sm_100);
    }
  });
}

BOOST_AUTO_TEST_CASE(any_numbers_at_all_have_an_accepted_neighbour) {
  std::mt19937_64 random(20);
  // Widths differ so that small, large and absurd values all occur.
  const auto number = [&] { return random() >> random() % 64; };
  for (int n = 0; n < 20000; ++n) {
    TensorMap map;
    map.data_type = enumerator_of<DataType>(random() % 18);
    map.rank = static_cast<int>(random() % 8);
    map.global_address = number();
    for (int i = 0; i < kMaxRank; ++i) {
      map.global_dim[i] = number();
      map.global_stride[i] = number();
      map.box_dim[i] = random() % 3 != 0 ? random() % 300 : number();
      map.element_stride[i] = random() % 10;
    }
    map.interleave = enumerator_of<Interleave>(random() % 4);
    map.swizzle = enumerator_of<Swizzle>(random() % 8);
    map.l2_promotion = enumerator_of<L2Promotion>(random() % 5);
    map.oob_fill = enumerator_of<OobFill>(random() % 3);
    BOOST_TEST_CONTEXT("map " << n) {
      check_repair(map, Arch::sm_90);
      check_repair(map, Arch::sm_100);
    }
  }
}

BOOST_AUTO_TEST_CASE(changes_are_as_small_as_the_rule_allows) {
  TensorMap map;
  map.data_type = DataType::f32;
  map.rank = 2;
  map.global_address = 0x10000000;
  map.global_dim = {130, 56};
  map.global_stride = {520};
  map.box_dim = {130, 1};
  const TensorMap legal = nearest_legal_tensor_map(map, Arch::sm_90);
  BOOST_TEST(legal.global_stride[0] == 528u);
  BOOST_TEST(legal.box_dim[0] == 132u);
  BOOST_TEST(tensor_map_changes(map, legal).count == 2u);

  TensorMap narrow;
  narrow.data_type = DataType::f16;
  narrow.rank = 2;
  narrow.global_address = 0x10000000;
  narrow.global_dim = {96, 64};
  narrow.global_stride = {192};
  narrow.box_dim = {48, 8};
  narrow.swizzle = Swizzle::b32;
  BOOST_TEST((nearest_legal_tensor_map(narrow, Arch::sm_90).swizzle == Swizzle::b128));
  narrow.box_dim[0] = 24;
  BOOST_TEST((nearest_legal_tensor_map(narrow, Arch::sm_90).swizzle == Swizzle::b64));
  narrow.swizzle = Swizzle::b128;
  narrow.box_dim[0] = 128;
  BOOST_TEST(nearest_legal_tensor_map(narrow, Arch::sm_90).box_dim[0] == 64u);
  narrow.box_dim = {64, 512};
  BOOST_TEST(nearest_legal_tensor_map(narrow, Arch::sm_90).box_dim[1] == 256u);
}

BOOST_AUTO_TEST_CASE(packed_types_become_bytes_on_sm_90) {
  TensorMap map;
  map.data_type = DataType::u4x16_align8b;
  map.rank = 2;
  map.global_address = 0x10000000;
  map.global_dim = {256, 128};
  map.global_stride = {128};
  map.box_dim = {128, 64};
  map.swizzle = Swizzle::b64;
  const TensorMap bytes = nearest_legal_tensor_map(map, Arch::sm_90);
  BOOST_TEST((bytes.data_type == DataType::u8));
  BOOST_TEST(bytes.global_dim[0] == 128u);
  BOOST_TEST(bytes.box_dim[0] == 64u);
}

BOOST_AUTO_TEST_SUITE_END()
