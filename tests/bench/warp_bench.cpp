// Warp instructions a second of the virtual GPU: a loop of integer and floating-point arithmetic,
// shared memory and a branch, and what starting a kernel costs.  An item is one warp instruction.
#include <benchmark/benchmark.h>

#include "tests/vm/guest.h"

namespace {

using lc::Guest;

constexpr std::uint32_t kThreads = 128;

const char* const kMix = R"(
  .reg .pred %p; .reg .b32 %r<10>; .reg .b32 %f<4>;
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, buffer;
  add.u32 %r1, %r1, %r2;
  mov.u32 %r3, 0;
  mov.b32 %f0, 0f3F800000;
LOOP:
  st.shared.u32 [%r1], %r3;
  mad.lo.s32 %r4, %r3, 7, %r0;
  xor.b32 %r5, %r4, %r3;
  shr.u32 %r6, %r5, 3;
  fma.rn.f32 %f0, %f0, 0f3F000000, 0f3F800000;
  ld.shared.u32 %r7, [%r1];
  add.u32 %r3, %r7, 1;
  add.u32 %r8, %r6, %r8;
  setp.lt.u32 %p, %r3, 20000;
  @%p bra LOOP;
  st.shared.u32 [%r1], %r8;
  ret;)";

void mix(benchmark::State& state) {
  lc::machine::RunOptions options;
  options.host_threads = 1;
  Guest guest(lc::kernel("", kMix, ".shared .align 4 .b8 buffer[512];"), options);
  const lc::machine::Launch launch = guest.launch({kThreads, 1, 1});
  std::uint64_t executed = 0;
  for (auto _ : state) executed += guest.run(launch).instructions;
  state.SetItemsProcessed(static_cast<std::int64_t>(executed));
}

/// Parse, bind and run a kernel of one instruction.
void start(benchmark::State& state) {
  const std::string ptx = lc::kernel("", "ret;");
  for (auto _ : state) {
    Guest guest(ptx);
    benchmark::DoNotOptimize(guest.run(kThreads).instructions);
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

BENCHMARK(mix)->Name("warp_instructions/mix");
BENCHMARK(start)->Name("kernel/start");
