#pragma once

#include <cstdint>

// PTX ISA 9.7.15, "Asynchronous Warpgroup Level Matrix Instructions" (sm_90a).  128 threads, warps
// 4 i .. 4 i + 3, run each of them together.
namespace lc::ptx {

/// Before the first instruction, and before one whose accumulators were touched in between.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// All but the newest `pending` groups of this warp are complete.
template <int pending>
__device__ __forceinline__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/// Keeps the compiler from reading accumulators before the wait that stands above.
template <unsigned count>
__device__ __forceinline__ void wgmma_accumulators(std::uint32_t (&d)[count]) {
#pragma unroll
  for (unsigned i = 0; i < count; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

enum class WgmmaElement { f16, bf16, tf32, e4m3, e5m2, s8 };

#define LC_WGMMA_D                                                                        \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, " \
  "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, " \
  "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
  "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LC_WGMMA_REGISTERS                                                                        \
  "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), \
      "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]),    \
      "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]),  \
      "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]),  \
      "+r"(d[29]), "+r"(d[30]), "+r"(d[31]), "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35]),  \
      "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39]), "+r"(d[40]), "+r"(d[41]), "+r"(d[42]),  \
      "+r"(d[43]), "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47]), "+r"(d[48]), "+r"(d[49]),  \
      "+r"(d[50]), "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55]), "+r"(d[56]),  \
      "+r"(d[57]), "+r"(d[58]), "+r"(d[59]), "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63])
#define LC_WGMMA(shape_and_types, scales)                                                     \
  asm volatile(                                                                               \
      "{\n\t.reg .pred p;\n\t"                                                                \
      "setp.ne.u32 p, %66, 0;\n\t"                                                            \
      "wgmma.mma_async.sync.aligned." shape_and_types " {" LC_WGMMA_D "}, %64, %65, p" scales \
      ";\n\t}"                                                                                \
      : LC_WGMMA_REGISTERS                                                                    \
      : "l"(a), "l"(b), "r"(std::uint32_t{accumulate}), "n"(a_mn_major), "n"(b_mn_major)      \
      : "memory")

/// D[64 x 128] = A B (+ D if `accumulate`) over 32 bytes of K.  Registers 4 j .. 4 j + 3 of a
/// thread are row lane / 4 of its warp's 16 rows, columns 8 j + 2 (lane % 4) and the next, then row
/// lane / 4 + 8.  f32, for s8 s32.  Only 16-bit operands may be MN-major.
template <WgmmaElement element, int a_mn_major = 0, int b_mn_major = 0>
__device__ __forceinline__ void wgmma_m64n128(std::uint32_t (&d)[64], std::uint64_t a,
                                              std::uint64_t b, bool accumulate) {
  static_assert(element <= WgmmaElement::bf16 || (a_mn_major == 0 && b_mn_major == 0));
  if constexpr (element == WgmmaElement::f16) {
    LC_WGMMA("m64n128k16.f32.f16.f16", ", 1, 1, %67, %68");
  } else if constexpr (element == WgmmaElement::bf16) {
    LC_WGMMA("m64n128k16.f32.bf16.bf16", ", 1, 1, %67, %68");
  } else if constexpr (element == WgmmaElement::tf32) {
    LC_WGMMA("m64n128k8.f32.tf32.tf32", ", 1, 1");
  } else if constexpr (element == WgmmaElement::e4m3) {
    LC_WGMMA("m64n128k32.f32.e4m3.e4m3", ", 1, 1");
  } else if constexpr (element == WgmmaElement::e5m2) {
    LC_WGMMA("m64n128k32.f32.e5m2.e5m2", ", 1, 1");
  } else {
    LC_WGMMA("m64n128k32.s32.s8.s8", "");
  }
}
#undef LC_WGMMA
#undef LC_WGMMA_REGISTERS
#undef LC_WGMMA_D

}  // namespace lc::ptx
