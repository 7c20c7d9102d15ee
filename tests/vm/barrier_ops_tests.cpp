#include "tests/test.h"
#include "tests/vm/lane_program.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(barrier_ops_tests)

namespace {

/// Every thread stores its number and reads that of the thread at the other end.
std::string exchange(const std::string& barrier) {
  return "mov.u32 r2, s; shl.b32 r1, r0, 2; add.u32 r1, r1, r2; st.shared.u32 [r1], r0;" + barrier +
         "mov.u32 r3, %ntid.x; sub.u32 r3, r3, 1; sub.u32 r3, r3, r0; shl.b32 r3, r3, 2;"
         "add.u32 r3, r3, r2; ld.shared.u32 d0, [r3];";
}

}  // namespace

BOOST_AUTO_TEST_CASE(barriers_order_the_threads_of_a_cta) {
  for (const char* barrier :
       {"bar.sync 0;", "bar.cta.sync 3;", "barrier.sync 1;", "barrier.cta.sync.aligned 2;",
        "mov.u32 r9, 5; barrier.sync r9;", "bar.sync 0, 96;", "bar.red.popc.u32 r9, 0, p0;",
        "bar.red.and.pred p0, 0, 96, !p1;"}) {
    BOOST_TEST_CONTEXT(barrier) {
      const auto got = results_of(exchange(barrier), {.threads = 96});
      for (std::uint64_t t = 0; t < 96; ++t) BOOST_TEST_REQUIRE(got[t] == 95 - t);
    }
  }
}

BOOST_AUTO_TEST_CASE(barriers_reduce_predicates) {
  const std::string setp =
      "setp.lt.u32 p0, r0, 40; setp.lt.u32 p1, r0, 64; setp.gt.u32 p2, r0, 99;";
  const LaneRun two{.threads = 64};
  const auto value = [&](const std::string& body) { return results_of(setp + body, two)[50]; };
  BOOST_TEST(value("bar.red.popc.u32 r1, 0, p0; cvt.u64.u32 d0, r1;") == 40u);
  BOOST_TEST(value("bar.red.popc.u32 r1, 0, 64, !p0; cvt.u64.u32 d0, r1;") == 24u);
  BOOST_TEST(value("barrier.red.and.pred p3, 0, p0; selp.u64 d0, 1, 0, p3;") == 0u);
  BOOST_TEST(value("barrier.red.and.aligned.pred p3, 0, p1; selp.u64 d0, 1, 0, p3;") == 1u);
  BOOST_TEST(value("bar.red.or.pred p3, 0, p0; selp.u64 d0, 1, 0, p3;") == 1u);
  BOOST_TEST(value("bar.red.or.pred p3, 0, p2; selp.u64 d0, 1, 0, p3;") == 0u);
}

BOOST_AUTO_TEST_CASE(producers_arrive_and_consumers_wait) {
  const std::string body = R"(
  setp.lt.u32 p0, r0, 32;
  mov.u64 d0, 0;
  @p0 bra CONSUME;
  nanosleep.u32 100;
  st.shared.u32 [s], 7;
  bar.arrive 1, 64;
  bra DONE;
 CONSUME: bar.sync 1, 64;
  ld.shared.u32 d0, [s];
 DONE:)";
  BOOST_TEST(results_of(body, {.threads = 64})[3] == 7u);
}

BOOST_AUTO_TEST_CASE(warps_that_are_not_full_count_as_warps) {
  const LaneRun partial{.threads = 40};
  const auto got = results_of(exchange("bar.sync 0, 64;"), partial);
  for (std::uint64_t t = 0; t < 40; ++t) BOOST_TEST_REQUIRE(got[t] == 39 - t);
  // Lanes that have exited need not come.
  BOOST_TEST(
      results_of("mov.u64 d0, 0; setp.eq.u32 p0, r0, 3; @p0 exit; bar.sync 0; bar.sync 1, 64;"
                 "mov.u64 d0, 1;",
                 {.threads = 64})[40] == 1u);
  // Votes of lanes that are not there do not count.
  BOOST_TEST(
      results_of("setp.lt.u32 p0, r0, 99; bar.red.and.pred p1, 0, 64, p0; selp.u64 d0, 1, 0, p1;",
                 partial)[39] == 1u);
  BOOST_TEST(
      results_of("setp.lt.u32 p0, r0, 99; bar.red.popc.u32 r1, 0, 64, p0; cvt.u64.u32 d0, r1;",
                 partial)[39] == 40u);
}

