#include <array>
#include <cstring>
#include <string>

#include "sim/machine/generic_address.h"
#include "sim/machine/global_memory.h"
#include "sim/machine/linear_memory.h"
#include "sim/machine/shared_memory.h"
#include "tests/machine/machine_test.h"

using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(memory_tests)

BOOST_AUTO_TEST_CASE(an_access_is_legal_exactly_inside_one_allocation) {
  GlobalMemory memory;
  BOOST_REQUIRE(memory.allocate_at(0x1000, 24));
  BOOST_REQUIRE(memory.allocate_at(0x1018, 8));
  for (std::uint64_t address = 0xFF0; address < 0x1030; ++address) {
    for (const std::uint64_t size : {1, 2, 4, 8, 16, 24, 25}) {
      const bool first = address >= 0x1000 && address + size <= 0x1018;
      const bool second = address >= 0x1018 && address + size <= 0x1020;
      const std::string rule = rule_broken([&] { memory.bytes(address, size, 1, Access::write); });
      BOOST_TEST_REQUIRE(rule.empty() == (first || second), hex(address) << " " << size);
    }
  }
}

BOOST_AUTO_TEST_CASE(alignment_is_judged_before_bounds) {
  GlobalMemory memory;
  const std::uint64_t at = *memory.allocate(64);
  BOOST_TEST(rule_broken([&] { memory.bytes(at + 4, 8, 8, Access::read); }) == "global.misaligned");
  BOOST_TEST(rule_broken([&] { memory.bytes(at + 8, 8, 8, Access::read); }) == "");
  BOOST_TEST(rule_broken([&] { memory.bytes(at + 64, 8, 8, Access::read); }) ==
             "global.out-of-bounds");
  BOOST_TEST(rule_broken([&] { memory.bytes(at + 72, 8, 8, Access::read); }) ==
             "global.unallocated");
}

BOOST_AUTO_TEST_CASE(hostile_sizes_and_addresses_are_refused) {
  GlobalMemory memory(1 << 20);
  BOOST_TEST(!memory.allocate(0));
  BOOST_TEST(!memory.allocate(~std::uint64_t{0}));
  BOOST_TEST(!memory.allocate(kGlobalAddressEnd));
  BOOST_TEST(!memory.allocate((1 << 20) + 1));
  BOOST_TEST(!memory.allocate_at(kGlobalAddressEnd - 8, 16));
  BOOST_TEST(!memory.allocate_at(~std::uint64_t{0}, 1));
  BOOST_TEST(!memory.free(17));
  const std::uint64_t at = *memory.allocate(1 << 20);
  BOOST_TEST(!memory.allocate(1));
  for (const std::uint64_t size : {~std::uint64_t{0}, ~std::uint64_t{0} - at}) {
    BOOST_TEST(rule_broken([&] { memory.bytes(at + 8, size, 1, Access::read); }) ==
               "global.out-of-bounds");
  }
  BOOST_TEST(rule_broken([&] { memory.bytes(~std::uint64_t{0}, 8, 1, Access::read); }) ==
             "global.unallocated");
  BOOST_TEST(memory.free(at));
  BOOST_TEST(memory.used() == 0u);
  BOOST_TEST(rule_broken([&] { memory.bytes(at, 1, 1, Access::read); }) == "global.unallocated");
}

BOOST_AUTO_TEST_CASE(fresh_memory_holds_the_fill) {
  for (const std::byte fill : {std::byte{0}, std::byte{0xCD}}) {
    GlobalMemory memory(GlobalMemory::kNoLimit, fill);
    const std::uint64_t at = *memory.allocate(100);
    for (std::uint64_t i = 0; i < 100; ++i) {
      BOOST_TEST_REQUIRE((*memory.bytes(at + i, 1, 1, Access::read) == fill));
    }
  }
}

BOOST_AUTO_TEST_CASE(allocations_are_aligned_apart_and_step_over_mapped_memory) {
  GlobalMemory memory;
  std::array<std::byte, 4096> host{};
  BOOST_REQUIRE(memory.map(kGlobalBase + 128, host));
  std::uint64_t end = 0;
  for (int i = 1; i < 100; ++i) {
    const std::uint64_t at = *memory.allocate(static_cast<std::uint64_t>(i) * 37);
    BOOST_TEST_REQUIRE(at % GlobalMemory::kAlignment == 0u);
    BOOST_TEST_REQUIRE(at > end);
    end = at + static_cast<std::uint64_t>(i) * 37;
  }
  std::memset(memory.bytes(kGlobalBase + 130, 2, 1, Access::write), 7, 2);
  BOOST_TEST((host[2] == std::byte{7} && host[3] == std::byte{7}));
  BOOST_TEST(memory.find(kGlobalBase + 200)->address == kGlobalBase + 128);
  BOOST_TEST(!memory.find(kGlobalBase + 100));
}

