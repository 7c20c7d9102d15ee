#include "sim/machine/ledger.h"

#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(ledger_tests)

BOOST_AUTO_TEST_CASE(a_ledger_says_what_is_owed_and_by_whom_what_came) {
  SharedMemory shared(64);
  MbarrierUnit unit;
  unit.init(shared, 0x408, 3);
  BOOST_TEST(describe(unit.ledger(0x408)) ==
             "mbarrier at 0x408: phase 0 (parity 0) is open, 3 of 3 arrivals pending, 0 bytes owed"
             "\n  nobody came in this phase");
  unit.apply(0x408, MbarrierOp::arrive, 1, {Unit::thread, 0, 0, 0});
  unit.apply(0x408, MbarrierOp::arrive_expect_tx, 4096, {Unit::thread, 0, 0, 5});
  unit.apply(0x408, MbarrierOp::complete_tx, 1024, {Unit::tma, 1, 2, -1});
  AsyncItem item;
  item.what = "tensor load";
  item.bytes = 1024;
  item.place.line = 12;
  const InFlight one[] = {{1, AsyncStage::issued, &item}};
  BOOST_TEST(describe(unit.ledger(0x408), one) ==
             "mbarrier at 0x408: phase 0 (parity 0) is open, 1 of 3 arrivals pending, 3072 bytes "
             "owed"
             "\n  threads of warp 0, lanes 0x21: 2 arrivals, 4096 bytes expected"
             "\n  tensor copies of warp 2 in CTA 1: 1024 bytes completed"
             "\n  in flight: tensor load of 1024 bytes, issued at line 12");
  BOOST_TEST(describe(unit.ledger(0x408)).ends_with("no copy in flight would bring the bytes"));
  unit.apply(0x408, MbarrierOp::complete_tx, 5000, {Unit::bulk_copy, 0, 1, -1});
  const std::string text = describe(unit.ledger(0x408));
  BOOST_TEST(text.find("1928 bytes came that nobody expected yet") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
