#include "tests/test.h"
#include "tests/vm/golden_program.h"
#include "tests/vm/lane_program.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(mbarrier_ops_tests)

namespace {

/// One thread initialises a barrier at s for `count` arrivals; then all go on.
std::string with_barrier(int count, const std::string& body) {
  return "setp.eq.u32 p7, r0, 0; @p7 mbarrier.init.shared::cta.b64 [s], " + std::to_string(count) +
         "; fence.mbarrier_init.release.cluster; bar.sync 0;" + body;
}

/// Whether waits for parity 0 and 1 are over, after one thread did `ops`.
std::uint64_t parities_after(int count, const std::string& ops) {
  const std::string body = "mbarrier.init.shared.b64 [s], " + std::to_string(count) + ";" + ops +
                           "mbarrier.test_wait.parity.shared::cta.b64 p0, [s], 0;"
                           "mbarrier.test_wait.parity.shared::cta.b64 p1, [s], 1;"
                           "selp.u64 d1, 1, 0, p0; selp.u64 d2, 2, 0, p1; or.b64 d0, d1, d2;";
  return results_of(body, {.threads = 1})[0];
}

/// Rules of the warnings of one thread's run, each followed by a blank.
std::string warned_rules(const std::string& body) {
  Guest guest(lane_program(body));
  std::string rules;
  // A tensor of 64 words and its map, for bodies that load it: d28 is the map's address.
  const std::uint64_t tensor = guest.buffer(std::vector<std::uint32_t>(64, 1));
  const auto map = tests::tensor_map_bytes(
      R"({"data_type":"u32","global_address":"in","global_dim":[64],"global_strides":[],"box_dim":[32]})",
      {{"in", tensor}});
  const std::uint64_t at = guest.buffer(std::vector<std::uint8_t>(map.begin(), map.end()));
  for (const std::string& line : guest.run(1, {guest.buffer<std::uint64_t>(1), at}).warnings) {
    const std::size_t begin = line.find('[') + 1;
    rules += line.substr(begin, line.find(']') - begin) + " ";
  }
  return rules;
}

constexpr std::uint64_t kEven = 2, kOdd = 1;  ///< the current phase: its predecessor is complete

}  // namespace

BOOST_AUTO_TEST_CASE(phases_turn_as_the_isa_counts) {
  const std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [s];";
  BOOST_TEST(parities_after(2, "") == kEven);
  BOOST_TEST(parities_after(2, arrive) == kEven);
  BOOST_TEST(parities_after(2, arrive + arrive) == kOdd);
  BOOST_TEST(parities_after(2, "mbarrier.arrive.shared.b64 d3, [s], 2;") == kOdd);
  BOOST_TEST(parities_after(2,
                            "mbarrier.arrive.release.cta.shared::cta.b64 _, [s], 2;"
                            "mbarrier.arrive.relaxed.cluster.b64.shared::cta _, [s], 2;") == kEven);
  const std::string expect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 64;";
  const std::string complete = "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [s], 32;";
  BOOST_TEST(parities_after(1, expect) == kEven);
  BOOST_TEST(parities_after(1, expect + complete) == kEven);
  BOOST_TEST(parities_after(1, expect + complete + complete) == kOdd);
  BOOST_TEST(parities_after(1, complete + expect + complete) == kOdd);
  BOOST_TEST(parities_after(1, "mbarrier.expect_tx.relaxed.cta.shared.b64 [s], 32;" + arrive +
                                   complete) == kOdd);
  // One of three leaves: two arrivals end the first phase and each later one.
  const std::string drop = "mbarrier.arrive_drop.shared.b64 _, [s];";
  BOOST_TEST(parities_after(3, drop + arrive + arrive) == kOdd);
  BOOST_TEST(parities_after(3, drop + arrive + arrive + arrive + arrive) == kEven);
  const std::string drop_tx = "mbarrier.arrive_drop.expect_tx.release.cta.shared.b64 d4, [s], 32;";
  BOOST_TEST(parities_after(2, drop_tx + arrive) == kEven);
  BOOST_TEST(parities_after(2, drop_tx + arrive + complete) == kOdd);
  BOOST_TEST(parities_after(2, drop_tx + arrive + complete + arrive) == kEven);
}

