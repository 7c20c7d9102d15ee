#pragma once

#include <cstdint>

// PTX ISA 9.7.16, "TensorCore 5th Generation Family Instructions" (sm_100a).  A kernel uses one
// cta_group throughout: 1, or 2 for instructions that two CTAs of a pair carry out together.
// Addresses of Tensor Memory are lane << 16 | column.
namespace lc::ptx {

// Allocation: all 32 lanes of one warp (of each CTA of the pair).

/// Writes the address of `columns` (32, 64, 128, 256, 512) columns to `shared`.  Waits until they
/// are free.
template <unsigned cta_group>
__device__ __forceinline__ void tcgen05_alloc(std::uint32_t shared, std::uint32_t columns) {
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared),
               "r"(columns), "n"(cta_group)
               : "memory");
}

/// This CTA allocates no more.
template <unsigned cta_group>
__device__ __forceinline__ void tcgen05_relinquish_alloc_permit() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::%0.sync.aligned;" ::"n"(cta_group)
               : "memory");
}

template <unsigned cta_group>
__device__ __forceinline__ void tcgen05_dealloc(std::uint32_t tmem, std::uint32_t columns) {
  asm volatile("tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;" ::"r"(tmem), "r"(columns),
               "n"(cta_group)
               : "memory");
}

// Order: tcgen05 instructions of different threads, through a barrier between them.

__device__ __forceinline__ void tcgen05_fence_before_thread_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

__device__ __forceinline__ void tcgen05_fence_after_thread_sync() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// Matrix multiplication: one thread issues.  D[tmem] = A B (+ D if `accumulate`); a and b are
// shared-memory descriptors, `instruction` is the instruction descriptor (kernel/descriptor.cuh).

enum class Tcgen05Kind { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };

#define LC_TCGEN05_MMA(kind)                                                            \
  asm volatile(                                                                         \
      "{\n\t.reg .pred p;\n\t"                                                          \
      "setp.ne.u32 p, %4, 0;\n\t"                                                       \
      "tcgen05.mma.cta_group::%5.kind::" kind " [%0], %1, %2, %3, p;\n\t}" ::"r"(tmem), \
      "l"(a), "l"(b), "r"(instruction), "r"(std::uint32_t{accumulate}), "n"(cta_group)  \
      : "memory")

template <Tcgen05Kind kind, unsigned cta_group>
__device__ __forceinline__ void tcgen05_mma(std::uint32_t tmem, std::uint64_t a, std::uint64_t b,
                                            std::uint32_t instruction, bool accumulate) {
  static_assert(kind <= Tcgen05Kind::i8, "block-scaled kinds need scale factors");
  if constexpr (kind == Tcgen05Kind::f16) {
    LC_TCGEN05_MMA("f16");
  } else if constexpr (kind == Tcgen05Kind::tf32) {
    LC_TCGEN05_MMA("tf32");
  } else if constexpr (kind == Tcgen05Kind::f8f6f4) {
    LC_TCGEN05_MMA("f8f6f4");
  } else {
    LC_TCGEN05_MMA("i8");
  }
}
#undef LC_TCGEN05_MMA

#define LC_TCGEN05_MMA_SCALED(kind)                                 \
  asm volatile(                                                     \
      "{\n\t.reg .pred p;\n\t"                                      \
      "setp.ne.u32 p, %6, 0;\n\t"                                   \
      "tcgen05.mma.cta_group::%7.kind::" kind                       \
      " [%0], %1, %2, %3, [%4], [%5], p;\n\t}" ::"r"(tmem),         \
      "l"(a), "l"(b), "r"(instruction), "r"(scale_a), "r"(scale_b), \
      "r"(std::uint32_t{accumulate}), "n"(cta_group)                \
      : "memory")

/// The same with scale factors in Tensor Memory: blocks of 32 elements of K (ue8m0), for mxf4nvf4
/// of 16 (ue4m3).
template <Tcgen05Kind kind, unsigned cta_group>
__device__ __forceinline__ void tcgen05_mma_block_scaled(std::uint32_t tmem, std::uint64_t a,
                                                         std::uint64_t b, std::uint32_t instruction,
                                                         std::uint32_t scale_a,
                                                         std::uint32_t scale_b, bool accumulate) {
  static_assert(kind >= Tcgen05Kind::mxf8f6f4, "this kind has no scale factors");
  if constexpr (kind == Tcgen05Kind::mxf8f6f4) {
    LC_TCGEN05_MMA_SCALED("mxf8f6f4.block_scale.block32");
  } else if constexpr (kind == Tcgen05Kind::mxf4) {
    LC_TCGEN05_MMA_SCALED("mxf4.block_scale.block32");
  } else {
    LC_TCGEN05_MMA_SCALED("mxf4nvf4.block_scale.block16");
  }
}
#undef LC_TCGEN05_MMA_SCALED

/// One arrival on `barrier` when all that this thread issued so far is done.  Includes a
/// tcgen05.fence::before_thread_sync.
template <unsigned cta_group>
__device__ __forceinline__ void tcgen05_commit(std::uint32_t barrier) {
  asm volatile(
      "tcgen05.commit.cta_group::%1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier),
      "n"(cta_group)
      : "memory");
}

/// The same on the barriers at this offset of every CTA in the mask.
template <unsigned cta_group>
__device__ __forceinline__ void tcgen05_commit_multicast(std::uint32_t barrier,
                                                         std::uint16_t ctas) {
  asm volatile(
      "tcgen05.commit.cta_group::%2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
      "[%0], %1;" ::"r"(barrier),
      "h"(ctas), "n"(cta_group)
      : "memory");
}

/// 32 rows of 16 bytes, through a shared-memory descriptor, to 4 columns of all four quarters of
/// the lanes: a block of scale factors.
template <unsigned cta_group>
__device__ __forceinline__ void tcgen05_cp_32x128b_warpx4(std::uint32_t tmem,
                                                          std::uint64_t descriptor) {
  asm volatile("tcgen05.cp.cta_group::%2.32x128b.warpx4 [%0], %1;" ::"r"(tmem), "l"(descriptor),
               "n"(cta_group)
               : "memory");
}

// Loads: all 32 lanes of a warp; warp w reaches lanes 32 (w % 4) and up.

/// Lane i gets 32 columns of Tensor Memory lane i.
__device__ __forceinline__ void tcgen05_ld_32x32b(std::uint32_t (&r)[32], std::uint32_t tmem) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]),
        "=r"(r[7]), "=r"(r[8]), "=r"(r[9]), "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]),
        "=r"(r[14]), "=r"(r[15]), "=r"(r[16]), "=r"(r[17]), "=r"(r[18]), "=r"(r[19]), "=r"(r[20]),
        "=r"(r[21]), "=r"(r[22]), "=r"(r[23]), "=r"(r[24]), "=r"(r[25]), "=r"(r[26]), "=r"(r[27]),
        "=r"(r[28]), "=r"(r[29]), "=r"(r[30]), "=r"(r[31])
      : "r"(tmem)
      : "memory");
}

/// The registers of this thread's loads hold their values.
__device__ __forceinline__ void tcgen05_wait_ld() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

}  // namespace lc::ptx
