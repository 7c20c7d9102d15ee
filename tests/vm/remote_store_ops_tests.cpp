#include "tests/test.h"
#include "tests/vm/lane_program.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(remote_store_ops_tests)

namespace {

/// Two CTAs of a cluster; each expects `bytes` on its barrier at s, sends to the other, waits, and
/// reads d0 from s + 64.
std::string pair_program(int bytes, const std::string& send, const std::string& read) {
  return R"(
  setp.eq.u32 p7, r0, 0;
  st.shared.u64 [s + 64], 3;
  @p7 mbarrier.init.shared::cta.b64 [s], 1;
  @p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], )" +
         std::to_string(bytes) + R"(;
  barrier.cluster.arrive; barrier.cluster.wait;
  mov.u32 r1, %cluster_ctarank; xor.b32 r2, r1, 1; add.u32 r1, r1, 70;
  mapa.shared::cluster.u32 r3, s, r2;
  mov.u64 d1, s; cvta.shared.u64 d1, d1; mapa.u64 d2, d1, r2; cvt.u64.u32 d3, r1;
)" + send +
         R"(
 LOOP: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p0, [s], 0;
  @!p0 bra LOOP;
)" + read +
         "barrier.cluster.arrive; barrier.cluster.wait;";
}

constexpr std::string_view kComplete = "mbarrier::complete_tx::bytes";

}  // namespace

BOOST_AUTO_TEST_CASE(stores_arrive_with_their_bytes) {
  for (const auto kind : {machine::Schedule::Kind::eager, machine::Schedule::Kind::lazy,
                          machine::Schedule::Kind::random}) {
    machine::RunOptions options;
    options.schedule.kind = kind;
    const LaneRun pair{.ctas = 2, .cluster = 2, .options = options};
    const std::string read = "ld.shared.u64 d0, [s + 64];";
    const auto sent = [&](int bytes, const std::string& send) {
      const auto got = results_of(pair_program(bytes, send, read), pair);
      BOOST_TEST(got[0] == 71u);
      return got[32];
    };
    BOOST_TEST(sent(4, "@p7 st.async.weak.shared::cluster." + std::string(kComplete) +
                           ".u32 [r3 + 64], r1, [r3];") == 70u);
    BOOST_TEST(sent(8, "@p7 st.async." + std::string(kComplete) + ".b64 [d2 + 64], d3, [d2];") ==
               70u);
    BOOST_TEST(sent(8, "@p7 st.async.shared::cluster." + std::string(kComplete) +
                           ".v2.b32 [r3 + 64], {r1, 0}, [r3];") == 70u);
  }
}

BOOST_AUTO_TEST_CASE(reductions_of_all_lanes_arrive) {
  const LaneRun pair{.ctas = 2, .cluster = 2};
  const std::string head = "red.async.relaxed.cluster.shared::cluster." + std::string(kComplete);
  const auto sum = [&](const std::string& what, const std::string& value, int bytes = 4) {
    return results_of(pair_program(32 * bytes, head + what + " [r3 + 64], " + value + ", [r3];",
                                   "ld.shared.u64 d0, [s + 64];"),
                      pair)[5];
  };
  BOOST_TEST(sum(".add.u32", "r0") == 3u + 496u);
  BOOST_TEST(sum(".add.u64", "d3", 8) == 3u + 32u * 71u);
  BOOST_TEST(sum(".max.s32", "r0") == 31u);
  BOOST_TEST(sum(".min.u32", "r0") == 0u);
  BOOST_TEST(sum(".or.b32", "r0") == 31u);
  BOOST_TEST(sum(".inc.u32", "r1") == 35u);
}

BOOST_AUTO_TEST_CASE(stores_to_global_memory_are_done_at_the_end) {
  machine::RunOptions options;
  options.schedule.kind = machine::Schedule::Kind::lazy;
  Guest guest(
      lane_program("red.async.release.gpu.global.add.u32 [d28], r0;"
                   "setp.eq.u32 p0, r0, 4; @p0 st.async.release.sys.global.u16 [d28 + 8], h0;"
                   "mov.b16 h1, 9; @p0 st.async.mmio.release.sys.global.b16 [d28 + 10], h1;"),
      options);
  const std::uint64_t at = guest.buffer(16);
  results_of(guest, {.ctas = 3, .parameter = at});
  BOOST_TEST(guest.read<std::uint32_t>(at, 1)[0] == 3 * 496u);
  BOOST_TEST(guest.read<std::uint32_t>(at + 8, 1)[0] == 9u << 16);
}

BOOST_AUTO_TEST_CASE(data_and_barrier_lie_in_one_cta) {
  const LaneRun pair{.ctas = 2, .cluster = 2};
  const std::string send =
      "@p7 st.async.shared::cluster." + std::string(kComplete) + ".u32 [r3 + 64], r1, [s];";
  BOOST_TEST(rule_of(pair_program(4, send, ""), pair) == "async-store.cta");
  BOOST_TEST(rule_of(pair_program(4,
                                  "@p7 st.async.shared::cluster." + std::string(kComplete) +
                                      ".u32 [r3 + 66], r1, [r3];",
                                  ""),
                     pair) == "shared.misaligned");
  for (const char* body :
       {"st.async.shared::cta.mbarrier::complete_tx::bytes.u32 [s], r1, [s];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u16 [s], h1, [s];",
        "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.f32 [d1], r1, [d2];",
        "red.async.relaxed.gpu.mbarrier::complete_tx::bytes.add.u32 [d1], r1, [d2];",
        "st.async.mmio.release.gpu.global.u32 [d28], r1;"}) {
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(rule_of(body) == "parse");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