BOOST_AUTO_TEST_CASE(lanes_may_name_different_barriers) {
  // Lane l of each of two warps meets at barrier l / 16.
  const auto got =
      results_of("and.b32 r1, r0, 31; shr.u32 r1, r1, 4; barrier.sync r1, 32; mov.u64 d0, 1;",
                 {.threads = 64});
  for (const std::uint64_t r : got) BOOST_TEST_REQUIRE(r == 1u);
}

BOOST_AUTO_TEST_CASE(wrong_barriers_are_told) {
  const LaneRun two{.threads = 64};
  BOOST_TEST(rule_of("bar.sync 16;") == "parse");
  BOOST_TEST(rule_of("bar.sync 0, 33;") == "parse");
  BOOST_TEST(rule_of("bar.arrive 0;") == "parse");
  BOOST_TEST(rule_of("mov.u32 r1, 16; bar.sync r1;") == "barrier.number");
  BOOST_TEST(rule_of("mov.u32 r1, 40; bar.sync 0, r1;") == "barrier.thread-count");
  BOOST_TEST(rule_of("mov.u32 r1, 0; bar.sync 0, r1;") == "barrier.thread-count");
  BOOST_TEST(rule_of("setp.lt.u32 p0, r0, 32; @p0 bar.sync 0; @!p0 bar.sync 0, 32;", two) !=
             "none");
  BOOST_TEST(rule_of("bar.sync 0, 96;", two) == "deadlock");
  // The other lanes exit, or they wait elsewhere.
  BOOST_TEST(rule_of("setp.lt.u32 p0, r0, 7; @p0 bar.sync 0;") == "none");
  BOOST_TEST(rule_of("setp.lt.u32 p0, r0, 7; @p0 bar.sync 0; bar.sync 1;") == "warp.missing-lanes");
}

BOOST_AUTO_TEST_CASE(ctas_of_a_cluster_see_one_another_after_the_cluster_barrier) {
  const LaneRun pair{.threads = 64, .ctas = 4, .cluster = 2};
  for (const char* barrier :
       {"barrier.cluster.arrive; barrier.cluster.wait;",
        "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;",
        "barrier.cluster.arrive.relaxed.aligned; nanosleep.u32 1; barrier.cluster.wait;"}) {
    const std::string body =
        "mov.u32 r1, %ctaid.x; add.u32 r2, r1, 50; st.shared.u32 [s], r2;" + std::string(barrier) +
        "mov.u32 r3, %cluster_ctarank; xor.b32 r3, r3, 1; mov.u32 r4, s;"
        "mapa.shared::cluster.u32 r5, r4, r3; ld.shared::cluster.u32 d0, [r5];" +
        barrier;
    const auto got = results_of(body, pair);
    for (std::uint64_t cta = 0; cta < 4; ++cta) BOOST_TEST(got[64 * cta + 40] == (cta ^ 1) + 50);
  }
}