BOOST_AUTO_TEST_CASE(tokens_name_the_phase_they_were_taken_in) {
  const std::string body =
      "mov.u64 d1, s; cvta.shared.u64 d1, d1; mbarrier.init.b64 [d1], 2;"
      "mbarrier.arrive.b64 d2, [d1]; mbarrier.test_wait.b64 p0, [d1], d2;"
      "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 d5, [s + 8], 1;"
      "mbarrier.arrive.b64 d3, [d1]; mbarrier.test_wait.acquire.cta.b64 p1, [d1], d2;"
      "mbarrier.try_wait.shared::cta.b64 p2, [s], d3, 100; mbarrier.arrive.b64 d4, [d1];"
      "mbarrier.pending_count.b64 r5, d5; mbarrier.pending_count.b64 r4, d4;"
      "selp.u32 r1, 1, 0, p0; selp.u32 r2, 2, 0, p1; selp.u32 r3, 4, 0, p2; or.b32 r1, r1, r2;"
      "or.b32 r1, r1, r3; mul.lo.u32 r5, r5, 10; mad.lo.u32 r5, r4, 1000, r5; add.u32 r1, r1, r5;"
      "cvt.u64.u32 d0, r1;";
  BOOST_TEST(results_of("mbarrier.init.shared.b64 [s + 8], 5;" + body, {.threads = 1})[0] ==
             6u + 50u + 2000u);
}

BOOST_AUTO_TEST_CASE(try_wait_waits_for_other_warps) {
  const std::string body = with_barrier(33, R"(
  setp.lt.u32 p0, r0, 32;
  @p0 bra WAIT;
  nanosleep.u32 100;
  st.shared.u32 [s + 8], r0;
  mbarrier.arrive.shared::cta.b64 _, [s];
  bra DONE;
 WAIT:
  setp.eq.u32 p1, r0, 0;
  @p1 mbarrier.arrive.shared::cta.b64 _, [s];
 LOOP: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p2, [s], 0;
  @!p2 bra LOOP;
 DONE: ld.shared.u32 d0, [s + 8];)");
  BOOST_TEST(results_of(body, {.threads = 64})[5] == 63u);
  // The same with test_wait.
  std::string tested = body;
  tested.replace(tested.find("try_wait"), 8, "test_wait");
  BOOST_TEST(results_of(tested, {.threads = 64})[5] == 63u);
}

BOOST_AUTO_TEST_CASE(a_wait_for_what_does_not_come_is_a_deadlock) {
  const std::string loop =
      " LOOP: mbarrier.try_wait.parity.shared::cta.b64 p0, [s], 0; @!p0 bra LOOP;";
  BOOST_TEST(rule_of(with_barrier(1, loop)) == "deadlock");
  std::string tested = loop;
  tested.replace(tested.find("try_wait"), 8, "test_wait");
  BOOST_TEST(rule_of(with_barrier(1, tested)) == "deadlock");
  // A try_wait that is not in a loop answers at last.
  BOOST_TEST(results_of(with_barrier(1,
                                     "mbarrier.try_wait.parity.shared::cta.b64 p0, [s], 0;"
                                     "selp.u64 d0, 1, 0, p0;"))[0] == 0u);
}

BOOST_AUTO_TEST_CASE(lanes_wait_for_barriers_of_their_own) {
  const std::string body = R"(
  mov.u32 r1, s; shl.b32 r2, r0, 3; add.u32 r1, r1, r2;
  mbarrier.init.shared.b64 [r1], 1;
  bar.warp.sync -1;
  xor.b32 r3, r2, 8; mov.u32 r4, s; add.u32 r3, r3, r4;
  mbarrier.arrive.shared.b64 _, [r3];
 LOOP: mbarrier.try_wait.parity.shared.b64 p0, [r1], 0;
  @!p0 bra LOOP;
  mov.u64 d0, 1;)";
  for (const std::uint64_t r : results_of(body)) BOOST_TEST_REQUIRE(r == 1u);
}

