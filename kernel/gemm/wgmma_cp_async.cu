#include "kernel/gemm/cp_async_stages.cuh"
#include "kernel/gemm/wgmma_fragments.cuh"
#include "kernel/ptx/address.cuh"
#include "kernel/ptx/fence.cuh"
#include "kernel/ptx/wgmma.cuh"

// tcgen05_cp_async for Hopper: the same stages, filled by the same hand-written swizzles, read
// through the same offsets; descriptors have the bits of sm_90, accumulators are registers, and the
// whole warpgroup issues.
//
// Run on an H200: D exact and all dumped stages as described, in every variant and with every base
// offset.
namespace lc::kernel {

namespace {

constexpr bool kDumps = LC_SMEM_DUMP != 0;

template <class T, ptx::WgmmaElement element>
struct Kernel {
  static constexpr std::uint32_t kHalves = T::BM / 64;  ///< an instruction computes 64 rows

  const CpAsyncParameters& p;
  CpAsyncStages<T> stages;
  SmemDump dump;

  __device__ std::uint64_t a_descriptor(std::uint32_t stage) const {
    return smem_descriptor_sm90(stages.a_matrix(stage));
  }
  __device__ std::uint64_t b_descriptor(std::uint32_t stage) const {
    return smem_descriptor_sm90(stages.b_matrix(stage));
  }

  /// K slice by K slice; the second 64 rows begin eight bands further.  B is N-major: transposed.
  __device__ void multiply(std::uint32_t (&d)[kHalves][64], std::uint32_t stage,
                           bool accumulate) const {
    const std::uint64_t a_desc = a_descriptor(stage), b_desc = b_descriptor(stage);
    ptx::wgmma_fence();
#pragma unroll
    for (std::uint32_t i = 0; i < T::instructions; ++i) {
#pragma unroll
      for (std::uint32_t half = 0; half < kHalves; ++half) {
        ptx::wgmma_m64n128<element, 0, 1>(
            d[half],
            advance_descriptor(a_desc, half * 64 / kBandRows * T::A_SBO + stages.slice_A(i)),
            advance_descriptor(b_desc, stages.slice_B(i)), accumulate || i != 0);
      }
    }
    ptx::wgmma_commit_group();
  }

  __device__ void main_loop(std::uint32_t (&d)[kHalves][64]) const {
    const std::uint32_t k_tiles = (p.k + T::BK - 1) / T::BK;
    stages.load(0, 0);
    for (std::uint32_t tile = 0; tile < k_tiles; ++tile) {
      const std::uint32_t stage = tile % kCpAsyncStages, other = stage ^ 1;
      ptx::cp_async_wait_group<0>();
      ptx::fence_proxy_async_shared();
      __syncthreads();
      if constexpr (kDumps) {
        stages.dump_stage(dump, stage, tile * T::BK, a_descriptor(stage), b_descriptor(stage));
      }
      multiply(d, stage, tile != 0);
      if (tile + 1 < k_tiles) {
        ptx::wgmma_wait_group<1>();  // the tile before is read, by this warp
        __syncthreads();             // by all
        stages.load(other, (tile + 1) * T::BK);
      }
    }
    ptx::wgmma_wait_group<0>();
#pragma unroll
    for (std::uint32_t half = 0; half < kHalves; ++half) ptx::wgmma_accumulators(d[half]);
    __syncthreads();
  }

  /// Columns 32 part .. 32 part + 31; the scratch is where the stages were.
  __device__ void finish_part(const std::uint32_t (&d)[kHalves][64], std::uint32_t part) const {
    const FragmentScratch scratch{stages.shared};
    scratch.put(d, part);
    __syncthreads();
    if (threadIdx.x < T::BM) {
      std::uint32_t accumulator[kRowPart];
      scratch.get(threadIdx.x, accumulator);
      float x[kRowPart];
      const std::uint32_t row = stages.row0 + threadIdx.x;
      const std::uint32_t column = stages.column0 + part * kRowPart;
      finish(p.epilogue, accumulator, row, column, x);
      store_row(p.epilogue, x, row, column);
    }
    __syncthreads();
  }
};

template <class T>
__device__ void gemm(const CpAsyncParameters& p, unsigned char* dynamic) {
  const CpAsyncStages<T> stages{p, ptx::shared_address(dynamic), blockIdx.x * T::BM,
                                blockIdx.y * T::BN};
  const auto run = [&](const auto& kernel) {
    std::uint32_t d[T::BM / 64][64] = {};
    kernel.main_loop(d);
#pragma unroll 1
    for (std::uint32_t part = 0; part < T::BN / kRowPart; ++part) kernel.finish_part(d, part);
  };
  // The instruction names the element type; tcgen05 has it in the instruction descriptor.
  if (p.bf16 != 0) {
    run(Kernel<T, ptx::WgmmaElement::bf16>{p, stages, SmemDump(p.dump)});
  } else {
    run(Kernel<T, ptx::WgmmaElement::f16>{p, stages, SmemDump(p.dump)});
  }
}

}  // namespace

#define LC_WGMMA_CP_ASYNC(name, element_bytes, bm, bk, swizzle, shift)                 \
  extern "C" __global__ void __launch_bounds__(kCpAsyncThreads)                        \
      wgmma_cp_async_##name(const __grid_constant__ CpAsyncParameters p) {             \
    extern __shared__ __align__(1024) unsigned char dynamic[];                         \
    gemm<CpAsyncTile<element_bytes, bm, bk, SmemSwizzle::swizzle, shift>>(p, dynamic); \
  }
LC_CP_ASYNC_INSTANCES(LC_WGMMA_CP_ASYNC)

}  // namespace lc::kernel
