#include "sim/machine/mbarrier_unit.h"

#include <cstring>
#include <map>
#include <string>

#include "tests/golden.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(mbarrier_unit_tests)

namespace {

constexpr std::uint32_t kAt = 0x408;

struct World {
  SharedMemory shared{256, std::byte{0xCD}};
  MbarrierUnit unit;

  std::uint64_t word(std::uint32_t offset = kAt) const {
    std::uint64_t value;
    std::memcpy(&value, shared.bytes(offset, 8, 8), 8);
    return value;
  }
};

Actor lane(int warp, int lane_index) {
  return {Unit::thread, 0, warp, lane_index};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_step_of_the_h200_goes_through_the_unit) {
  const std::map<std::string, MbarrierOp> kOps = {
      {"arrive", MbarrierOp::arrive},
      {"arrive_drop", MbarrierOp::arrive_drop},
      {"expect_tx", MbarrierOp::expect_tx},
      {"complete_tx", MbarrierOp::complete_tx},
      {"arrive_expect_tx", MbarrierOp::arrive_expect_tx}};
  std::map<std::string, World> worlds;
  std::size_t steps = 0;
  for (const tests::CsvRow& row : tests::read_csv("h200/mbarrier.csv")) {
    World& w = worlds[row.at("seq")];
    const std::string op = row.at("op");
    const std::uint64_t operand = tests::word(row.at("arg"));
    MbarrierResult result;
    if (op == "init") {
      result = w.unit.init(w.shared, kAt, operand);
    } else if (op == "arrive_nocomplete") {
      result = w.unit.arrive_no_complete(kAt, operand, false, {});
    } else {
      result = w.unit.apply(kAt, kOps.at(op), operand, {});
    }
    BOOST_TEST_CONTEXT("sequence " << row.at("seq") << " step " << row.at("step")) {
      if (op.starts_with("arrive"))
        BOOST_TEST_REQUIRE(result.token == tests::word(row.at("token")));
      BOOST_TEST_REQUIRE(w.unit.test_parity(kAt, 0) == (row.at("done_parity0") == "1"));
      BOOST_TEST_REQUIRE(w.unit.test_parity(kAt, 1) == (row.at("done_parity1") == "1"));
      BOOST_TEST_REQUIRE(w.word() == 0xCDCDCDCDCDCDCDCDu);
    }
    ++steps;
  }
  BOOST_TEST(steps == 2012u);
}

BOOST_AUTO_TEST_CASE(a_live_barrier_is_neither_seen_nor_changed_by_plain_accesses) {
  World w;
  w.unit.init(w.shared, kAt, 3);
  w.unit.apply(kAt, MbarrierOp::arrive, 1, lane(0, 0));
  BOOST_TEST(w.word() == 0xCDCDCDCDCDCDCDCDu);
  const std::uint64_t stored = 7;
  std::memcpy(w.shared.bytes(kAt, 8, 8, Access::write), &stored, 8);
  BOOST_TEST(w.unit.state(kAt).pending == 2u);
  const std::uint64_t want = encode(w.unit.state(kAt));
  w.unit.inval(w.shared, kAt);
  BOOST_TEST(w.word() == want);
  BOOST_TEST(!w.unit.is_live(kAt));
}

BOOST_AUTO_TEST_CASE(undefined_uses_are_faults_and_their_neighbours_are_not) {
  World w;
  const auto arrive = [&](std::uint64_t at, std::uint64_t n) {
    return rule_broken([&] { w.unit.apply(at, MbarrierOp::arrive, n, {}); });
  };
  BOOST_TEST(arrive(kAt, 1) == "mbarrier.uninitialised");
  BOOST_TEST(rule_broken([&] { w.unit.init(w.shared, 0x404, 1); }) == "shared.misaligned");
  BOOST_TEST(rule_broken([&] { w.unit.init(w.shared, 0x500, 1); }) == "shared.out-of-bounds");
  BOOST_TEST(rule_broken([&] { w.unit.init(w.shared, 0x3F8, 1); }) == "shared.reserved");
  BOOST_TEST(rule_broken([&] { w.unit.init(w.shared, kAt, 0); }) == "mbarrier.count");
  BOOST_TEST(rule_broken([&] { w.unit.init(w.shared, kAt, 1u << 20); }) == "mbarrier.count");
  BOOST_TEST(rule_broken([&] { w.unit.init(w.shared, kAt, ~std::uint64_t{0}); }) ==
             "mbarrier.count");
  BOOST_TEST(rule_broken([&] { w.unit.init(w.shared, kAt, 2); }) == "");
  BOOST_TEST(arrive(kAt + 4, 1) == "mbarrier.misaligned");
  BOOST_TEST(arrive(kAt + 8, 1) == "mbarrier.uninitialised");
  BOOST_TEST(arrive(std::uint64_t{kAt} | std::uint64_t{1} << 32, 1) == "mbarrier.uninitialised");
  BOOST_TEST(arrive(kAt, 3) == "mbarrier.pending-underflow");
  BOOST_TEST(arrive(kAt, 0) == "mbarrier.arrivals");
  BOOST_TEST(arrive(kAt, std::uint64_t{1} << 40) == "mbarrier.arrivals");
  const auto expect = [&](std::uint64_t n) {
    return rule_broken([&] { w.unit.apply(kAt, MbarrierOp::expect_tx, n, {}); });
  };
  BOOST_TEST(expect(1048576) == "mbarrier.tx-range");
  BOOST_TEST(expect(std::uint64_t{1} << 32) == "mbarrier.tx-range");
  BOOST_TEST(rule_broken([&] { w.unit.arrive_no_complete(kAt, 2, false, {}); }) ==
             "mbarrier.no-complete");
  BOOST_TEST(rule_broken([&] { w.unit.arrive_no_complete(kAt, 1, false, {}); }) == "");
  BOOST_TEST(expect(1048575) == "");
  BOOST_TEST(w.unit.init(w.shared, kAt, 1).findings.count == 1u);
  w.unit.inval(w.shared, kAt);
  BOOST_TEST(rule_broken([&] { w.unit.inval(w.shared, kAt); }) == "mbarrier.uninitialised");
  BOOST_TEST(w.unit.init(w.shared, kAt, 1).findings.count == 0u);
}

BOOST_AUTO_TEST_CASE(the_ledger_says_who_came_and_starts_anew_with_the_phase) {
  World w;
  w.unit.init(w.shared, kAt, 3);
  w.unit.apply(kAt, MbarrierOp::arrive, 1, lane(0, 0));
  w.unit.apply(kAt, MbarrierOp::arrive_expect_tx, 4096, lane(0, 5));
  w.unit.apply(kAt, MbarrierOp::complete_tx, 1024, {Unit::tma, 1, 2, 0});
  MbarrierLedger l = w.unit.ledger(kAt);
  BOOST_TEST(l.initial_count == 3u);
  BOOST_TEST(l.state.pending == 1u);
  BOOST_TEST(l.state.tx == 3072);
  BOOST_REQUIRE(l.shares.size() == 2u);
  BOOST_TEST(l.shares[0].arrivals == 2u);
  BOOST_TEST(l.shares[0].lanes == 0x21u);
  BOOST_TEST(l.shares[0].expected_bytes == 4096u);
  BOOST_TEST(l.shares[1].completed_bytes == 1024u);
  w.unit.apply(kAt, MbarrierOp::arrive, 1, lane(1, 0));
  BOOST_TEST(w.unit.apply(kAt, MbarrierOp::complete_tx, 3072, {}).phase_turned);
  BOOST_TEST(w.unit.ledger(kAt).shares.empty());
}

BOOST_AUTO_TEST_CASE(the_ledger_stays_small_whatever_the_guest_does) {
  World w;
  w.unit.init(w.shared, kAt, 1);
  for (int i = 0; i < 5000; ++i) w.unit.apply(kAt, MbarrierOp::expect_tx, 0, lane(i, 0));
  const MbarrierLedger l = w.unit.ledger(kAt);
  BOOST_TEST(l.shares.size() < 5000u);
  BOOST_TEST(l.shares.size() + l.unlisted == 5000u);
}

BOOST_AUTO_TEST_CASE(an_added_pending_arrival_is_taken_back_by_its_arrival) {
  World w;
  w.unit.init(w.shared, kAt, 1);
  w.unit.add_pending(kAt);
  w.unit.apply(kAt, MbarrierOp::arrive, 1, {Unit::cp_async, 0, 0, 0});
  BOOST_TEST(!w.unit.test_parity(kAt, 0));
  w.unit.apply(kAt, MbarrierOp::arrive, 1, lane(0, 0));
  BOOST_TEST(w.unit.test_parity(kAt, 0));
  BOOST_TEST(w.unit.state(kAt).pending == 1u);
}

BOOST_AUTO_TEST_CASE(live_barriers_are_found_by_any_of_their_bytes) {
  World w;
  for (const std::uint32_t at : {0x400u, 0x410u, 0x418u}) w.unit.init(w.shared, at, 1);
  for (std::uint32_t begin = 0x3F0; begin < 0x428; ++begin) {
    for (std::uint32_t end = begin; end < 0x430; ++end) {
      std::vector<std::uint32_t> want;
      for (const std::uint32_t at : {0x400u, 0x410u, 0x418u}) {
        if (begin < end && at < end && begin < at + 8) want.push_back(at);
      }
      BOOST_TEST_REQUIRE((w.unit.live_in(begin, end) == want));
    }
  }
  BOOST_TEST(w.unit.live_in(~std::uint64_t{0} - 1, ~std::uint64_t{0}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
