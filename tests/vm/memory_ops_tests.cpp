#include <random>

#include "tests/test.h"
#include "tests/vm/lane_program.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(memory_ops_tests)

namespace {

/// What lane 0 has in d0.
std::uint64_t first(const std::string& body, const LaneRun& how = {}) {
  return results_of(body, how)[0];
}

const std::string kFill =
    "mov.b64 d1, 0xF1F2F3F4F5F6F788; st.shared.b64 [s], d1; st.shared.b64 [s + 8], "
    "0x1122334455667788;";

}  // namespace

BOOST_AUTO_TEST_CASE(loads_widen_by_their_type) {
  BOOST_TEST(first(kFill + "ld.shared.u8 d0, [s];") == 0x88u);
  BOOST_TEST(first(kFill + "ld.shared.b8 d0, [s];") == 0x88u);
  BOOST_TEST(first(kFill + "ld.shared.s8 d0, [s];") == 0xFFFFFFFFFFFFFF88u);
  BOOST_TEST(first(kFill + "ld.shared.s8 r1, [s]; cvt.u64.u32 d0, r1;") == 0xFFFFFF88u);
  BOOST_TEST(first(kFill + "ld.shared.s8 h1, [s]; cvt.u64.u16 d0, h1;") == 0xFF88u);
  BOOST_TEST(first(kFill + "ld.shared.s16 d0, [s];") == 0xFFFFFFFFFFFFF788u);
  BOOST_TEST(first(kFill + "ld.shared.u16 d0, [s];") == 0xF788u);
  BOOST_TEST(first(kFill + "ld.shared.s32 d0, [s];") == 0xFFFFFFFFF5F6F788u);
  BOOST_TEST(first(kFill + "ld.shared.f32 r1, [s]; cvt.u64.u32 d0, r1;") == 0xF5F6F788u);
  BOOST_TEST(first(kFill + "ld.shared.f64 d0, [s];") == 0xF1F2F3F4F5F6F788u);
}

BOOST_AUTO_TEST_CASE(stores_take_the_low_bits) {
  const std::string load = "ld.shared.u64 d0, [s + 8];";
  const std::string value = "mov.b64 d1, 0xA1A2A3A4A5A6A7A8; cvt.u32.u64 r1, d1;";
  BOOST_TEST(first(kFill + value + "st.shared.u8 [s + 9], d1;" + load) == 0x112233445566A888u);
  BOOST_TEST(first(kFill + value + "st.shared.b16 [s + 10], r1;" + load) == 0x11223344A7A87788u);
  BOOST_TEST(first(kFill + value + "st.shared.s32 [s + 12], d1;" + load) == 0xA5A6A7A855667788u);
  BOOST_TEST(first(kFill + value + "st.shared.v2.u16 [s + 8], {r1, 7};" + load) ==
             0x112233440007A7A8u);
}

BOOST_AUTO_TEST_CASE(vectors_are_elements_side_by_side) {
  const std::string load = "ld.shared.v4.u16 {h0, h1, h2, h3}, [s]; ";
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t want = 0xF1F2F3F4F5F6F788u >> 16 * i & 0xFFFF;
    BOOST_TEST(first(kFill + load + "cvt.u64.u16 d0, h" + std::to_string(i) + ";") == want);
  }
  const std::string store = "mov.b32 r4, 9; st.shared.v4.b32 [s + 16], {r0, 5, r4, 7};";
  BOOST_TEST(first(kFill + store + "ld.shared.v2.b64 {d1, d0}, [s + 16];") == 0x700000009u);
}

BOOST_AUTO_TEST_CASE(registers_of_128_bits_hold_sixteen_bytes) {
  BOOST_TEST(first(kFill + "ld.shared.b128 q0, [s]; st.shared.b128 [s + 32], q0;"
                           "ld.shared.b64 d0, [s + 40];") == 0x1122334455667788u);
  BOOST_TEST(first(kFill + "ld.shared.b128 q0, [s]; st.shared.b128 [s + 32], q0;"
                           "ld.shared.b64 d0, [s + 32];") == 0xF1F2F3F4F5F6F788u);
}