BOOST_AUTO_TEST_CASE(addresses_of_other_ctas) {
  const LaneRun pair{.threads = 32, .ctas = 2, .cluster = 2};
  const std::string end = "barrier.cluster.arrive; barrier.cluster.wait;";
  const auto at = [&](const std::string& body) { return results_of(body + end, pair)[32]; };
  BOOST_TEST(at("mapa.shared::cluster.u32 r1, s, 0; cvt.u64.u32 d0, r1;") == 0x400u);
  BOOST_TEST(at("mov.u32 r2, s; mapa.shared::cluster.u32 r1, r2, 1; cvt.u64.u32 d0, r1;") ==
             0x1000400u);
  BOOST_TEST(at("getctarank.shared::cluster.u32 r1, s; cvt.u64.u32 d0, r1;") == 1u);
  const std::string generic = "mov.u64 d1, s; cvta.shared.u64 d1, d1;";
  BOOST_TEST(at(generic + "mapa.u64 d2, d1, 0; getctarank.u64 r1, d2; cvt.u64.u32 d0, r1;") == 0u);
  BOOST_TEST(
      at(generic + "mapa.u64 d2, d1, 0; st.u32 [d2 + 8], 5;" + end + "ld.u32 d0, [d2 + 8];") == 5u);
  BOOST_TEST(rule_of("mapa.u64 d2, d28, 0;", {.parameter = 64}) == "generic.not-shared");
  BOOST_TEST(rule_of("mapa.u32 r1, r2, 0;") == "parse");
  // A rank that the cluster does not have is found when the address is used.
  BOOST_TEST(rule_of("mapa.shared::cluster.u32 r1, s, 2; ld.shared::cluster.u32 r2, [r1];" + end,
                     pair) == "shared.no-such-cta");
}

BOOST_AUTO_TEST_CASE(threads_that_left_are_not_waited_for_in_the_cluster) {
  const LaneRun pair{.threads = 32, .ctas = 2, .cluster = 2};
  BOOST_TEST(results_of("mov.u64 d0, 1; setp.lt.u32 p0, r0, 9; @p0 exit; barrier.cluster.arrive;"
                        "barrier.cluster.wait;",
                        pair)[12] == 1u);
  BOOST_TEST(rule_of("mov.u32 r1, %cluster_ctarank; setp.eq.u32 p0, r1, 0; @p0 bra L;"
                     "barrier.cluster.arrive; barrier.cluster.wait; bra M; L: bar.sync 1, 64; M:",
                     pair) == "deadlock");
  BOOST_TEST(rule_of("barrier.cluster.arrive; barrier.cluster.arrive;", pair) ==
             "barrier.cluster.arrives-twice");
}

BOOST_AUTO_TEST_CASE(fences_and_hints_are_accepted_as_the_isa_spells_them) {
  const LaneRun g{.before = ".global .align 128 .b8 g[128];"};
  for (const char* body :
       {"fence.acq_rel.gpu;",
        "fence.sc.cta;",
        "fence.acquire.cluster;",
        "fence.release.sys;",
        "fence.gpu;",
        "fence.mbarrier_init.release.cluster;",
        "fence.proxy.alias;",
        "fence.proxy.async;",
        "fence.proxy.async.global;",
        "fence.proxy.async.shared::cta;",
        "fence.proxy.async.shared::cluster;",
        "fence.proxy.tensormap::generic.release.gpu;",
        "mov.u64 d1, g; fence.proxy.tensormap::generic.acquire.sys [d1], 128;",
        "fence.acquire.sync_restrict::shared::cluster.cluster;",
        "fence.release.sync_restrict::shared::cta.cluster;",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
        "membar.gl;",
        "membar.cta;",
        "membar.proxy.alias;",
        "griddepcontrol.wait;",
        "griddepcontrol.launch_dependents;",
        "setmaxnreg.inc.sync.aligned.u32 232;",
        "setmaxnreg.dec.sync.aligned.u32 24;",
        "nanosleep.u32 20;",
        "nanosleep.u32 r0;",
        "pmevent 3;",
        "pmevent.mask 0x8001;"}) {
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(rule_of(body, g) == "none");
    }
  }
  for (const char* body :
       {"fence.acq_rel;", "fence.proxy.tensormap::generic.acquire.gpu [d1], 64;", "membar.gpu;",
        "setmaxnreg.inc.sync.aligned.u32 230;", "setmaxnreg.inc.sync.aligned.u32 264;",
        "setmaxnreg.dec.sync.aligned.u32 16;", "pmevent 16;", "nanosleep.u64 d1;"}) {
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(rule_of(body, g) == "parse");
    }
  }
  BOOST_TEST(rule_of("mov.u64 d1, g; add.u64 d1, d1, 64;"
                     "fence.proxy.tensormap::generic.acquire.gpu [d1], 128;",
                     g) == "global.misaligned");
}

BOOST_AUTO_TEST_SUITE_END()