BOOST_AUTO_TEST_CASE(barriers_of_other_ctas_are_arrived_at_but_not_waited_for) {
  const LaneRun pair{.threads = 32, .ctas = 2, .cluster = 2};
  const std::string start = R"(
  setp.eq.u32 p7, r0, 0;
  @p7 mbarrier.init.shared::cta.b64 [s], 1;
  barrier.cluster.arrive; barrier.cluster.wait;
  mov.u32 r1, %cluster_ctarank; xor.b32 r1, r1, 1;
  mapa.shared::cluster.u32 r2, s, r1;
  mov.u64 d1, s; cvta.shared.u64 d1, d1; mapa.u64 d2, d1, r1;)";
  const std::string finish = R"(
 LOOP: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p0, [s], 0;
  @!p0 bra LOOP;
  mov.u64 d0, 1;
  barrier.cluster.arrive; barrier.cluster.wait;)";
  for (const char* arrive :
       {"@p7 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r2];",
        "@p7 mbarrier.arrive.release.cluster.b64 _, [d2];",
        "@p7 mbarrier.arrive.expect_tx.shared::cluster.b64 _, [r2], 16;"
        "@p7 mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [r2], 16;"}) {
    BOOST_TEST_CONTEXT(arrive) {
      BOOST_TEST(results_of(start + arrive + finish, pair)[40] == 1u);
    }
  }
  BOOST_TEST(rule_of(start + "mbarrier.arrive.release.cluster.b64 d3, [d2];" + finish, pair) ==
             "mbarrier.remote-state");
  BOOST_TEST(rule_of(start + "mbarrier.test_wait.parity.b64 p0, [d2], 0;" + finish, pair) ==
             "mbarrier.remote");
  BOOST_TEST(rule_of(start + "mbarrier.init.b64 [d2], 1;" + finish, pair) == "mbarrier.remote");
}

BOOST_AUTO_TEST_CASE(what_is_undefined_is_a_fault) {
  const LaneRun one{.threads = 1};
  const std::string init = "mbarrier.init.shared.b64 [s], 2;";
  BOOST_TEST(rule_of("mbarrier.arrive.shared.b64 _, [s];", one) == "mbarrier.uninitialised");
  BOOST_TEST(rule_of("mbarrier.init.shared.b64 [s], 0;", one) == "mbarrier.count");
  BOOST_TEST(rule_of("mbarrier.init.shared.b64 [s + 4], 1;", one) == "shared.misaligned");
  BOOST_TEST(rule_of(init + "mbarrier.arrive.shared.b64 _, [s], 3;", one) ==
             "mbarrier.pending-underflow");
  BOOST_TEST(rule_of(init + "mbarrier.arrive.noComplete.shared.b64 _, [s], 2;", one) ==
             "mbarrier.no-complete");
  BOOST_TEST(rule_of(init + "mbarrier.expect_tx.shared.b64 [s], 0x100000;", one) ==
             "mbarrier.tx-range");
  BOOST_TEST(rule_of(init + "mbarrier.inval.shared.b64 [s]; mbarrier.arrive.shared.b64 _, [s];",
                     one) == "mbarrier.uninitialised");
  BOOST_TEST(rule_of("mbarrier.init.b64 [d28], 1;", {.threads = 1, .parameter = 64}) ==
             "generic.not-shared");
  for (const char* body :
       {"mbarrier.init.shared::cluster.b64 [s], 1;", "mbarrier.arrive.release.shared.b64 _, [s];",
        "mbarrier.arrive.shared::cluster.b64 d1, [s];", "mbarrier.arrive.cta.shared.b64 _, [s];",
        "mbarrier.test_wait.shared::cluster.b64 p0, [s], d1;",
        "mbarrier.arrive.noComplete.shared.b64 _, [s];",
        "mbarrier.test_wait.parity.shared.b64 p0, [s], d1;",
        "mbarrier.arrive.acquire.cta.shared.b64 _, [s];",
        "mbarrier.test_wait.shared.b64 p0, [s], d1, 5;"}) {
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(rule_of(body, one) == "parse");
    }
  }
}