BOOST_AUTO_TEST_CASE(every_space_is_reached_by_its_name_and_generically) {
  const LaneRun globals{.before = ".global .u32 g[4] = {3, 4, 5, 6}; .const .u32 c[2] = {7, 8};"};
  BOOST_TEST(first("ld.global.u32 d0, [g + 4];", globals) == 4u);
  BOOST_TEST(first("ld.global.nc.L1::no_allocate.u32 d0, [g + 8];", globals) == 5u);
  BOOST_TEST(first("mov.u64 d1, g; ld.u32 d0, [d1 + 12];", globals) == 6u);
  BOOST_TEST(first("ld.const.u32 d0, [c + 4];", globals) == 8u);
  BOOST_TEST(first("ldu.global.u32 d0, [g];", globals) == 3u);
  BOOST_TEST(first("mov.u64 d1, g; st.u32 [d1], 77; ld.global.u32 d0, [g];", globals) == 77u);
  BOOST_TEST(
      first(".local .b32 l[4]; st.local.u32 [l + 4], 9; mov.u64 d1, l; cvta.local.u64 d1, d1;"
            "ld.u32 d0, [d1 + 4];") == 9u);
  BOOST_TEST(first("st.shared.u32 [s + 4], 9; mov.u64 d1, s; cvta.shared.u64 d1, d1;"
                   "ld.u32 d0, [d1 + 4];") == 9u);
  BOOST_TEST(first("ld.param.u64 d0, [in];", {.parameter = 99}) == 99u);
}

BOOST_AUTO_TEST_CASE(local_memory_is_of_each_lane) {
  const auto got = results_of(
      ".local .b32 l[2]; st.local.u32 [l + 4], r0; bar.warp.sync -1; ld.local.u32 d0, [l + 4];");
  for (std::uint64_t lane = 0; lane < 32; ++lane) BOOST_TEST(got[lane] == lane);
}

BOOST_AUTO_TEST_CASE(parameters_of_calls_are_of_each_lane_and_call) {
  const LaneRun with_function{.before = R"(
.func (.param .b64 sum) add3(.param .align 16 .b8 pair[16], .param .b32 third) {
  .reg .b64 a<4>; .reg .b32 r<2>;
  ld.param.v2.b64 {a0, a1}, [pair];
  ld.param.u32 a2, [third];
  ld.param::func.b8 r0, [pair + 1];
  add.u64 a0, a0, a1; add.u64 a0, a0, a2;
  st.param.b64 [sum], a0;
  ret;
})"};
  const auto got = results_of(R"(
  cvt.u64.u32 d1, r0; mov.u64 d2, 1000;
  { .param .align 16 .b8 p0[16]; .param .b32 p1; .param .b64 v;
    st.param.b64 [p0], d1; st.param.b64 [p0 + 8], d2; st.param.b32 [p1], 7;
    call.uni (v), add3, (p0, p1); ld.param.b64 d0, [v]; }
  { .param .align 16 .b8 p0[16]; .param .b32 p1; .param .b64 v;
    st.param.v2.b64 [p0], {d0, d1}; st.param.b32 [p1], r0;
    call.uni (v), add3, (p0, p1); ld.param.b64 d0, [v]; })",
                              with_function);
  for (std::uint64_t lane = 0; lane < 32; ++lane) BOOST_TEST(got[lane] == 3 * lane + 1007);
}

