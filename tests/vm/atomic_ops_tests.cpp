#include <algorithm>
#include <bit>

#include "tests/test.h"
#include "tests/vm/lane_program.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(atomic_ops_tests)

namespace {

struct Case {
  const char* what;      ///< operation and type
  std::uint64_t memory;  ///< before
  std::uint64_t b;
  std::uint64_t want;  ///< after
  int bits = 32;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.what << " of " << c.memory << " and " << c.b;
}

constexpr std::uint64_t kMinus1 = 0xFFFFFFFF;

constexpr Case kCases[] = {
    {"add.u32", kMinus1, 3, 2},
    {"add.s32", kMinus1, 3, 2},
    {"add.u64", 0xFFFFFFFF, 3, 0x100000002, 64},
    {"min.u32", kMinus1, 3, 3},
    {"min.s32", kMinus1, 3, kMinus1},
    {"max.u32", kMinus1, 3, kMinus1},
    {"max.s32", kMinus1, 3, 3},
    {"min.u64", ~0ull, 3, 3, 64},
    {"min.s64", ~0ull, 3, ~0ull, 64},
    {"max.s64", ~0ull, 3, 3, 64},
    {"max.u64", ~0ull, 3, ~0ull, 64},
    {"inc.u32", 4, 5, 5},
    {"inc.u32", 5, 5, 0},
    {"inc.u32", 9, 5, 0},
    {"dec.u32", 4, 5, 3},
    {"dec.u32", 0, 5, 5},
    {"dec.u32", 9, 5, 5},
    {"and.b32", 0xF0F0, 0xFF00, 0xF000},
    {"or.b32", 0xF0F0, 0xFF00, 0xFFF0},
    {"xor.b32", 0xF0F0, 0xFF00, 0x0FF0},
    {"and.b64", 0xF0F000000000, 0xFF0000000000, 0xF00000000000, 64},
    {"xor.b64", 0xF0F000000000, 0xFF0000000000, 0x0FF000000000, 64},
    {"add.f32", 0x3F800000, 0x40000000, 0x40400000},
    {"add.f64", 0x3FF0000000000000, 0x4000000000000000, 0x4008000000000000, 64},
    {"add.noftz.f16x2", 0x3C000001, 0x40000001, 0x42000002},
    {"add.noftz.bf16x2", 0x3F803F80, 0x3F804000, 0x40004040},
};

std::string program(const Case& c, const std::string& instruction) {
  const std::string type = c.bits == 64 ? "u64" : "u32";
  const std::string value = c.bits == 64 ? "d1" : "r1";
  return "mov." + type + " " + value + ", " + std::to_string(c.b) + "; st.shared." + type +
         " [s], " + std::to_string(c.memory) + "; st.global." + type + " [d28], " +
         std::to_string(c.memory) + "; setp.eq.u32 p0, r0, 0; @p0 " + instruction;
}

std::uint64_t run(const std::string& body, std::uint64_t* global = nullptr) {
  Guest guest(lane_program(body));
  const std::uint64_t buffer = guest.buffer(64);
  const std::uint64_t got = results_of(guest, {.parameter = buffer})[0];
  if (global != nullptr) *global = guest.read<std::uint64_t>(buffer, 1)[0];
  return got;
}

}  // namespace

BOOST_DATA_TEST_CASE(atom_and_red_do_what_the_table_says, boost::unit_test::data::make(kCases), c) {
  const bool wide = c.bits == 64;
  const std::string d = wide ? "d0" : "r2", b = wide ? "d1" : "r1";
  const std::string move = wide ? "" : " cvt.u64.u32 d0, r2;";
  const std::string load = wide ? " ld.shared.u64 d0, [s];" : " ld.shared.u32 d0, [s];";
  std::uint64_t global = 0;
  BOOST_TEST(
      run(program(c, "atom.global." + std::string(c.what) + " " + d + ", [d28], " + b + ";") + move,
          &global) == c.memory);
  BOOST_TEST(global == c.want);
  BOOST_TEST(run(program(c, "atom.shared." + std::string(c.what) + " " + d + ", [s], " + b + ";") +
                 load) == c.want);
  run(program(c, "red.relaxed.gpu.global." + std::string(c.what) + " [d28], " + b + ";"), &global);
  BOOST_TEST(global == c.want);
  BOOST_TEST(run(program(c, "red.shared::cta." + std::string(c.what) + " [s], " + b + ";") +
                 load) == c.want);
}

