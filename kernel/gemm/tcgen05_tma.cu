#include "kernel/gemm/tma_stages.cuh"
#include "kernel/ptx/elect.cuh"
#include "kernel/ptx/shared_access.cuh"
#include "kernel/ptx/tcgen05.cuh"

// A GEMM in which TMA moves everything: one 128 x 128 tile of D for each CTA of four warps.
//
//   warp 0, one thread   TMA loads: global memory -> one of two stages in shared memory
//   warp 1, one thread   tcgen05.mma: stage -> accumulator in Tensor Memory
//   warp 2               allocates Tensor Memory
//   then all warps       Tensor Memory -> registers -> Dsmem -> TMA store -> D
//
//   full[s]   stage s has arrived: one arrival, which announces the bytes of A and B together, and
//             as many bytes counted by TMA
//   empty[s]  the tensor core has read stage s
//   done      the accumulator is complete
//
//   time t      the tensor core reads stage 0     TMA fills stage 1
//   time t + 1  the tensor core reads stage 1     TMA fills stage 0
//
// Against tcgen05_cp_async: no thread computes addresses or swizzles, loads need no proxy fence
// (TMA and tensor core are both of the async proxy), and loading waits for nobody but empty[s].
//
// Not run on Blackwell hardware; run on the virtual GPU.  Stages and store are those of wgmma_tma,
// which has run on an H200.
namespace lc::kernel {

namespace {

constexpr bool kDumps = LC_SMEM_DUMP != 0;
constexpr std::uint32_t kColumns = 128;  ///< of Tensor Memory: one f32 or s32 for each column of D

template <ptx::Tcgen05Kind kind>
struct Kernel : TmaStages {
  using TmaStages::TmaStages;

  /// The accumulator is complete.
  __device__ std::uint32_t done() const { return spare(0); }
  __device__ std::uint32_t tmem_address() const { return spare(1); }

  // Multiply ------------------------------------------------------------------------------------

  __device__ void multiply_stage(std::uint32_t stage, std::uint32_t tmem, bool accumulate) const {
#pragma unroll
    for (std::uint32_t i = 0; i < kSlices; ++i) {
      ptx::tcgen05_mma<kind, 1>(tmem, slice(p.operand_a, A_shared(stage), i),
                                slice(p.operand_b, B_shared(stage), i), p.instruction,
                                accumulate || i != 0);
    }
  }

  __device__ void multiply(std::uint32_t tmem) const {
    const bool issues = ptx::elect_one();
    for (std::uint32_t tile = 0; tile < p.k_tiles; ++tile) {
      const std::uint32_t stage = tile % kTmaStages, round = tile / kTmaStages;
      ptx::mbarrier_wait(full(stage), round & 1);
      if constexpr (kDumps) dump_stage(stage, tile * p.tile_k);
      if (issues) {
        multiply_stage(stage, tmem, tile != 0);
        ptx::tcgen05_commit<1>(empty(stage));
      }
      __syncwarp();
    }
    if (issues) ptx::tcgen05_commit<1>(done());
  }

  // Finish --------------------------------------------------------------------------------------

  /// 32 columns of D from `column` on into Dsmem, from chunk `first` of its rows on.
  __device__ void stage_columns(std::uint32_t tmem, std::uint32_t column,
                                std::uint32_t first) const {
    std::uint32_t accumulator[kRowPart];
    ptx::tcgen05_ld_32x32b(accumulator, tmem + (threadIdx.x / 32 * 32 << 16) + column);
    ptx::tcgen05_wait_ld();
    float x[kRowPart];
    finish(p.epilogue, accumulator, row0 + threadIdx.x, column0 + column, x);
    for_each_chunk(x, p.epilogue.output, [&](std::uint32_t i, uint4 chunk) {
      ptx::st_shared_v4(staged(threadIdx.x, first + i), chunk);
    });
  }

  /// 128 bytes of every row at a time.
  __device__ void epilogue(std::uint32_t tmem) const {
#pragma unroll 1
    for (std::uint32_t column = 0; column < kTmaTileN; column += columns()) {
      if (column0 + column >= p.epilogue.n) break;
      if (column != 0) wait_for_Dsmem();
#pragma unroll 1
      for (std::uint32_t part = 0; part < columns(); part += kRowPart) {
        stage_columns(tmem, column + part, part * value_bytes(p.epilogue.output) / 16);
      }
      store_Dsmem(column);
    }
    if (threadIdx.x == 0) ptx::tma_store_wait<0>();
  }
};

template <ptx::Tcgen05Kind kind>
__device__ void gemm(const TmaParameters& p, unsigned char* dynamic) {
  const Kernel<kind> kernel(p, dynamic);
  const std::uint32_t warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(kernel.done(), 1);
    kernel.initialise_barriers(1);
  }
  if (warp == 2) {
    ptx::tcgen05_alloc<1>(kernel.tmem_address(), kColumns);
    ptx::tcgen05_relinquish_alloc_permit<1>();
  }
  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();
  ptx::tcgen05_fence_after_thread_sync();
  const std::uint32_t tmem = ptx::ld_shared_u32(kernel.tmem_address());

  if (warp == 0) {
    if (ptx::elect_one()) kernel.load();
  } else if (warp == 1) {
    kernel.multiply(tmem);
  }
  __syncwarp();

  ptx::mbarrier_wait(kernel.done(), 0);
  ptx::tcgen05_fence_after_thread_sync();
  kernel.epilogue(tmem);

  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();  // all warps have read their lanes
  ptx::tcgen05_fence_after_thread_sync();
  if (warp == 2) ptx::tcgen05_dealloc<1>(tmem, kColumns);
}

}  // namespace

// sm_103a has no kind::i8 (ptxas refuses it); its s8 entry traps.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 1030
#define LC_HAS_KIND_I8 false
#else
#define LC_HAS_KIND_I8 true
#endif

#define LC_TCGEN05_TMA(name, kind)                                                    \
  extern "C" __global__ void __launch_bounds__(kTcgen05TmaThreads)                    \
      tcgen05_tma_##name(const __grid_constant__ TmaParameters p) {                   \
    extern __shared__ __align__(1024) unsigned char dynamic[];                        \
    if constexpr (ptx::Tcgen05Kind::kind != ptx::Tcgen05Kind::i8 || LC_HAS_KIND_I8) { \
      gemm<ptx::Tcgen05Kind::kind>(p, dynamic);                                       \
    } else {                                                                          \
      __trap();                                                                       \
    }                                                                                 \
  }
LC_TCGEN05_TMA_INSTANCES(LC_TCGEN05_TMA)

}  // namespace lc::kernel