BOOST_AUTO_TEST_CASE(lanes_in_one_piece_and_lanes_apart_load_the_same) {
  // Addresses of lanes come from a table: near ones take the path for one allocation, far ones that
  // for each lane.
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Guest guest(
        lane_program("mul.wide.u32 d1, r0, 8; add.u64 d1, d1, d28; ld.global.u64 d1, [d1];"
                     "ld.global.v2.u32 {r2, r3}, [d1]; mov.b64 d0, {r2, r3};"
                     "setp.lt.u32 p0, r0, 20; @p0 st.global.v2.u32 [d1], {r3, r2};"));
    std::vector<std::uint64_t> a(64), b(64);
    for (auto* v : {&a, &b}) {
      for (auto& x : *v) x = (std::uint64_t{random()} << 32) | random();
    }
    const std::uint64_t at_a = guest.buffer(a), at_b = guest.buffer(b);
    std::vector<std::size_t> index(64);
    for (std::size_t i = 0; i < 64; ++i) index[i] = i;
    std::shuffle(index.begin(), index.end(), random);
    std::vector<std::uint64_t> addresses;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const bool far = round % 2 != 0 && random() % 2 == 0;
      addresses.push_back((far ? at_b : at_a) + 8 * index[lane]);
    }
    const std::uint64_t table = guest.buffer(addresses);
    const auto got = results_of(guest, {.parameter = table});
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const bool far = addresses[lane] >= at_b && addresses[lane] < at_b + 512;
      const std::uint64_t want = (far ? b : a)[index[lane]];
      BOOST_TEST_REQUIRE(got[lane] == want);
      const std::uint64_t now = guest.read<std::uint64_t>(addresses[lane], 1)[0];
      BOOST_TEST_REQUIRE(now == (lane < 20 ? want >> 32 | want << 32 : want));
    }
  }
}

BOOST_AUTO_TEST_CASE(lanes_that_are_off_neither_load_nor_store) {
  const auto got = results_of(
      "mov.u64 d0, 5; setp.eq.u32 p0, r0, 3; mov.u64 d1, 1;"
      "@p0 mov.u64 d1, 0; @!p0 mov.u64 d2, s; @p0 ld.shared.u8 d0, [s];"
      "@!p0 ld.shared.u8 d3, [s];");
  BOOST_TEST(got[3] == 0u);
  BOOST_TEST(got[4] == 5u);
  // The guard keeps a bad address from being used.
  BOOST_TEST(rule_of("setp.ne.u32 p0, r0, r0; mov.u64 d1, 12345; @p0 ld.global.u8 d0, [d1];") ==
             "none");
}

BOOST_AUTO_TEST_CASE(wrong_addresses_are_faults) {
  BOOST_TEST(rule_of("ld.shared.u32 d0, [s + 2];") == "shared.misaligned");
  BOOST_TEST(rule_of("ld.shared.v2.u32 {r1, r2}, [s + 4];") == "shared.misaligned");
  BOOST_TEST(rule_of("ld.shared.u32 d0, [s + 4092];") == "none");
  BOOST_TEST(rule_of("ld.shared.u32 d0, [s + 4096];") == "shared.out-of-bounds");
  BOOST_TEST(rule_of("mov.u32 r1, 0; ld.shared.u32 d0, [r1];") == "none");
  BOOST_TEST(rule_of("mov.u32 r1, 0; st.shared.u32 [r1], r0;") == "shared.reserved");
  BOOST_TEST(rule_of("mov.u32 r1, 0x1000400; ld.shared.u32 d0, [r1];") == "shared.no-such-cta");
  BOOST_TEST(rule_of("mov.u32 r1, 0x1000400; ld.shared.u32 d0, [r1]; barrier.cluster.arrive;"
                     "barrier.cluster.wait;",
                     {.ctas = 2, .cluster = 2}) == "shared.foreign-cta");
  BOOST_TEST(rule_of("mov.u64 d1, 0x123450; ld.global.u32 d0, [d1];") == "global.unallocated");
  BOOST_TEST(rule_of("st.global.u32 [g + 16], r0;", {.before = ".global .u32 g[4];"}) ==
             "global.out-of-bounds");
  BOOST_TEST(rule_of("mov.u64 d1, c; st.u32 [d1], r0;", {.before = ".const .u32 c = 1;"}) ==
             "global.read-only");
  BOOST_TEST(
      rule_of(
          "mov.u64 d1, s; cvta.shared.u64 d1, d1; ld.v8.b32 {r1,r2,r3,r4,r5,r6,r7,r8}, [d1];") ==
      "memory.wide");
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_first_lane_with_a_bad_address) {
  try {
    results_of(
        "setp.gt.u32 p0, r0, 6; mov.u64 d1, s; @p0 add.u64 d1, d1, 1; ld.shared.u16 d0, [d1];");
    BOOST_ERROR("no fault");
  } catch (const machine::Fault& fault) {
    BOOST_TEST(fault.place.lane == 7);
    BOOST_TEST(fault.rule == "shared.misaligned");
  }
}

