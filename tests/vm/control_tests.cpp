#include <numeric>

#include "tests/test.h"
#include "tests/vm/guest.h"

using namespace lc;

// Branches, reconvergence, forward progress and calls.
BOOST_AUTO_TEST_SUITE(control_tests)

namespace {

using Words = std::vector<std::uint32_t>;

/// Runs a body that leaves its result in %result; out[thread] = %result.
Words results_of(const std::string& body, std::uint32_t threads = 32,
                 const std::string& before = "") {
  const std::string ptx = kernel(".param .u64 out",
                                 R"(
  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .b32 %result;
  mov.u32 %r0, %tid.x;
)" + body + R"(
  ld.param.u64 %rd0, [out];
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], %result;
  ret;
)",
                                 before);
  Guest guest(ptx);
  const std::uint64_t out = guest.buffer<std::uint32_t>(threads);
  guest.run(threads, {out});
  return guest.read<std::uint32_t>(out, threads);
}

template <class F>
Words expected(std::uint32_t threads, F&& f) {
  Words w(threads);
  for (std::uint32_t i = 0; i < threads; ++i) w[i] = f(i);
  return w;
}

}  // namespace

BOOST_AUTO_TEST_CASE(lanes_take_their_branch_and_meet_again) {
  // The ballot after the join sees all lanes.
  const Words got = results_of(R"(
  setp.lt.u32 %p0, %r0, 10;
  @%p0 bra LOW;
  mov.u32 %result, 100;
  bra JOIN;
LOW:
  mov.u32 %result, 200;
JOIN:
  activemask.b32 %r1;
  popc.b32 %r1, %r1;
  add.u32 %result, %result, %r1;
)");
  BOOST_TEST(got == expected(32, [](std::uint32_t i) { return (i < 10 ? 200u : 100u) + 32; }));
}

BOOST_AUTO_TEST_CASE(loops_of_different_length_end_together) {
  const Words got = results_of(R"(
  mov.u32 %result, 0;
  mov.u32 %r1, 0;
LOOP:
  setp.gt.u32 %p0, %r1, %r0;
  @%p0 bra DONE;
  add.u32 %result, %result, %r1;
  add.u32 %r1, %r1, 1;
  bra LOOP;
DONE:
  activemask.b32 %r2;
  setp.ne.u32 %p1, %r2, 0xffffffff;
  @%p1 mov.u32 %result, 9999;
)");
  BOOST_TEST(got == expected(32, [](std::uint32_t i) { return i * (i + 1) / 2; }));
}

BOOST_AUTO_TEST_CASE(nested_branches_reconverge_inside_out) {
  const Words got = results_of(R"(
  mov.u32 %result, 0;
  and.b32 %r1, %r0, 1;
  setp.eq.u32 %p0, %r1, 0;
  @%p0 bra EVEN;
  and.b32 %r2, %r0, 2;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra INNER;
  add.u32 %result, %result, 1;
INNER:
  activemask.b32 %r3;
  popc.b32 %r3, %r3;
  mad.lo.u32 %result, %r3, 100, %result;
EVEN:
  activemask.b32 %r4;
  popc.b32 %r4, %r4;
  mad.lo.u32 %result, %r4, 10000, %result;
)");
  BOOST_TEST(got == expected(32, [](std::uint32_t i) {
               if (i % 2 == 0) return 320000u;
               return 320000u + 1600 + (i & 2 ? 1u : 0u);
             }));
}

BOOST_AUTO_TEST_CASE(guarded_instructions_touch_their_lanes_only) {
  const Words got = results_of(R"(
  mov.u32 %result, 7;
  setp.ge.u32 %p0, %r0, 16;
  @%p0 mov.u32 %result, 1;
  @!%p0 add.u32 %result, %result, %r0;
)");
  BOOST_TEST(got == expected(32, [](std::uint32_t i) { return i >= 16 ? 1u : 7 + i; }));
}

BOOST_AUTO_TEST_CASE(a_lane_may_wait_for_another_of_its_warp) {
  // Lanes 1..31 spin until lane 0, which comes later in the text, has written the flag.
  const Words got = results_of(R"(
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra WRITER;
SPIN:
  ld.volatile.shared.u32 %r1, [flag];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra SPIN;
  bra DONE;
WRITER:
  mov.u32 %r1, 5;
  st.volatile.shared.u32 [flag], %r1;
DONE:
  mov.u32 %result, %r1;
)",
                               32, ".shared .u32 flag;");
  BOOST_TEST(got == expected(32, [](std::uint32_t) { return 5u; }));
}

BOOST_AUTO_TEST_CASE(a_lane_that_waits_first_in_the_text_does_not_starve_the_writer) {
  const Words got = results_of(R"(
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra WRITERS;
SPIN:
  ld.shared.u32 %r1, [flag];
  setp.ne.u32 %p1, %r1, 31;
  @%p1 bra SPIN;
  bra DONE;
WRITERS:
  atom.shared.add.u32 %r2, [flag], 1;
  mov.u32 %r1, 31;
DONE:
  mov.u32 %result, %r1;
)",
                               32, ".shared .u32 flag;");
  BOOST_TEST(got == expected(32, [](std::uint32_t) { return 31u; }));
}