BOOST_AUTO_TEST_CASE(small_numbers_are_flushed_in_global_memory_only) {
  const Case c{"add.f32", 1, 2, 0};
  std::uint64_t global = 7;
  run(program(c, "red.global.add.f32 [d28], r1;"), &global);
  BOOST_TEST(global == 0u);
  BOOST_TEST(run(program(c, "red.shared.add.f32 [s], r1;") + "ld.shared.u32 d0, [s];") == 3u);
  // A generic address is what it points at.
  run(program(c, "red.add.f32 [d28], r1;"), &global);
  BOOST_TEST(global == 0u);
  BOOST_TEST(run(program(c, "mov.u64 d2, s; cvta.shared.u64 d2, d2; @p0 red.add.f32 [d2], r1;") +
                 "ld.shared.u32 d0, [s];") == 3u);
}

BOOST_AUTO_TEST_CASE(exchange_and_compare_and_swap) {
  const Case c{"", 0x11223344, 5, 0};
  std::uint64_t global = 0;
  BOOST_TEST(run(program(c, "atom.global.exch.b32 r2, [d28], r1;") + "cvt.u64.u32 d0, r2;",
                 &global) == 0x11223344u);
  BOOST_TEST(global == 5u);
  run(program(c, "atom.global.cas.b32 r2, [d28], 0x11223344, r1;"), &global);
  BOOST_TEST(global == 5u);
  run(program(c, "atom.global.cas.b32 r2, [d28], 0x11223345, r1;"), &global);
  BOOST_TEST(global == 0x11223344u);
  BOOST_TEST(
      run(program(c,
                  "mov.b16 h1, 0x3344; mov.b16 h2, 9; @p0 atom.global.cas.b16 h0, [d28], h1, h2;") +
              "cvt.u64.u16 d0, h0;",
          &global) == 0x3344u);
  BOOST_TEST(global == 0x11220009u);
  BOOST_TEST(run("mov.b64 d1, 1; mov.b64 d2, 2; mov.b128 q1, {d1, d2}; setp.eq.u32 p0, r0, 0;"
                 "mov.b64 d3, 3; mov.b128 q3, {d3, d3}; st.shared.b128 [s], q1;"
                 "@p0 atom.shared.cas.b128 q0, [s], q1, q3; @p0 atom.shared.exch.b128 q2, [s], q1;"
                 "mov.b128 {d0, d4}, q2; mov.b128 {d5, d6}, q0; mad.lo.u64 d0, d6, 100, d0;") ==
             203u);
}

BOOST_AUTO_TEST_CASE(vectors_combine_each_element) {
  std::uint64_t global = 0;
  const Case c{"", 0x3F8000003F800000, 0, 0, 64};
  BOOST_TEST(run(program(c,
                         "mov.b32 r1, 0f40000000; mov.b32 r2, 0f00000000;"
                         "@p0 atom.global.add.v2.f32 {r3, r4}, [d28], {r1, r2};") +
                     "cvt.u64.u32 d0, r4;",
                 &global) == 0x3F800000u);
  BOOST_TEST(global == 0x3F80000040400000u);
  run("mov.b16 h0, 0x3C00; setp.eq.u32 p0, r0, 0;"
      "@p0 red.global.max.noftz.v4.f16 [d28], {h0, h0, h0, h0};",
      &global);
  BOOST_TEST(global == 0x3C003C003C003C00u);
  run("mov.b32 r1, 0x3C003C00; setp.eq.u32 p0, r0, 0;"
      "@p0 red.global.add.noftz.v2.f16x2 [d28], {r1, r1};",
      &global);
  BOOST_TEST(global == 0x3C003C003C003C00u);
}

