#include "tests/test.h"
#include "tests/vm/guest.h"

using namespace lc;

// Waiting, deadlocks, and grids whose clusters speak to each other through global memory.
BOOST_AUTO_TEST_SUITE(scheduler_tests)

namespace {

const char* const kRegisters =
    ".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n  mov.u32 %r0, %tid.x;\n";

struct Outcome {
  std::string rule, message;
  int line = 0;
};

Outcome outcome_of(const std::string& body, std::uint32_t threads, const std::string& before = "",
                   std::array<std::uint32_t, 3> cluster = {1, 1, 1}) {
  try {
    Guest guest(kernel("", kRegisters + body + "\n  ret;", before));
    machine::Launch launch = guest.launch({threads, 1, 1});
    launch.grid = launch.cluster = cluster;
    guest.run(launch);
  } catch (const machine::Fault& fault) {
    return {fault.rule, fault.what(), fault.place.line};
  }
  return {"none", "", 0};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_barrier_that_a_warp_leaves_out_is_a_deadlock_with_its_ledger) {
  const std::string body = R"(
  setp.lt.u32 %p0, %r0, 96;
  @%p0 bra WAIT;
HANG:
  bar.sync 2, 64;
  bra OUT;
WAIT:
  bar.sync 1, 128;
OUT:
)";
  const Outcome o = outcome_of(body, 128);
  BOOST_TEST(o.rule == "deadlock");
  BOOST_TEST(has(o.message,
                 "named barrier 1 of CTA rank 0 (96 of 128 threads have arrived: "
                 "warp 0, warp 1, warp 2)"),
             o.message);
  BOOST_TEST(
      has(o.message, "named barrier 2 of CTA rank 0 (32 of 64 threads have arrived: warp 3)"),
      o.message);
}

BOOST_AUTO_TEST_CASE(threads_that_exited_do_not_hold_up_a_barrier_of_all) {
  BOOST_TEST(outcome_of(R"(
  setp.lt.u32 %p0, %r0, 32;
  @%p0 exit;
  bar.sync 0;
)",
                        128)
                 .rule == "none");
}

BOOST_AUTO_TEST_CASE(an_mbarrier_that_is_owed_arrivals_is_a_deadlock_with_its_ledger) {
  const std::string body = R"(
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra WAIT;
  mbarrier.init.shared::cta.b64 [bar], 3;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4096;
WAIT:
  bar.sync 0;
SPIN:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
  @!%p1 bra SPIN;
)";
  const Outcome o = outcome_of(body, 32, ".shared .align 8 .b64 bar;");
  BOOST_TEST(o.rule == "deadlock");
  BOOST_TEST(has(o.message, "mbarrier 0x400"), o.message);
  BOOST_TEST(has(o.message, "2 of 3 arrivals pending"), o.message);
  BOOST_TEST(has(o.message, "4096 bytes owed"), o.message);
}

BOOST_AUTO_TEST_CASE(lanes_that_do_not_come_to_a_collective_are_named) {
  const Outcome o = outcome_of(R"(
  setp.lt.u32 %p0, %r0, 16;
  @%p0 bra OTHER;
  shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffffffff;
  bra OUT;
OTHER:
  vote.sync.ballot.b32 %r1, %p0, 0xffffffff;
OUT:
)",
                               32);
  BOOST_TEST(o.rule == "warp.missing-lanes");
  BOOST_TEST(has(o.message, "lanes 0xffffffff of its warp at this instruction, where 0xffff are"),
             o.message);
  BOOST_TEST(has(o.message, "where 0xffff0000 are"), o.message);
}

BOOST_AUTO_TEST_CASE(a_cluster_barrier_waits_for_every_cta) {
  BOOST_TEST(outcome_of(R"(
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)",
                        64, "", {4, 1, 1})
                 .rule == "none");
  const Outcome o = outcome_of(R"(
  mov.u32 %r1, %cluster_ctarank;
  setp.eq.u32 %p0, %r1, 2;
  @%p0 bar.sync 3, 128;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)",
                               64, "", {4, 1, 1});
  BOOST_TEST(o.rule == "deadlock");
  BOOST_TEST(has(o.message, "the cluster barrier (192 of 256 threads have arrived"), o.message);
}

