#include "sim/layout/tensor_map_rules.h"

#include <set>
#include <string>

#include "tests/layout/tensor_map_golden.h"
#include "tests/test.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(tensor_map_rules_tests)

namespace {

TensorMap plain_map() {
  TensorMap map;
  map.data_type = DataType::f16;
  map.rank = 3;
  map.global_address = 0x10000000;
  map.global_dim = {256, 64, 8};
  map.global_stride = {512, 32768};
  map.box_dim = {64, 8, 2};
  map.swizzle = Swizzle::b128;
  return map;
}

TensorMap padded_map() {
  TensorMap map = plain_map();
  map.data_type = DataType::u6x16_align16b;
  map.global_dim = {256, 64, 8};
  map.global_stride = {192, 12288};
  map.box_dim = {128, 8, 2};
  return map;
}

bool broken(const TensorMap& map, TensorMapRule key, Arch arch = Arch::sm_90) {
  for (const Finding& finding : check_tensor_map(map, arch)) {
    if (std::string(finding.rule.id) == rule_of(key).id) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(agrees_with_every_call_captured_on_an_h200) {
  const golden::Table table = golden::load("h200/tmap_tiled");
  std::size_t accepted = 0;
  golden::for_each_row(table, [&](const golden::Row& row) {
    const TensorMap map = golden::tensor_map(row, row.unsigned_number("addr"));
    BOOST_TEST_CONTEXT("record " << row.id()) {
      BOOST_TEST_REQUIRE(is_accepted(map, Arch::sm_90) == (row.number("result") == 0));
    }
    accepted += is_accepted(map, Arch::sm_90);
  });
  BOOST_TEST(table.rows.size() == 6291u);
  BOOST_TEST(accepted == 2841u);
}

BOOST_AUTO_TEST_CASE(rules_stand_in_the_order_of_their_enumeration_and_have_ids_of_their_own) {
  std::set<std::string> ids;
  int i = 0;
  for (const TensorMapRuleRow& row : kTensorMapRules) {
    BOOST_TEST((static_cast<int>(row.key) == i++));
    BOOST_TEST(ids.insert(row.rule.id).second);
  }
  BOOST_TEST((static_cast<int>(TensorMapRule::oob_fill_type) == i - 1));
}

// One change of an accepted map that breaks a rule, and one close by that keeps it.
BOOST_AUTO_TEST_CASE(each_rule_is_broken_by_one_change_and_kept_by_its_neighbour) {
  struct Case {
    TensorMapRule rule;
    void (*break_it)(TensorMap&);
    void (*keep_it)(TensorMap&);
  };
  static constexpr Case kCases[] = {
      {TensorMapRule::data_type, [](TensorMap& m) { m.data_type = enumerator_of<DataType>(16); },
       [](TensorMap& m) { m.data_type = DataType::s64, m.box_dim[0] = 16; }},
      {TensorMapRule::packed_arch, [](TensorMap& m) { m.data_type = DataType::u4x16_align8b; },
       [](TensorMap&) {}},
      {TensorMapRule::rank, [](TensorMap& m) { m.rank = 0; }, [](TensorMap& m) { m.rank = 1; }},
      {TensorMapRule::rank, [](TensorMap& m) { m.rank = 6; }, [](TensorMap& m) { m.rank = 2; }},
      {TensorMapRule::rank_interleaved,
       [](TensorMap& m) { m.interleave = Interleave::b16, m.rank = 2; },
       [](TensorMap& m) { m.interleave = Interleave::b16; }},
      {TensorMapRule::address_alignment, [](TensorMap& m) { m.global_address += 8; },
       [](TensorMap& m) { m.global_address += 16; }},
      {TensorMapRule::address_alignment,
       [](TensorMap& m) { m.global_address += 16, m.interleave = Interleave::b32; },
       [](TensorMap& m) { m.global_address += 32, m.interleave = Interleave::b32; }},
      {TensorMapRule::address_range, [](TensorMap& m) { m.global_address = kMaxGlobalAddress; },
       [](TensorMap& m) { m.global_address = kMaxGlobalAddress - 16; }},
      {TensorMapRule::address_null, [](TensorMap& m) { m.global_address = 0; },
       [](TensorMap& m) { m.global_address = 16; }},
      {TensorMapRule::dim_range, [](TensorMap& m) { m.global_dim[2] = 0; },
       [](TensorMap& m) { m.global_dim[2] = 1; }},
      {TensorMapRule::dim_range, [](TensorMap& m) { m.global_dim[2] = kMaxGlobalDim + 1; },
       [](TensorMap& m) { m.global_dim[2] = kMaxGlobalDim; }},
      {TensorMapRule::stride_alignment, [](TensorMap& m) { m.global_stride[0] = 520; },
       [](TensorMap& m) { m.global_stride[0] = 528; }},
      {TensorMapRule::stride_alignment,
       [](TensorMap& m) { m.global_stride[0] = 528, m.interleave = Interleave::b32; },
       [](TensorMap& m) { m.global_stride[0] = 544, m.interleave = Interleave::b32; }},
      {TensorMapRule::stride_range, [](TensorMap& m) { m.global_stride[1] = kMaxGlobalStride; },
       [](TensorMap& m) { m.global_stride[1] = kMaxGlobalStride - 16; }},
      {TensorMapRule::stride_overlap, [](TensorMap& m) { m.global_stride[0] = 496; },
       [](TensorMap& m) { m.global_stride[0] = 512; }},
      {TensorMapRule::box_range, [](TensorMap& m) { m.box_dim[1] = 0; },
       [](TensorMap& m) { m.box_dim[1] = 1; }},
      {TensorMapRule::box_range, [](TensorMap& m) { m.box_dim[1] = 257; },
       [](TensorMap& m) { m.box_dim[1] = 256; }},
      {TensorMapRule::box_bytes, [](TensorMap& m) { m.box_dim[0] = 4; },
       [](TensorMap& m) { m.box_dim[0] = 8; }},
      {TensorMapRule::box_bytes,
       [](TensorMap& m) { m.box_dim[0] = 4, m.interleave = Interleave::b16; },
       [](TensorMap& m) { m.box_dim[0] = 8, m.interleave = Interleave::b16; }},
      {TensorMapRule::box_span, [](TensorMap& m) { m.box_dim[0] = 72; },
       [](TensorMap& m) { m.box_dim[0] = 48; }},
      {TensorMapRule::box_span, [](TensorMap& m) { m.box_dim[0] = 128; },
       [](TensorMap& m) { m.box_dim[0] = 128, m.interleave = Interleave::b16; }},
      {TensorMapRule::box_size,
       [](TensorMap& m) {
         m.box_dim = {64, 256, 8};
       },
       [](TensorMap& m) {
         m.box_dim = {64, 256, 7};
       }},
      {TensorMapRule::element_stride_range, [](TensorMap& m) { m.element_stride[0] = 9; },
       [](TensorMap& m) { m.element_stride[0] = 8; }},
      {TensorMapRule::element_stride_range, [](TensorMap& m) { m.element_stride[2] = 0; },
       [](TensorMap& m) { m.element_stride[2] = 1; }},
      {TensorMapRule::element_stride_unused, [](TensorMap& m) { m.element_stride[0] = 2; },
       [](TensorMap& m) { m.element_stride[0] = 2, m.interleave = Interleave::b16; }},
      {TensorMapRule::interleave, [](TensorMap& m) { m.interleave = enumerator_of<Interleave>(3); },
       [](TensorMap& m) { m.interleave = Interleave::b32; }},
      {TensorMapRule::interleave_swizzle, [](TensorMap& m) { m.interleave = Interleave::b32; },
       [](TensorMap& m) { m.interleave = Interleave::b32, m.swizzle = Swizzle::b32; }},
      {TensorMapRule::swizzle, [](TensorMap& m) { m.swizzle = enumerator_of<Swizzle>(7); },
       [](TensorMap& m) { m.swizzle = Swizzle::none; }},
      {TensorMapRule::swizzle_arch, [](TensorMap& m) { m.swizzle = Swizzle::b128_32b; },
       [](TensorMap& m) { m.swizzle = Swizzle::b128; }},
      {TensorMapRule::l2_promotion,
       [](TensorMap& m) { m.l2_promotion = enumerator_of<L2Promotion>(4); },
       [](TensorMap& m) { m.l2_promotion = L2Promotion::b256; }},
      {TensorMapRule::oob_fill, [](TensorMap& m) { m.oob_fill = enumerator_of<OobFill>(2); },
       [](TensorMap& m) { m.oob_fill = OobFill::nan; }},
      {TensorMapRule::oob_fill_type,
       [](TensorMap& m) { m.oob_fill = OobFill::nan, m.data_type = DataType::u16; },
       [](TensorMap& m) { m.oob_fill = OobFill::nan, m.data_type = DataType::bf16; }},
  };
  std::set<TensorMapRule> seen;
  for (const Case& c : kCases) {
    TensorMap bad = plain_map(), good = plain_map();
    c.break_it(bad);
    c.keep_it(good);
    BOOST_TEST_CONTEXT(rule_of(c.rule).id) {
      BOOST_TEST(broken(bad, c.rule));
      BOOST_TEST(!broken(good, c.rule));
      BOOST_TEST(is_accepted(bad, Arch::sm_90) == (rule_of(c.rule).severity != Severity::error));
      BOOST_TEST(is_accepted(good, Arch::sm_90));
    }
    seen.insert(c.rule);
  }
  // The rules of padded types have cases of their own below.
  BOOST_TEST(seen.size() + 6 == std::size(kTensorMapRules));
}

BOOST_AUTO_TEST_CASE(rules_of_packed_types_on_sm_100) {
  const auto check = [](TensorMapRule rule, bool expect, auto change) {
    TensorMap map = padded_map();
    change(map);
    BOOST_TEST_CONTEXT(rule_of(rule).id) {
      BOOST_TEST(broken(map, rule, Arch::sm_100) == expect);
    }
  };
  BOOST_TEST(is_accepted(padded_map(), Arch::sm_100));
  BOOST_TEST(!is_accepted(padded_map(), Arch::sm_90));
  using R = TensorMapRule;
  check(R::dim_multiple, true, [](TensorMap& m) { m.global_dim[0] = 192; });
  check(R::dim_multiple, false, [](TensorMap& m) { m.global_dim[0] = 384; });
  check(R::box_padded, true, [](TensorMap& m) { m.box_dim[0] = 64; });
  check(R::box_padded, false, [](TensorMap& m) { m.box_dim[0] = 128; });
  check(R::address_alignment, true, [](TensorMap& m) { m.global_address = 0x10000010; });
  check(R::stride_alignment, true, [](TensorMap& m) { m.global_stride[0] = 208; });
  check(R::interleave_padded, true, [](TensorMap& m) { m.interleave = Interleave::b16; });
  check(R::interleave_padded, false, [](TensorMap&) {});
  check(R::interleave_packed, true, [](TensorMap& m) {
    m.interleave = Interleave::b16, m.data_type = DataType::u4x16_align8b;
  });
  check(R::interleave_packed, false, [](TensorMap& m) { m.data_type = DataType::u4x16_align8b; });
  check(R::swizzle_padded, true, [](TensorMap& m) { m.swizzle = Swizzle::b64; });
  check(R::swizzle_padded, true, [](TensorMap& m) { m.swizzle = Swizzle::b128_32b_flip8; });
  check(R::swizzle_padded, false, [](TensorMap& m) { m.swizzle = Swizzle::b128_32b; });
  check(R::swizzle_sources_differ, true, [](TensorMap& m) { m.swizzle = Swizzle::b128_64b; });
  check(R::swizzle_sources_differ, false, [](TensorMap& m) { m.swizzle = Swizzle::none; });
  check(R::oob_fill_type, true, [](TensorMap& m) { m.oob_fill = OobFill::nan; });
}

BOOST_AUTO_TEST_CASE(box_of_4_bit_values_is_counted_in_values) {
  TensorMap map;
  map.data_type = DataType::u4x16_align8b;
  map.rank = 2;
  map.global_address = 0x10000000;
  map.global_dim = {256, 128};
  map.global_stride = {128};
  map.box_dim = {128, 64};
  map.swizzle = Swizzle::b64;
  BOOST_TEST(is_accepted(map, Arch::sm_100));
  map.box_dim[0] = 160;
  BOOST_TEST(broken(map, TensorMapRule::box_span, Arch::sm_100));
  map.box_dim[0] = 120;
  BOOST_TEST(broken(map, TensorMapRule::box_bytes, Arch::sm_100));
  map.box_dim[0] = 128;
  map.global_dim[0] = 255;
  BOOST_TEST(broken(map, TensorMapRule::dim_multiple, Arch::sm_100));
}

// Dimensions may come in any order of strides: a permuted tensor does not overlap.
BOOST_AUTO_TEST_CASE(overlap_note_follows_the_bytes_not_the_order_of_dimensions) {
  TensorMap map = plain_map();
  map.global_dim = {64, 1024, 8};   // tokens, then heads
  map.global_stride = {1024, 128};  // heads are nearer in memory
  BOOST_TEST(!broken(map, TensorMapRule::stride_overlap));
  map.global_stride = {1008, 128};
  BOOST_TEST(broken(map, TensorMapRule::stride_overlap));
  map.global_dim = {64, 1, 8};  // a dimension of one index has no stride
  BOOST_TEST(!broken(map, TensorMapRule::stride_overlap));
  map.global_dim = {kMaxGlobalDim, kMaxGlobalDim, kMaxGlobalDim};
  map.global_stride = {kMaxGlobalStride - 16, kMaxGlobalStride - 16};
  BOOST_TEST(is_accepted(map, Arch::sm_90));
  BOOST_TEST(broken(map, TensorMapRule::stride_overlap));
}

BOOST_AUTO_TEST_CASE(hostile_numbers_are_findings) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  TensorMap map = plain_map();
  map.data_type = enumerator_of<DataType>(kAll);
  BOOST_TEST(!is_accepted(map, Arch::sm_100));
  map = plain_map();
  for (int i = 0; i < kMaxRank; ++i) {
    map.global_dim[i] = map.global_stride[i] = map.box_dim[i] = map.element_stride[i] = kAll;
  }
  map.rank = 5;
  BOOST_TEST(!is_accepted(map, Arch::sm_90));
  map.rank = -2147483647 - 1;
  BOOST_TEST(broken(map, TensorMapRule::rank));
  map.rank = 2147483647;
  BOOST_TEST(broken(map, TensorMapRule::rank));
}

BOOST_AUTO_TEST_SUITE_END()
