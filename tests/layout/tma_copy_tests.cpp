#include "sim/layout/tma_copy.h"

#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/layout/tma_golden.h"
#include "tests/test.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(tma_copy_tests)

namespace {

TensorMap plain_map() {
  TensorMap map;
  map.data_type = DataType::f16;
  map.rank = 2;
  map.global_address = 0x10000000;
  map.global_dim = {256, 64, 1};
  map.global_stride = {512, 32768};
  map.box_dim = {64, 8, 1};
  map.swizzle = Swizzle::b128;
  return map;
}

std::string outcome_name(const TmaVerdict& verdict) {
  return name_of(verdict.outcome);
}

/// Records spell a refusal as the encoder's error number.
std::string captured_outcome(const golden::Row& row) {
  return row.text("result") == "encode_1" ? "refused" : row.text("result");
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_captured_load_ends_as_on_the_h200) {
  for (const char* name : {"h200/tma_load", "h200/tma_multicast"}) {
    const golden::Table table = golden::load(name);
    golden::for_each_row(table, [&](const golden::Row& row) {
      const TmaVerdict verdict =
          check_tma_load(golden::tensor_map(row, 0x10000000 + row.unsigned_number("goff")),
                         golden::coordinates(row),
                         row.unsigned_number("base") + row.unsigned_number("dst"), Arch::sm_90);
      BOOST_TEST_CONTEXT(name << " record " << row.id()) {
        BOOST_TEST_REQUIRE(outcome_name(verdict) == captured_outcome(row));
      }
    });
  }
}

BOOST_AUTO_TEST_CASE(every_captured_store_and_reduction_ends_as_on_the_h200) {
  const golden::Table table = golden::load("h200/tma_store");
  golden::for_each_row(table, [&](const golden::Row& row) {
    const auto operation = value_of<TmaOperation>(row.text("op"));
    BOOST_TEST_REQUIRE(operation.has_value());
    const TmaVerdict verdict = check_tma_store(
        golden::tensor_map(row, 0x10000000 + row.unsigned_number("goff")), golden::coordinates(row),
        row.unsigned_number("base") + row.unsigned_number("src"), *operation, Arch::sm_90);
    BOOST_TEST_CONTEXT("record " << row.id()) {
      BOOST_TEST_REQUIRE(outcome_name(verdict) == captured_outcome(row));
    }
  });
}

BOOST_AUTO_TEST_CASE(every_type_has_the_reductions_that_the_h200_ran) {
  std::size_t pairs = 0;
  for (const tests::CsvRow& row : tests::read_csv("h200/tma_reduce.csv")) {
    const auto type = enumerator_of<DataType>(tests::word(row.at("dtype")));
    const TmaOperation operation = *value_of<TmaOperation>(row.at("op"));
    BOOST_TEST(has_operation(type, operation) == (row.at("result") == "ok"),
               name_of(type) << " " << row.at("op"));
    BOOST_TEST(has_operation(type, TmaOperation::store));
    ++pairs;
  }
  BOOST_TEST(pairs == 13u * 8u);
}

// A plain store byte for byte; of a reduction, which bytes may change (its target was random, so an
// element that should change and did not is an accident of one in 2^16 at most: those are allowed).
BOOST_AUTO_TEST_CASE(every_captured_store_writes_these_bytes) {
  const golden::Table table = golden::load("h200/tma_store");
  std::size_t stores = 0, reductions = 0;
  golden::for_each_row(table, [&](const golden::Row& row) {
    if (row.text("result") != "ok") return;
    const bool plain = row.text("op") == "store";
    (plain ? stores : reductions) += 1;
    const TensorMap map = golden::tensor_map(row, 0);
    const std::uint64_t base = row.unsigned_number("base");
    const TmaBox box =
        make_tma_box(map, golden::coordinates(row), base + row.unsigned_number("src"));
    const bool specials = row.text("fill") == "special";
    const auto kind = specials ? golden::Filled::specials : golden::Filled::hashes;
    const golden::Filled source{kind, golden::kStoreSeed};
    const std::uint64_t window = row.unsigned_number("win_off"), size = row.unsigned_number("len");
    std::vector<int> from(size, -1);
    for (TmaRowCursor at(box); !at.done(); at.next()) {
      if (at.row().outside) continue;
      for_each_piece(box, at.row(), 0, box.stored_end(),
                     [&](std::uint64_t address, std::uint32_t length, std::uint32_t packed) {
                       const std::uint64_t to =
                           row.unsigned_number("goff") + at.row().global_offset + packed - window;
                       for (std::uint32_t i = 0; i < length; ++i) {
                         from.at(to + i) = source.byte(address + i - base);
                       }
                     });
    }
    const golden::Filled target{kind, golden::kTargetSeed};
    BOOST_TEST_CONTEXT("record " << row.id()) {
      for (std::uint64_t i = 0; i < size; ++i) {
        // The special target starts at another index of the pattern.
        const std::uint8_t before =
            plain ? 0xCD : target.byte(i + (specials ? 0x100003 * std::uint64_t{4} : 0));
        if (from[i] < 0) {
          BOOST_TEST_REQUIRE(row.piece()[i] == before, "byte " << i);
        } else if (plain) {
          BOOST_TEST_REQUIRE(row.piece()[i] == from[i], "byte " << i);
        }
      }
    }
  });
  BOOST_TEST(stores == 176u);
  BOOST_TEST(reductions == 23u);
}

BOOST_AUTO_TEST_CASE(each_rule_is_broken_by_one_change_and_kept_by_its_neighbour) {
  struct Call {
    TensorMap map = plain_map();
    Coordinates first{64, 8};
    std::uint64_t smem = 0x480;
    TmaOperation operation = TmaOperation::store;
    bool load = false;
  };
  const auto verdict_of = [](const Call& call) {
    return call.load
               ? check_tma_load(call.map, call.first, call.smem, Arch::sm_100)
               : check_tma_store(call.map, call.first, call.smem, call.operation, Arch::sm_100);
  };
  struct Case {
    TmaRule rule;
    void (*break_it)(Call&);
    void (*keep_it)(Call&);
  };
  const auto padded = [](Call& c) {
    c.map.data_type = DataType::u6x16_align16b;
    c.map.box_dim[0] = 128;
    c.first[0] = 0;
  };
  static const auto make_padded = padded;
  const Case kCases[] = {
      {TmaRule::coordinate_alignment, [](Call& c) { c.load = true, c.first[0] = 4; },
       [](Call& c) { c.load = true, c.first[0] = -8; }},
      {TmaRule::coordinate_alignment, [](Call& c) { c.load = true, c.first[0] = -4; },
       [](Call& c) { c.load = true, c.first[1] = -3; }},
      {TmaRule::coordinate_alignment, [](Call& c) { c.first[0] = 4; },
       [](Call& c) { c.first[0] = 1, c.map.rank = 3, c.map.interleave = Interleave::b16; }},
      {TmaRule::coordinate_padded, [](Call& c) { make_padded(c), c.first[0] = 64; },
       [](Call& c) { make_padded(c), c.first[0] = 128; }},
      {TmaRule::smem_alignment, [](Call& c) { c.smem = 0x440; }, [](Call& c) { c.smem = 0x500; }},
      {TmaRule::smem_range, [](Call& c) { c.smem = 0x38C80; }, [](Call& c) { c.smem = 0x38C00; }},
      {TmaRule::store_negative, [](Call& c) { c.first[1] = -1; },
       [](Call& c) { c.first[1] = -1, c.load = true; }},
      {TmaRule::store_flip, [](Call& c) { c.map.swizzle = Swizzle::b128_32b_flip8; },
       [](Call& c) { c.map.swizzle = Swizzle::b128_32b_flip8, c.load = true; }},
      {TmaRule::store_padded,
       [](Call& c) { make_padded(c), c.map.data_type = DataType::u4x16_align16b; },
       [](Call& c) { make_padded(c); }},
      {TmaRule::store_repacked, [](Call& c) { make_padded(c); },
       [](Call& c) { make_padded(c), c.load = true; }},
      {TmaRule::operation_type,
       [](Call& c) {
         c.map.data_type = DataType::f32, c.map.box_dim[0] = 32, c.operation = TmaOperation::max;
       },
       [](Call& c) {
         c.map.data_type = DataType::f32, c.map.box_dim[0] = 32, c.operation = TmaOperation::add;
       }},
  };
  std::set<TmaRule> seen;
  for (const Case& c : kCases) {
    Call bad, good;
    c.break_it(bad);
    c.keep_it(good);
    const TmaVerdict verdict = verdict_of(bad);
    BOOST_TEST_CONTEXT(rule_of(c.rule).id) {
      BOOST_TEST((verdict.outcome == kTmaRules[static_cast<int>(c.rule)].outcome));
      BOOST_TEST((verdict_of(good).outcome == TmaOutcome::ok));
      bool named = false;
      for (const Finding& f : verdict.findings) {
        named = named || std::string(f.rule.id) == rule_of(c.rule).id;
      }
      BOOST_TEST(named);
    }
    seen.insert(c.rule);
  }
  BOOST_TEST(seen.size() == std::size(kTmaRules));
  int i = 0;
  for (const TmaRuleRow& row : kTmaRules) BOOST_TEST((static_cast<int>(row.key) == i++));
}

BOOST_AUTO_TEST_CASE(an_illegal_map_is_refused_before_anything_else) {
  TensorMap map = plain_map();
  map.box_dim[1] = 0;
  BOOST_TEST(outcome_name(check_tma_load(map, {1, 0}, 1, Arch::sm_90)) == "refused");
  BOOST_TEST(outcome_name(check_tma_store(map, {-1, 0}, 1, TmaOperation::add, Arch::sm_90)) ==
             "refused");
}

// Rounding against arithmetic: the nearest multiple of 2^(exponent - 10) in double precision.
BOOST_AUTO_TEST_CASE(tf32_rounds_to_10_mantissa_bits_nearest_even) {
  const auto rounded = [](std::uint32_t word) {
    float value;
    std::memcpy(&value, &word, 4);
    int exponent;
    std::frexp(value, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - 11, -136));
    const float result = static_cast<float>(std::nearbyint(value / unit) * unit);
    std::uint32_t bits;
    std::memcpy(&bits, &result, 4);
    return bits;
  };
  for (std::uint32_t i = 0; i < 400000; ++i) {
    const std::uint32_t word = i % 2 == 0 ? golden::mixed(i) : golden::special(i);
    const bool nan = (word & 0x7FFFFFFF) > 0x7F800000;
    const std::uint32_t want = nan ? 0x7FFFE000 : rounded(word);
    BOOST_TEST_REQUIRE(tma_load_value(DataType::tf32, word) == want, "word " << word);
    BOOST_TEST_REQUIRE(tma_load_value(DataType::f32_ftz, word) == word);
  }
  BOOST_TEST(tma_load_value(DataType::tf32_ftz, 0x7F7FFFFF) == 0x7F800000u);
  BOOST_TEST(tma_load_value(DataType::tf32_ftz, 0xFF800000) == 0xFF800000u);
}

BOOST_AUTO_TEST_SUITE_END()