BOOST_AUTO_TEST_CASE(a_loop_that_polls_for_ever_is_a_deadlock) {
  const std::string ptx = kernel(".param .u64 out", std::string(kRegisters) + R"(
  ld.param.u64 %rd0, [out];
SPIN:
  ld.acquire.gpu.global.u32 %r1, [%rd0];
  setp.eq.u32 %p0, %r1, 0;
  @%p0 bra SPIN;
  ret;)");
  Guest guest(ptx);
  const std::uint64_t flag = guest.buffer<std::uint32_t>(1);
  for (const std::uint32_t ctas : {1u, 3u, 400u}) {
    machine::Launch launch = guest.launch({64, 1, 1}, {flag});
    launch.grid = {ctas, 1, 1};
    const machine::RunResult result = machine::run(launch, guest.memory, guest.options);
    BOOST_TEST_REQUIRE(result.fault.has_value());
    BOOST_TEST(result.fault->rule == "deadlock");
  }
}

namespace {

/// Every CTA takes a ticket, waits until all before it have added, and appends its number: what
/// stands in `order` depends on how clusters take turns.
const char* const kTickets = R"(
  ld.param.u64 %rd0, [out];
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra OUT;
  mov.u32 %r1, %ctaid.x;
  atom.global.add.u32 %r2, [%rd0], 1;
  mul.wide.u32 %rd1, %r2, 4;
  add.s64 %rd1, %rd0, %rd1;
  st.global.u32 [%rd1+4], %r1;
OUT:
)";

std::vector<std::uint32_t> order_of_tickets(unsigned host_threads, std::uint32_t ctas) {
  machine::RunOptions options;
  options.host_threads = host_threads;
  Guest guest(kernel(".param .u64 out", kRegisters + std::string(kTickets) + "  ret;"), options);
  const std::uint64_t out = guest.buffer<std::uint32_t>(ctas + 1);
  machine::Launch launch = guest.launch({64, 1, 1}, {out});
  launch.grid = {ctas, 1, 1};
  guest.run(launch);
  return guest.read<std::uint32_t>(out, ctas + 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_order_of_atomics_does_not_depend_on_host_threads) {
  const auto once = order_of_tickets(1, 300);
  BOOST_TEST(once[0] == 300u);
  std::vector<std::uint32_t> sorted(once.begin() + 1, once.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < 300; ++i) BOOST_TEST_REQUIRE(sorted[i] == i);
  for (const unsigned threads : {2u, 3u, 7u}) BOOST_TEST(order_of_tickets(threads, 300) == once);
}

BOOST_AUTO_TEST_CASE(clusters_hand_data_on_through_flags) {
  // CTA i waits for flag i - 1, adds 1 to the value and raises flag i: a chain through the grid.
  const std::string ptx = kernel(".param .u64 out", std::string(kRegisters) + R"(
  ld.param.u64 %rd0, [out];
  setp.ne.u32 %p0, %r0, 0;
  @%p0 exit;
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd1, %r1, 8;
  add.s64 %rd1, %rd0, %rd1;
SPIN:
  ld.acquire.gpu.global.u32 %r2, [%rd1+4];
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra SPIN;
  ld.global.u32 %r3, [%rd1];
  add.u32 %r3, %r3, 1;
  st.global.u32 [%rd1+8], %r3;
  st.release.gpu.global.u32 [%rd1+12], 1;
  ret;)");
  for (const unsigned threads : {1u, 2u, 5u}) {
    machine::RunOptions options;
    options.host_threads = threads;
    Guest guest(ptx, options);
    constexpr std::uint32_t kCtas = 100;
    std::vector<std::uint32_t> cells(2 * (kCtas + 1), 0);
    cells[1] = 1;
    const std::uint64_t out = guest.buffer(cells);
    machine::Launch launch = guest.launch({32, 1, 1}, {out});
    launch.grid = {kCtas, 1, 1};
    guest.run(launch);
    BOOST_TEST(guest.read<std::uint32_t>(out, 2 * (kCtas + 1))[2 * kCtas] == kCtas);
  }
}

namespace {

std::string rule_of(Guest& guest, const machine::Launch& launch) {
  try {
    guest.run(launch);
  } catch (const machine::Fault& fault) {
    return fault.rule;
  }
  return "none";
}

/// Cooperative groups' barrier of a grid: the last arrival flips the top bit.
const char* const kGridSync = R"(
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x;
  mov.u32 %r2, %envreg1; mov.u32 %r3, %envreg2; mov.b64 %rd0, {%r3, %r2};
  setp.eq.u64 %p0, %rd0, 0;
  @%p0 trap;
  ld.param.u64 %rd1, [data];
  mad.wide.u32 %rd2, %r0, 4, %rd1;
  st.global.u32 [%rd2], %r0;
  setp.ne.u32 %p1, %r0, 0;
  sub.u32 %r4, 0x80000001, %r1;
  selp.b32 %r4, 1, %r4, %p1;
  atom.add.release.gpu.u32 %r5, [%rd0+4], %r4;
SPIN:
  ld.acquire.gpu.u32 %r6, [%rd0+4];
  xor.b32 %r6, %r6, %r5;
  setp.ge.s32 %p2, %r6, 0;
  @%p2 bra SPIN;
  add.u32 %r7, %r0, 1; rem.u32 %r7, %r7, %r1;
  mad.wide.u32 %rd3, %r7, 4, %rd1;
  ld.global.u32 %r8, [%rd3];
  st.global.u32 [%rd2+1024], %r8;
  ret;)";

}  // namespace

