#include <algorithm>

#include "tests/test.h"
#include "tests/vm/lane_program.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(launch_control_ops_tests)

namespace {

/// Every CTA counts itself at d28 + 4 * number, then takes over clusters that were not launched
/// until there are none.  The first CTA's number in a cancelled cluster is x + 4 * y.
const std::string kTakeOver = R"(
  mov.u32 r1, %ctaid.x; mov.u32 r2, %ctaid.y; mad.lo.u32 r3, r2, 4, r1;
  mov.u32 r10, %cluster_ctarank;
  setp.eq.u32 p7, r0, 0;
  mov.u32 r20, 0;
  @p7 mbarrier.init.shared::cta.b64 [s], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive; barrier.cluster.wait;
 NEXT:
  mul.wide.u32 d1, r3, 4; add.u64 d1, d1, d28;
  @p7 red.global.add.u32 [d1], 1;
  @p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 16;
  barrier.cluster.arrive; barrier.cluster.wait;
  setp.eq.and.u32 p6, r10, 0, p7;
  @p6 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [s + 16], [s];
 LOOP: mbarrier.try_wait.parity.shared::cta.b64 p0, [s], r20;
  @!p0 bra LOOP;
  xor.b32 r20, r20, 1;
  ld.shared.b128 q0, [s + 16];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p1, q0;
  clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r4, r5, r6, _}, q0;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 r7, q0;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 r8, q0;
  mad.lo.u32 r3, r8, 4, r7;
  add.u32 r3, r3, r10;
  barrier.cluster.arrive; barrier.cluster.wait;
  @p1 bra NEXT;
  mov.u64 d0, 1;
)";

std::vector<std::uint32_t> counts(std::uint32_t cluster, std::uint32_t places) {
  machine::RunOptions options;
  options.multiprocessors = places;
  Guest guest(kernel(".param .u64 in", R"(
  .reg .pred p<8>; .reg .b32 r<32>; .reg .b64 d<32>; .reg .b128 q<4>;
  .shared .align 1024 .b8 s[163840];
  mov.u32 r0, %tid.x; ld.param.u64 d28, [in];
)" + kTakeOver + "ret;"),
              options);
  const std::uint64_t at = guest.buffer(64);
  machine::Launch launch = guest.launch({32, 1, 1}, {at});
  launch.grid = {4, 3, 1};
  launch.cluster = {cluster, 1, 1};
  guest.run(launch);
  return guest.read<std::uint32_t>(at, 13);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_cta_is_done_once_whoever_does_it) {
  for (const std::uint32_t cluster : {1u, 2u}) {
    for (const std::uint32_t places : {2u, 5u, 100u}) {
      const auto got = counts(cluster, places);
      BOOST_TEST_CONTEXT("clusters of " << cluster << ", places for " << places) {
        for (std::size_t i = 0; i < 12; ++i) BOOST_TEST(got[i] == 1u);
        BOOST_TEST(got[12] == 0u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_answer_that_says_no) {
  const std::string ask =
      "setp.eq.u32 p7, r0, 0; @p7 mbarrier.init.shared::cta.b64 [s], 1; bar.warp.sync -1;"
      "mov.u64 d1, s; cvta.shared.u64 d1, d1;"
      "@p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 16;"
      "@p7 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [d1 + 16], [d1];"
      "LOOP: mbarrier.try_wait.parity.shared::cta.b64 p0, [s], 0; @!p0 bra LOOP;"
      "ld.shared.v2.b64 {d2, d3}, [s + 16]; mov.b128 q0, {d2, d3};"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p1, q0; selp.u64 d0, 7, 5, p1;";
  BOOST_TEST(results_of(ask)[3] == 5u);
  BOOST_TEST(
      rule_of("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
              ".b128 [s + 8], [s];",
              {.threads = 1}) == "shared.misaligned");
  BOOST_TEST(rule_of("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p1, d1;") == "parse");
}

BOOST_AUTO_TEST_SUITE_END()