BOOST_AUTO_TEST_CASE(spellings_of_the_isa_are_accepted) {
  const LaneRun g{.before = ".global .align 128 .u32 g[64]; .const .align 16 .u32 c[8];"};
  for (const char* body :
       {"ld.global.ca.L2::128B.v4.f32 {r1,r2,r3,r4}, [g];",
        "ld.relaxed.gpu.global.u32 r1, [g];",
        "ld.acquire.sys.global.L1::evict_last.L2::cache_hint.u32 r1, [g], d28;",
        "ld.mmio.relaxed.sys.global.u32 r1, [g];",
        "ld.volatile.shared::cta.v2.u32 {r1,r2}, [s];",
        "ld.global.nc.L1::evict_normal.L2::evict_first.L2::256B.v8.s32 {r1,r2,r3,_,r5,r6,r7,r8}, "
        "[g];",
        "ld.global.nc.v4.u64 {d1,d2,d3,d4}, [g];",
        "ld.weak.const.v2.u32 {r1,r2}, [c];",
        "ld.shared::cluster.acquire.cluster.u32 r1, [s];",
        "ld.param::entry.u64 d1, [in];",
        "st.weak.shared::cta.b128 [s], q0;",
        "st.global.wt.b16 [g], h0;",
        "st.relaxed.cta.global.L1::no_allocate.v8.b32 [g], {r1,r2,r3,r4,r5,r6,r7,r8};",
        "st.release.gpu.global.L2::cache_hint.u32 [g], r0, d28;",
        "st.volatile.shared.u32 [s], r0;",
        "st.mmio.relaxed.sys.u32 [d1], r0;",
        "st.global.v4.b64 [g], {d0,d1,d2,_};",
        "prefetch.global.L2 [g];",
        "prefetch.global.L2::evict_last [g];",
        "prefetchu.L1 [d28];",
        "prefetch.tensormap [d28];",
        "prefetch.param.tensormap [in];",
        "applypriority.global.L2::evict_normal [g], 128;",
        "discard.global.L2 [g], 128;",
        "createpolicy.fractional.L2::evict_first.b64 d1;",
        "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 d1, 0.5;",
        "createpolicy.range.global.L2::evict_last.b64 d1, [g], 0x100000, 0x400000;",
        "createpolicy.cvt.L2.b64 d1, d2;",
        "st.bulk.weak.shared::cta [s], 64, 0;"}) {
    BOOST_TEST_CONTEXT(body) {
      const std::string rule = rule_of(std::string("mov.u64 d1, g;") + body, g);
      BOOST_TEST(rule == "none");
    }
  }
}

BOOST_AUTO_TEST_CASE(spellings_outside_the_isa_are_refused) {
  const LaneRun g{.before = ".global .align 128 .u32 g[64];"};
  for (const char* body : {"ld.relaxed.global.u32 r1, [g];",
                           "ld.gpu.global.u32 r1, [g];",
                           "ld.acquire.gpu.global.ca.u32 r1, [g];",
                           "ld.shared.nc.u32 r1, [s];",
                           "ld.shared.v8.b32 {r1,r2,r3,r4,r5,r6,r7,r8}, [s];",
                           "ld.shared.v4.b64 {d1,d2,d3,d4}, [s];",
                           "ld.global.v8.b16 {h0,h1,h2,h3,h4,h5,h6,h7}, [g];",
                           "ld.global.v2.b128 {q0,q1}, [g];",
                           "ld.global.u32 h1, [g];",
                           "ld.global.u64 r1, [g];",
                           "ld.global.v2.u32 {r1}, [g];",
                           "ld.global.u32 r1, [s];",
                           "ld.shared.u32 r1, [g];",
                           "ld.global.u32 r1, g;",
                           "ld.global.u32 r1, [g], d1;",
                           "ld.global.L2::cache_hint.u32 r1, [g];",
                           "st.mmio.relaxed.gpu.global.u32 [g], r0;",
                           "st.const.u32 [g], r0;",
                           "st.global.acquire.gpu.u32 [g], r0;",
                           "discard.global.L2 [g], 64;",
                           "createpolicy.fractional.L2::evict_first.b64 d1, 1.5;",
                           "st.bulk.shared::cta [s], 64, 1;",
                           "multimem.ld_reduce.global.add.u32 r1, [g];"}) {
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(rule_of(body, g) == "parse");
    }
  }
}