BOOST_AUTO_TEST_CASE(functions_take_and_give_values) {
  const std::string square = R"(
.func (.param .b32 r) square(.param .b32 a, .param .b32 b) {
  .reg .b32 %x<4>;
  ld.param.u32 %x0, [a];
  ld.param.u32 %x1, [b];
  mad.lo.u32 %x2, %x0, %x0, %x1;
  st.param.b32 [r], %x2;
  ret;
})";
  const Words got = results_of(R"(
  setp.lt.u32 %p0, %r0, 20;
  mov.u32 %result, 0;
  @!%p0 bra SKIP;
  {
    .param .b32 p0; .param .b32 p1; .param .b32 q;
    st.param.b32 [p0], %r0;
    st.param.b32 [p1], 3;
    call.uni (q), square, (p0, p1);
    ld.param.b32 %result, [q];
  }
SKIP:
)",
                               32, square);
  BOOST_TEST(got == expected(32, [](std::uint32_t i) { return i < 20 ? i * i + 3 : 0u; }));
}

BOOST_AUTO_TEST_CASE(recursion_keeps_every_frame) {
  // f(n) = n == 0 ? 1 : n * f(n - 1), with different depths in the lanes.
  const std::string factorial = R"(
.func (.param .b32 r) f(.param .b32 n) {
  .reg .b32 %x<4>; .reg .pred %q; .local .align 4 .b8 keep[4]; .reg .b64 %a;
  ld.param.u32 %x0, [n];
  st.local.u32 [keep], %x0;
  mov.u32 %x1, 1;
  setp.eq.u32 %q, %x0, 0;
  @%q bra OUT;
  sub.u32 %x2, %x0, 1;
  {
    .param .b32 p; .param .b32 v;
    st.param.b32 [p], %x2;
    call (v), f, (p);
    ld.param.b32 %x1, [v];
  }
  ld.local.u32 %x3, [keep];
  mul.lo.u32 %x1, %x1, %x3;
OUT:
  st.param.b32 [r], %x1;
  ret;
})";
  const Words got = results_of(R"(
  and.b32 %r1, %r0, 7;
  {
    .param .b32 p; .param .b32 v;
    st.param.b32 [p], %r1;
    call (v), f, (p);
    ld.param.b32 %result, [v];
  }
)",
                               32, factorial);
  BOOST_TEST(got == expected(32, [](std::uint32_t i) {
               std::uint32_t f = 1;
               for (std::uint32_t k = 2; k <= i % 8; ++k) f *= k;
               return f;
             }));
}

BOOST_AUTO_TEST_CASE(endless_recursion_is_a_fault) {
  const std::string endless = ".func f() { .local .b32 x[64]; call f; ret; }";
  try {
    results_of("  call f;\n mov.u32 %result, 0;", 32, endless);
    BOOST_ERROR("no fault");
  } catch (const machine::Fault& fault) {
    BOOST_TEST((fault.rule == "call.depth" || fault.rule == "local.stack-overflow"), fault.rule);
    BOOST_TEST(fault.place.function == "f");
  }
}

BOOST_AUTO_TEST_CASE(functions_are_called_through_a_table) {
  const std::string functions = R"(
.func (.param .b32 r) one(.param .b32 a) {
  .reg .b32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, 1; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) two(.param .b32 a) {
  .reg .b32 %x; ld.param.u32 %x, [a]; mul.lo.u32 %x, %x, 2; st.param.b32 [r], %x; ret; }
.global .u64 table[2] = {one, two};
)";
  const Words got = results_of(R"(
  and.b32 %r1, %r0, 1;
  mul.wide.u32 %rd2, %r1, 8;
  mov.u64 %rd3, table;
  add.s64 %rd3, %rd3, %rd2;
  ld.global.u64 %rd4, [%rd3];
  {
    .param .b32 p; .param .b32 v;
    st.param.b32 [p], %r0;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (v), %rd4, (p), proto;
    ld.param.b32 %result, [v];
  }
)",
                               32, functions);
  BOOST_TEST(got == expected(32, [](std::uint32_t i) { return i % 2 ? 2 * i : i + 1; }));
}

BOOST_AUTO_TEST_CASE(an_address_that_is_no_function_is_a_fault) {
  try {
    results_of(R"(
  mov.u64 %rd4, 4096;
  {
    proto: .callprototype _ ();
    call %rd4, (), proto;
  }
  mov.u32 %result, 0;
)");
    BOOST_ERROR("no fault");
  } catch (const machine::Fault& fault) {
    BOOST_TEST(fault.rule == "call.no-function");
  }
}

BOOST_AUTO_TEST_CASE(an_indexed_branch_goes_where_each_lane_says) {
  const Words got = results_of(R"(
  rem.u32 %r1, %r0, 3;
targets: .branchtargets A, B, C;
  brx.idx %r1, targets;
A: mov.u32 %result, 10; bra JOIN;
B: mov.u32 %result, 20; bra JOIN;
C: mov.u32 %result, 30;
JOIN:
  activemask.b32 %r2;
  setp.ne.u32 %p1, %r2, 0xffffffff;
  @%p1 mov.u32 %result, 9999;
)");
  BOOST_TEST(got == expected(32, [](std::uint32_t i) { return 10 * (i % 3 + 1); }));
}

BOOST_AUTO_TEST_CASE(a_last_warp_may_have_fewer_lanes) {
  const Words got = results_of(R"(
  activemask.b32 %r1;
  popc.b32 %result, %r1;
)",
                               70);
  BOOST_TEST(got == expected(70, [](std::uint32_t i) { return i < 64 ? 32u : 6u; }));
}

BOOST_AUTO_TEST_SUITE_END()
