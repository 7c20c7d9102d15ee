#include "sim/machine/bulk_copy.h"

#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(bulk_copy_tests)

BOOST_AUTO_TEST_CASE(bytes_travel_both_ways_and_the_mask_picks_among_16) {
  GlobalMemory memory;
  const std::uint64_t at = *memory.allocate(64);
  SharedMemory shared(64);
  for (std::uint32_t i = 0; i < 48; ++i) {
    *shared.bytes(0x410 + i, 1, 1, Access::write) = static_cast<std::byte>(i + 1);
  }
  bulk_write(memory, at, bulk_read(shared, 0x410, 48), {TmaOperation::store, {}, 0x8001});
  for (std::uint32_t i = 0; i < 64; ++i) {
    const bool written = i < 48 && (i % 16 == 0 || i % 16 == 15);
    const auto got = std::to_integer<std::uint32_t>(*memory.bytes(at + i, 1, 1, Access::read));
    BOOST_TEST(got == (written ? i + 1 : 0u));
  }
  bulk_write(shared, 0x420, bulk_read(memory, at, 16));
  BOOST_TEST((*shared.bytes(0x42F, 1, 1) == std::byte{16}));
  bulk_write(memory, at, bulk_read(memory, at, 0));
}

BOOST_AUTO_TEST_CASE(reductions_add_to_what_is_there) {
  SharedMemory shared(32);
  *shared.bytes(0x400, 1, 1, Access::write) = std::byte{250};
  const std::vector<std::byte> ten = [] {
    std::vector<std::byte> bytes(16);
    bytes[0] = std::byte{10};
    return bytes;
  }();
  bulk_write(shared, 0x400, ten, {TmaOperation::add, ReductionType::u32, 0xFFFF});
  BOOST_TEST((*shared.bytes(0x400, 1, 1) == std::byte{4}));
  BOOST_TEST((*shared.bytes(0x401, 1, 1) == std::byte{1}));
}

BOOST_AUTO_TEST_CASE(addresses_sizes_and_ends_are_judged) {
  const auto rule = [](std::uint64_t from, std::uint64_t to, std::uint64_t size) {
    return rule_broken([&] { check_bulk(from, to, size); });
  };
  BOOST_TEST(rule(16, 32, 48) == "");
  BOOST_TEST(rule(8, 32, 48) == "bulk.misaligned");
  BOOST_TEST(rule(16, 40, 48) == "bulk.misaligned");
  BOOST_TEST(rule(16, 32, 40) == "bulk.size");
  SharedMemory shared(32);
  BOOST_TEST(rule_broken([&] { bulk_read(shared, 0x410, 32); }) == "shared.out-of-bounds");
  BOOST_TEST(rule_broken([&] { bulk_read(shared, 0x410, ~std::uint64_t{15}); }) ==
             "shared.out-of-bounds");
  BOOST_TEST(rule_broken([] {
               check_bulk_reduction(ReductionType::f16, TmaOperation::add, true);
             }) == "bulk.reduction");
}

BOOST_AUTO_TEST_SUITE_END()
