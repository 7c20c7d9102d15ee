#include "kernel/gemm/tma_stages.cuh"
#include "kernel/gemm/wgmma_fragments.cuh"
#include "kernel/ptx/elect.cuh"
#include "kernel/ptx/wgmma.cuh"

// tcgen05_tma for Hopper: the same tensor maps, stages and store.
//
//   warps 0-3   wgmma: stages -> accumulators in registers, then D
//   warp 4      one thread: TMA loads
//
//   empty[s]    all four warps of the warpgroup have read stage s
//
// Run on an H200: D exact and all dumped stages as described, for every type and major.
namespace lc::kernel {

namespace {

constexpr bool kDumps = LC_SMEM_DUMP != 0;
constexpr std::uint32_t kWarps = 4, kHalves = kTmaTileM / 64;

template <ptx::WgmmaElement element, int a_mn_major, int b_mn_major>
struct Kernel : TmaStages {
  using TmaStages::TmaStages;

  /// To row 64 of A.  K-major: eight bands of 8 rows.  MN-major, 16 bits: the next group, which has
  /// a row for each k of the tile.
  static constexpr std::uint32_t kHalfBytes = (a_mn_major ? kTmaTileKBytes / 2 : 64) * kGroupBytes;

  __device__ void multiply_stage(std::uint32_t (&d)[kHalves][64], std::uint32_t stage,
                                 bool accumulate) const {
    ptx::wgmma_fence();
#pragma unroll
    for (std::uint32_t i = 0; i < kSlices; ++i) {
      const std::uint64_t b = slice(p.operand_b, B_shared(stage), i);
#pragma unroll
      for (std::uint32_t half = 0; half < kHalves; ++half) {
        ptx::wgmma_m64n128<element, a_mn_major, b_mn_major>(
            d[half], slice(p.operand_a, A_shared(stage) + half * kHalfBytes, i), b,
            accumulate || i != 0);
      }
    }
    ptx::wgmma_commit_group();
  }

  /// Hands the stage of a tile back.
  __device__ void release(std::uint32_t tile) const {
    if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(empty(tile % kTmaStages));
  }

  __device__ void multiply(std::uint32_t (&d)[kHalves][64], std::uint32_t warp) const {
    for (std::uint32_t tile = 0; tile < p.k_tiles; ++tile) {
      const std::uint32_t stage = tile % kTmaStages, round = tile / kTmaStages;
      ptx::mbarrier_wait(full(stage), round & 1);
      __syncwarp();
      if (kDumps && warp == 0) dump_stage(stage, tile * p.tile_k);
      multiply_stage(d, stage, tile != 0);
      ptx::wgmma_wait_group<1>();  // the tile before is read
      if (tile != 0) release(tile - 1);
    }
    ptx::wgmma_wait_group<0>();
#pragma unroll
    for (std::uint32_t half = 0; half < kHalves; ++half) ptx::wgmma_accumulators(d[half]);
  }

  /// Columns 32 part .. 32 part + 31 into Dsmem, and when that is full, to D.  The scratch is where
  /// the stages were.
  __device__ void finish_part(const std::uint32_t (&d)[kHalves][64], std::uint32_t part) const {
    const FragmentScratch scratch{shared};
    const bool computes = threadIdx.x < kTmaTileM;
    const std::uint32_t column = part * kRowPart, first = column % columns();
    if (computes) scratch.put(d, part);
    if (first == 0 && part != 0) wait_for_Dsmem();
    __syncthreads();
    if (computes) {
      std::uint32_t accumulator[kRowPart];
      scratch.get(threadIdx.x, accumulator);
      float x[kRowPart];
      finish(p.epilogue, accumulator, row0 + threadIdx.x, column0 + column, x);
      const std::uint32_t chunk = first * value_bytes(p.epilogue.output) / 16;
      for_each_chunk(x, p.epilogue.output, [&](std::uint32_t i, uint4 values) {
        ptx::st_shared_v4(staged(threadIdx.x, chunk + i), values);
      });
    }
    const bool complete = first + kRowPart == columns();
    if (complete && column0 + column - first < p.epilogue.n) store_Dsmem(column - first);
    __syncthreads();
  }
};

template <class Kernel>
__device__ void gemm(const TmaParameters& p, unsigned char* dynamic) {
  const Kernel kernel(p, dynamic);
  if (threadIdx.x == 0) kernel.initialise_barriers(kWarps);
  __syncthreads();

  std::uint32_t d[kHalves][64] = {};
  // The same in all lanes, which the compiler sees by the shuffle only: it runs wgmma one at a time
  // where warps might be split.
  const std::uint32_t warp = __shfl_sync(0xFFFFFFFF, threadIdx.x / 32, 0);
  if (warp < kWarps) {
    kernel.multiply(d, warp);
  } else if (ptx::elect_one()) {
    kernel.load();
  }
  __syncthreads();  // nothing is read from the stages any more
#pragma unroll 1
  for (std::uint32_t part = 0; part < kTmaTileN / kRowPart; ++part) kernel.finish_part(d, part);
  if (threadIdx.x == 0) ptx::tma_store_wait<0>();
}

}  // namespace

#define LC_WGMMA_TMA(name, element, a_mn_major, b_mn_major)                       \
  extern "C" __global__ void __launch_bounds__(kWgmmaTmaThreads)                  \
      wgmma_tma_##name(const __grid_constant__ TmaParameters p) {                 \
    extern __shared__ __align__(1024) unsigned char dynamic[];                    \
    gemm<Kernel<ptx::WgmmaElement::element, a_mn_major, b_mn_major>>(p, dynamic); \
  }
LC_WGMMA_TMA_INSTANCES(LC_WGMMA_TMA)

}  // namespace lc::kernel