BOOST_AUTO_TEST_CASE(every_lane_of_every_cluster_counts_once) {
  for (const unsigned host_threads : {1u, 3u}) {
    machine::RunOptions options;
    options.host_threads = host_threads;
    Guest guest(lane_program("atom.global.add.u32 r1, [d28], 1; cvt.u64.u32 d0, r1;"), options);
    const std::uint64_t counter = guest.buffer(4);
    auto got = results_of(guest, {.threads = 96, .ctas = 7, .parameter = counter});
    std::sort(got.begin(), got.end());
    for (std::uint64_t i = 0; i < got.size(); ++i) BOOST_TEST_REQUIRE(got[i] == i);
  }
}

BOOST_AUTO_TEST_CASE(what_atomics_return_does_not_depend_on_host_threads) {
  std::vector<std::uint64_t> first;
  for (const unsigned host_threads : {1u, 2u, 4u}) {
    machine::RunOptions options;
    options.host_threads = host_threads;
    Guest guest(lane_program("atom.global.exch.b32 r1, [d28], r0; mov.u32 r2, %ctaid.x;"
                             "mad.lo.u32 r1, r2, 1000, r1; cvt.u64.u32 d0, r1;"),
                options);
    const auto got = results_of(guest, {.threads = 64, .ctas = 9, .parameter = guest.buffer(4)});
    if (first.empty()) first = got;
    BOOST_TEST(got == first);
  }
}

BOOST_AUTO_TEST_CASE(a_lock_is_taken_by_one_thread_at_a_time) {
  // Each warp's first lane takes the lock, adds one without atomics, and gives it back.
  const std::string body = R"(
  and.b32 r1, r0, 31;
  setp.ne.u32 p0, r1, 0;
  mov.u64 d0, 0;
  @p0 bra DONE;
 TAKE: atom.acquire.cta.shared.cas.b32 r2, [s], 0, 1;
  setp.ne.u32 p1, r2, 0;
  @p1 bra TAKE;
  ld.shared.u32 r3, [s + 4];
  add.u32 r3, r3, 1;
  nanosleep.u32 10;
  st.shared.u32 [s + 4], r3;
  atom.release.cta.shared.exch.b32 r4, [s], 0;
 DONE: bar.sync 0;
  ld.shared.u32 d0, [s + 4];)";
  BOOST_TEST(results_of(body, {.threads = 256})[0] == 8u);
  // Nobody gives it back.
  BOOST_TEST(rule_of("TAKE: atom.shared.cas.b32 r2, [s], 0, 1; setp.ne.u32 p1, r2, 0; @p1 bra TAKE;"
                     "bar.sync 0;",
                     {.threads = 64}) == "deadlock");
}

BOOST_AUTO_TEST_CASE(atomics_outside_the_isa_are_refused) {
  for (const char* body :
       {"atom.global.min.f32 r1, [d28], r2;", "atom.global.inc.s32 r1, [d28], r2;",
        "atom.global.and.u32 r1, [d28], r2;", "atom.global.add.f16 h0, [d28], h1;",
        "atom.shared.add.v2.f32 {r1, r2}, [s], {r1, r2};",
        "red.acquire.gpu.global.add.u32 [d28], r1;",
        "atom.global.add.noftz.v8.f16x2 {r1,r2,r3,r4,r5,r6,r7,r8}, [d28], "
        "{r1,r2,r3,r4,r5,r6,r7,r8};",
        "atom.global.cas.b32 r1, [d28], r2;", "atom.local.add.u32 r1, [d28], r2;",
        "red.global.exch.b32 [d28], r1;"}) {
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(rule_of(body) == "parse");
    }
  }
  BOOST_TEST(rule_of("atom.shared.add.u32 r1, [s + 2], r2;") == "shared.misaligned");
  BOOST_TEST(rule_of("red.shared.add.u64 [s + 4], d1;") == "shared.misaligned");
}

BOOST_AUTO_TEST_SUITE_END()