BOOST_AUTO_TEST_CASE(plain_accesses_do_not_see_a_live_barrier) {
  const LaneRun one{.threads = 1};
  const std::string fill = "st.shared.u64 [s], 0x1234;";
  BOOST_TEST(results_of(fill + "mbarrier.init.shared.b64 [s], 3; ld.shared.u64 d0, [s];", one)[0] ==
             0x1234u);
  BOOST_TEST(
      results_of(fill + "mbarrier.init.shared.b64 [s], 1; st.shared.u64 [s], 0;"
                        "mbarrier.arrive.shared.b64 _, [s];"
                        "mbarrier.test_wait.parity.shared.b64 p0, [s], 0; selp.u64 d0, 1, 0, p0;",
                 one)[0] == 1u);
  BOOST_TEST(results_of(fill + "mbarrier.init.shared.b64 [s], 3; mbarrier.inval.shared.b64 [s];"
                               "ld.shared.u64 d0, [s];",
                        one)[0] == encode(mbarrier_init(3)));
}

BOOST_AUTO_TEST_CASE(observers_see_operations_and_waits) {
  struct Seen : machine::Observer {
    int operations = 0, passed = 0, failed = 0;
    void see(const machine::BarrierEvent& e) override { operations += e.before == e.after ? 0 : 1; }
    void see(const machine::BarrierWait& e) override { ++(e.passed ? passed : failed); }
  } seen;
  machine::Events events;
  events.subscribe(seen);
  machine::RunOptions options;
  options.events = &events;
  results_of(
      "mbarrier.init.shared.b64 [s], 3; mbarrier.test_wait.parity.shared.b64 p0, [s], 0;"
      "mbarrier.arrive.noComplete.shared.b64 d1, [s], 1; mbarrier.arrive.shared.b64 d1, [s], 2;"
      "mbarrier.test_wait.shared.b64 p0, [s], d1;",
      {.threads = 1, .options = options});
  BOOST_TEST(seen.operations == 2);
  BOOST_TEST(seen.failed == 1);
  BOOST_TEST(seen.passed == 1);
}

BOOST_AUTO_TEST_CASE(what_is_undefined_but_goes_on_is_warned_of) {
  const std::string init = "mbarrier.init.shared.b64 [s], 1;";
  BOOST_TEST(warned_rules(init).empty());
  BOOST_TEST(warned_rules(init + init) == "mbarrier.reinit ");
  BOOST_TEST(warned_rules(init + "mbarrier.inval.shared.b64 [s];" + init).empty());
  BOOST_TEST(warned_rules(init + "mbarrier.arrive_drop.shared.b64 _, [s];") ==
             "mbarrier.all-dropped ");
  BOOST_TEST(warned_rules("mbarrier.init.shared.b64 [s], 2;"
                          "mbarrier.arrive_drop.shared.b64 _, [s];")
                 .empty());
}

BOOST_AUTO_TEST_CASE(a_box_over_a_live_barrier_is_warned_of) {
  const std::string init = "mbarrier.init.shared.b64 [s], 1;";
  // 128 bytes that end before another barrier at s + 256, or hold it.
  const auto load = [&](int to) {
    return init +
           "mbarrier.init.shared.b64 [s + 256], 1;"
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 128;"
           "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s "
           "+ " +
           std::to_string(to) +
           "], [d28, {0}], [s];"
           "WAIT: mbarrier.try_wait.parity.shared::cta.b64 p0, [s], 0; @!p0 bra WAIT;";
  };
  BOOST_TEST(warned_rules(load(128)).empty());
  BOOST_TEST(warned_rules(load(256)) == "tma.over-mbarrier ");
}

BOOST_AUTO_TEST_SUITE_END()