BOOST_AUTO_TEST_CASE(ctas_of_a_cooperative_grid_meet) {
  Guest guest(kernel(".param .u64 data", kGridSync));
  const std::uint64_t data = guest.buffer<std::uint32_t>(512);
  machine::Launch launch = guest.launch({1, 1, 1}, {data});
  launch.grid = {100, 1, 1};
  BOOST_TEST(rule_of(guest, launch) == "trap");  // no workspace
  launch.workspace = guest.buffer(8);
  for (int run = 0; run < 2; ++run) {
    BOOST_TEST(rule_of(guest, launch) == "none");
    const auto got = guest.read<std::uint32_t>(data + 1024, 100);
    for (std::uint32_t i = 0; i < 100; ++i) BOOST_TEST(got[i] == (i + 1) % 100);
  }
}

BOOST_AUTO_TEST_CASE(a_cooperative_grid_has_room_for_all_its_ctas) {
  Guest guest(kernel(".param .u64 data", kGridSync));
  machine::Launch launch = guest.launch({1024, 1, 1}, {guest.buffer<std::uint32_t>(8)});
  launch.workspace = guest.buffer(8);
  launch.grid = {2 * guest.options.multiprocessors + 1, 1, 1};
  BOOST_TEST(rule_of(guest, launch) == "launch.cooperative");
}

BOOST_AUTO_TEST_CASE(a_loop_may_test_many_places) {
  // Twelve flags that nobody sets: a deadlock, found without a limit of instructions.
  std::string body = "ld.param.u64 %rd0, [flags];\nSPIN:\n mov.u32 %r1, 0;\n";
  for (int i = 0; i < 12; ++i) {
    body += "ld.acquire.gpu.global.u32 %r2, [%rd0+" + std::to_string(4 * i) +
            "]; or.b32 %r1, %r1, %r2;\n";
  }
  body += "setp.eq.u32 %p0, %r1, 0;\n@%p0 bra SPIN;\nret;";
  Guest guest(kernel(".param .u64 flags", kRegisters + body));
  guest.options.max_instructions = 1'000'000;
  const auto flags = guest.buffer<std::uint32_t>(16);
  BOOST_TEST(rule_of(guest, guest.launch({1, 1, 1}, {flags})) == "deadlock");
}

BOOST_AUTO_TEST_CASE(a_delay_that_counts_naps_ends_and_one_that_does_not_is_a_deadlock) {
  const auto naps = [](const std::string& step) {
    return outcome_of("mov.u32 %r1, 0;\nSPIN:\nnanosleep.u32 100;\n" + step +
                          "setp.lt.u32 %p0, %r1, 100000;\n@%p0 bra SPIN;",
                      64)
        .rule;
  };
  BOOST_TEST(naps("add.u32 %r1, %r1, 1;\n") == "none");
  BOOST_TEST(naps("xor.b32 %r1, %r1, 1;\n") == "deadlock");
}

BOOST_AUTO_TEST_SUITE_END()
