#include "sim/machine/tensor_memory.h"

#include <set>

#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(tensor_memory_tests)

BOOST_AUTO_TEST_CASE(allocations_are_aligned_disjoint_and_fill_the_memory) {
  TensorMemory memory;
  std::set<std::uint32_t> taken;
  for (const std::uint32_t columns : {256u, 128u, 64u, 32u, 32u}) {
    const auto base = memory.allocate(columns, 1);
    BOOST_REQUIRE(base.has_value());
    BOOST_TEST(*base % columns == 0u);
    for (std::uint32_t c = *base; c < *base + columns; ++c) BOOST_TEST(taken.insert(c).second);
  }
  BOOST_TEST(taken.size() == 512u);
  BOOST_TEST(!memory.allocate(32, 1).has_value());
  memory.deallocate(256, 128, 1);
  BOOST_TEST(*memory.allocate(32, 1) == 256u);
}

BOOST_AUTO_TEST_CASE(a_base_can_be_asked_for_to_catch_programs_that_ignore_it) {
  TensorMemory memory;
  BOOST_TEST(*memory.allocate(64, 1, 32) == 64u);
  BOOST_TEST(*memory.allocate(64, 1, 480) == 0u);
}

BOOST_AUTO_TEST_CASE(each_rule_of_allocation_is_broken_once) {
  TensorMemory memory;
  const auto alloc = [&](std::uint32_t columns, std::uint32_t group = 1) {
    return rule_broken([&] { memory.allocate(columns, group); });
  };
  for (const std::uint32_t columns : {0u, 1u, 16u, 48u, 96u, 513u, 1024u, 0x80000000u}) {
    BOOST_TEST(alloc(columns) == "tmem.alloc-columns");
  }
  BOOST_TEST(alloc(64) == "");
  BOOST_TEST(alloc(128) == "tmem.alloc-growth");
  BOOST_TEST(alloc(64, 2) == "tmem.mixed-cta-group");
  BOOST_TEST(alloc(64) == "");
  const auto dealloc = [&](std::uint32_t at, std::uint32_t columns) {
    return rule_broken([&] { memory.deallocate(at, columns, 1); });
  };
  BOOST_TEST(dealloc(0, 32) == "tmem.dealloc");
  BOOST_TEST(dealloc(32, 64) == "tmem.dealloc");
  BOOST_TEST(dealloc(~0u, ~0u) == "tmem.dealloc");
  BOOST_TEST(rule_broken([&] { memory.check_exit(); }) == "tmem.leak");
  BOOST_TEST(dealloc(0, 64) == "");
  BOOST_TEST(dealloc(0, 64) == "tmem.dealloc");
  memory.relinquish(1);
  BOOST_TEST(alloc(64) == "tmem.alloc-relinquished");
  BOOST_TEST(dealloc(64, 64) == "");
  BOOST_TEST(rule_broken([&] { memory.check_exit(); }) == "");
}

BOOST_AUTO_TEST_CASE(cells_are_reached_exactly_where_they_are_allocated) {
  TensorMemory memory;
  memory.allocate(64, 1);
  memory.allocate(32, 1);
  memory.deallocate(0, 64, 1);  // columns 64 .. 95 remain
  for (std::uint32_t column = 0; column < 600; ++column) {
    const std::string rule = rule_broken([&] { memory.read(127, column); });
    const bool inside = column >= 64 && column < 96;
    const char* outside = column < 512 ? "tmem.unallocated" : "tmem.out-of-bounds";
    BOOST_TEST_REQUIRE(rule == (inside ? "" : outside));
  }
  BOOST_TEST(rule_broken([&] { memory.read(128, 64); }) == "tmem.out-of-bounds");
  BOOST_TEST(rule_broken([&] { memory.row(0, 90, 6); }) == "");
  BOOST_TEST(rule_broken([&] { memory.row(0, 90, 7); }) == "tmem.unallocated");
  BOOST_TEST(rule_broken([&] { memory.row(0, 511, ~0u); }) == "tmem.out-of-bounds");
}

BOOST_AUTO_TEST_CASE(freed_and_fresh_cells_are_poison) {
  TensorMemory memory;
  memory.allocate(32, 1);
  BOOST_TEST(memory.read(5, 5) == TensorMemory::kPoison);
  memory.write(5, 5, 1);
  BOOST_TEST(memory.read(5, 5) == 1u);
  memory.deallocate(0, 32, 1);
  memory.allocate(32, 1);
  BOOST_TEST(memory.read(5, 5) == TensorMemory::kPoison);
}

BOOST_AUTO_TEST_SUITE_END()