BOOST_AUTO_TEST_CASE(the_shared_window_starts_with_a_reserved_kibibyte) {
  SharedMemory shared(64);
  BOOST_TEST(shared.size() == 0x440u);
  BOOST_TEST(rule_broken([&] { shared.bytes(0x400, 64, 16, Access::write); }) == "");
  BOOST_TEST(rule_broken([&] { shared.bytes(0x3FF, 1, 1, Access::read); }) == "");
  BOOST_TEST(rule_broken([&] { shared.bytes(0x3FF, 2, 1, Access::write); }) == "shared.reserved");
  BOOST_TEST(rule_broken([&] { shared.bytes(0x440, 1, 1, Access::read); }) ==
             "shared.out-of-bounds");
  BOOST_TEST(rule_broken([&] { shared.bytes(~std::uint64_t{15}, 16, 16, Access::read); }) ==
             "shared.out-of-bounds");
  BOOST_TEST(rule_broken([&] { shared.bytes(0x404, 8, 8, Access::read); }) == "shared.misaligned");
}

BOOST_AUTO_TEST_CASE(a_cta_has_at_most_227_kib) {
  BOOST_TEST(SharedMemory(kSharedLimit - kSharedReserved).size() == kSharedLimit);
  BOOST_TEST(rule_broken([] { SharedMemory s(kSharedLimit - kSharedReserved + 1); }) ==
             "shared.limit");
}

BOOST_AUTO_TEST_CASE(cluster_addresses_carry_the_rank) {
  for (std::uint32_t rank = 0; rank < kMaxClusterCtas; ++rank) {
    const std::uint32_t address = shared_address(rank, 0x412);
    const SharedTarget t = resolve_shared(address, 3, kMaxClusterCtas, SharedWindow::cluster);
    BOOST_TEST(t.rank == rank);
    BOOST_TEST(t.offset == 0x412u);
    const std::string rule =
        rule_broken([&] { resolve_shared(address, 3, kMaxClusterCtas, SharedWindow::cta); });
    BOOST_TEST(rule == (rank == 3 ? "" : "shared.foreign-cta"));
  }
  BOOST_TEST(rule_broken([] {
               resolve_shared(shared_address(2, 0), 0, 2, SharedWindow::cluster);
             }) == "shared.no-such-cta");
}

BOOST_AUTO_TEST_CASE(linear_memory_keeps_its_bounds_and_rights) {
  LinearMemory constant("constant", 16, LinearMemory::Rights::read_only);
  LinearMemory local("local", 16, LinearMemory::Rights::read_write);
  BOOST_TEST(rule_broken([&] { constant.bytes(8, 8, 8, Access::read); }) == "");
  BOOST_TEST(rule_broken([&] { constant.bytes(8, 8, 8, Access::write); }) == "constant.read-only");
  BOOST_TEST(rule_broken([&] { constant.bytes(16, 1, 1, Access::read); }) ==
             "constant.out-of-bounds");
  BOOST_TEST(rule_broken([&] { local.bytes(8, 8, 8, Access::write); }) == "");
  BOOST_TEST(rule_broken([&] { local.bytes(2, 4, 4, Access::write); }) == "local.misaligned");
  BOOST_TEST(rule_broken([&] { local.bytes(~std::uint64_t{0}, 2, 1, Access::write); }) ==
             "local.out-of-bounds");
}

BOOST_AUTO_TEST_CASE(generic_windows_are_disjoint_and_return) {
  for (const SpaceAddress a : {SpaceAddress{Space::shared, 0},
                               {Space::shared, 0x0F000400},
                               {Space::local, 12},
                               {Space::global, 0x1000},
                               {Space::global, kGlobalAddressEnd - 1}}) {
    BOOST_TEST((from_generic(to_generic(a)) == a));
  }
  BOOST_TEST((from_generic(kSharedWindowBase - 1).space == Space::global));
  BOOST_TEST((from_generic(kSharedWindowBase + kSharedWindowBytes).space == Space::global));
  BOOST_TEST(is_in_shared_cta(kSharedWindowBase + shared_address(1, 0x400), 1));
  BOOST_TEST(!is_in_shared_cta(kSharedWindowBase + shared_address(1, 0x400), 0));
}

BOOST_AUTO_TEST_CASE(a_fault_takes_the_first_place_it_is_given) {
  Place first, second;
  first.line = 12;
  second.line = 40;
  try {
    try {
      rethrow_at(Fault(FaultKind::undefined, "x", "y"), first);
    } catch (const Fault& fault) {
      rethrow_at(fault, second);
    }
  } catch (const Fault& fault) {
    BOOST_TEST(fault.place.line == 12);
  }
}

BOOST_AUTO_TEST_SUITE_END()