BOOST_AUTO_TEST_CASE(st_bulk_writes_zeros) {
  const std::string fill = kFill + "st.shared.u64 [s + 16], 5;";
  BOOST_TEST(first(fill + "st.bulk.shared::cta [s], 16, 0; ld.shared.u64 d0, [s + 8];") == 0u);
  BOOST_TEST(first(fill + "st.bulk.shared::cta [s], 16, 0; ld.shared.u64 d0, [s + 16];") == 5u);
  BOOST_TEST(rule_of("st.bulk.shared::cta [s], 4, 0;") == "st.bulk.size");
  BOOST_TEST(rule_of("st.bulk.shared::cta [s], 4104, 0;") == "shared.out-of-bounds");
}

BOOST_AUTO_TEST_CASE(a_warp_that_polls_shared_memory_lets_the_other_write_it) {
  const std::string body = R"(
  setp.lt.u32 p0, r0, 32;
  mov.u64 d0, 1;
  @!p0 bra WRITE;
 WAIT: ld.volatile.shared.u32 r1, [s];
  setp.eq.u32 p1, r1, 0;
  @p1 bra WAIT;
  cvt.u64.u32 d0, r1;
  bra DONE;
 WRITE: st.volatile.shared.u32 [s], 42;
 DONE:)";
  const auto got = results_of(body, {.threads = 64});
  BOOST_TEST(got[0] == 42u);
  BOOST_TEST(got[31] == 42u);
}

BOOST_AUTO_TEST_CASE(polling_for_what_nobody_writes_is_a_deadlock) {
  const std::string wait =
      "WAIT: ld.volatile.shared.u32 r1, [s]; setp.eq.u32 p1, r1, 0; @p1 bra WAIT;";
  BOOST_TEST(rule_of(wait) == "deadlock");
  const LaneRun g{.ctas = 3, .before = ".global .u32 g;"};
  const std::string global =
      "WAIT: ld.acquire.gpu.global.u32 r1, [g]; setp.eq.u32 p1, r1, 0; @p1 bra WAIT;";
  BOOST_TEST(rule_of(global, g) == "deadlock");
}

BOOST_AUTO_TEST_CASE(volatile_loads_that_go_on_are_no_polling) {
  // Far more loads of zeros than a polling loop is allowed.
  const std::string loop =
      "mov.u32 r1, 0; mov.u32 r3, s; LOOP: ld.volatile.shared.u32 r2, [r3]; add.u32 r3, r3, 4;"
      "add.u32 r1, r1, 1; and.b32 r4, r1, 1023; setp.eq.u32 p0, r4, 0; @p0 mov.u32 r3, s;"
      "setp.lt.u32 p1, r1, 5000; @p1 bra LOOP; cvt.u64.u32 d0, r1;";
  BOOST_TEST(first(loop) == 5000u);
}

BOOST_AUTO_TEST_CASE(a_flag_in_global_memory_reaches_other_clusters) {
  const LaneRun g{.threads = 32, .ctas = 4, .before = ".global .u32 g;"};
  // Each CTA waits for the one after it.
  const std::string body = R"(
  mov.u32 r5, %ctaid.x;
  sub.u32 r6, 4, r5;
 WAIT: ld.acquire.gpu.global.u32 r1, [g];
  add.u32 r2, r1, 1;
  setp.ne.u32 p0, r2, r6;
  @p0 bra WAIT;
  cvt.u64.u32 d0, r1;
  setp.eq.u32 p1, r0, 0;
  bar.warp.sync -1;
  @p1 st.release.gpu.global.u32 [g], r6;)";
  const auto got = results_of(body, g);
  for (std::uint64_t cta = 0; cta < 4; ++cta) BOOST_TEST(got[32 * cta] == 3 - cta);
}

BOOST_AUTO_TEST_SUITE_END()
