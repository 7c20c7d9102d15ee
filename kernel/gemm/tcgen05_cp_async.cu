#include "kernel/gemm/cp_async_stages.cuh"
#include "kernel/gemm/epilogue.cuh"
#include "kernel/ptx/address.cuh"
#include "kernel/ptx/cp_async.cuh"
#include "kernel/ptx/fence.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/shared_access.cuh"
#include "kernel/ptx/tcgen05.cuh"

// The simplest complete tcgen05 GEMM: D = A B, one 128 x 128 tile of D for each CTA of 128 threads.
//
//   all threads   cp.async, 16 bytes each, global memory -> one of two stages in shared memory, the
//                 swizzle done by hand in the destination address
//   thread 0      tcgen05.mma: stage -> accumulator in Tensor Memory
//   all threads   tcgen05.ld: Tensor Memory -> registers -> D
//
//   time t      the tensor core reads stage 0     cp.async fills stage 1
//   time t + 1  the tensor core reads stage 1     cp.async fills stage 0
//
// What the tensor core reads is told by two shared-memory descriptors a K slice.  Everything that
// they say is in cp_async_tile.h; whoever stores a tile by hand has to store it as its
// descriptor says, or the tensor core reads other numbers without complaint.
//
// Not run on Blackwell hardware; run on the virtual GPU.  The stages are those of wgmma_cp_async,
// which has run on an H200.
namespace lc::kernel {

namespace {

constexpr bool kDumps = LC_SMEM_DUMP != 0;
constexpr std::uint32_t kColumns = 128;  ///< of Tensor Memory: one f32 or s32 for each column of D

template <class T>
struct Kernel {
  const CpAsyncParameters& p;
  CpAsyncStages<T> stages;
  SmemDump dump;

  /// The instructions that read a stage are done.
  __device__ std::uint32_t mma_done(std::uint32_t stage) const {
    return stages.barriers() + 8 * stage;
  }
  __device__ std::uint32_t tmem_address() const { return stages.barriers() + 16; }

  // Multiply ------------------------------------------------------------------------------------

  /// 64B: swizzle code 4.
  __device__ std::uint64_t a_descriptor(std::uint32_t stage) const {
    return smem_descriptor_sm100(stages.a_matrix(stage));
  }
  /// 128B: swizzle code 2.
  __device__ std::uint64_t b_descriptor(std::uint32_t stage) const {
    return smem_descriptor_sm100(stages.b_matrix(stage));
  }

  /// BK = 32, f16: K 0..15 with a_desc0 at P, K 16..31 with a_desc1 at P + 32.
  __device__ void multiply(std::uint32_t stage, std::uint32_t tmem, bool accumulate) const {
    constexpr auto kind = T::element_bytes == 1 ? ptx::Tcgen05Kind::f8f6f4 : ptx::Tcgen05Kind::f16;
    const std::uint64_t a_desc = a_descriptor(stage), b_desc = b_descriptor(stage);
#pragma unroll
    for (std::uint32_t i = 0; i < T::instructions; ++i) {
      ptx::tcgen05_mma<kind, 1>(tmem, advance_descriptor(a_desc, stages.slice_A(i)),
                                advance_descriptor(b_desc, stages.slice_B(i)), p.instruction,
                                accumulate || i != 0);
    }
  }

  /// Over all of K; at the end the accumulator is complete.
  __device__ void main_loop(std::uint32_t tmem) const {
    const std::uint32_t k_tiles = (p.k + T::BK - 1) / T::BK;
    stages.load(0, 0);
    for (std::uint32_t tile = 0; tile < k_tiles; ++tile) {
      const std::uint32_t stage = tile % kCpAsyncStages, other = stage ^ 1;
      // The tile has arrived: this thread's copies by wait_group, all threads' by the barrier.
      // cp.async writes through the generic proxy, the tensor core reads through the async proxy:
      // without the fence it may read what was there before.
      ptx::cp_async_wait_group<0>();
      ptx::fence_proxy_async_shared();
      __syncthreads();
      if constexpr (kDumps) {
        stages.dump_stage(dump, stage, tile * T::BK, a_descriptor(stage), b_descriptor(stage));
      }
      if (threadIdx.x == 0) {
        ptx::tcgen05_fence_after_thread_sync();
        multiply(stage, tmem, tile != 0);
        ptx::tcgen05_commit<1>(mma_done(stage));
      }
      __syncwarp();
      if (tile + 1 < k_tiles) {
        if (tile != 0) wait_for_mma(tile - 1);  // it read the other stage
        stages.load(other, (tile + 1) * T::BK);
      }
    }
    wait_for_mma(k_tiles - 1);
    ptx::tcgen05_fence_after_thread_sync();
  }

  /// A stage's barrier completes a phase each time that its tile was read.
  __device__ void wait_for_mma(std::uint32_t tile) const {
    ptx::mbarrier_wait(mma_done(tile % kCpAsyncStages), tile / kCpAsyncStages & 1);
  }

  // Finish --------------------------------------------------------------------------------------

  /// Warp w reaches Tensor Memory lanes 32 w .. 32 w + 31.  M = 128: lane = row of D.  M = 64: rows
  /// 16 w .. 16 w + 15 are lanes 32 w .. 32 w + 15, the other lanes are not used.
  __device__ void epilogue(std::uint32_t tmem) const {
    constexpr std::uint32_t rows_of_warp = T::BM / 4;
    const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const std::uint32_t row = lane < rows_of_warp ? stages.row0 + warp * rows_of_warp + lane : p.m;
#pragma unroll 1
    for (std::uint32_t column = 0; column < T::BN; column += kRowPart) {
      std::uint32_t accumulator[kRowPart];
      ptx::tcgen05_ld_32x32b(accumulator, tmem + (warp * 32 << 16) + column);
      ptx::tcgen05_wait_ld();
      float x[kRowPart];
      finish(p.epilogue, accumulator, row, stages.column0 + column, x);
      store_row(p.epilogue, x, row, stages.column0 + column);
    }
  }
};

template <class T>
__device__ void gemm(const CpAsyncParameters& p, unsigned char* dynamic) {
  const Kernel<T> kernel{p,
                         {p, ptx::shared_address(dynamic), blockIdx.x * T::BM, blockIdx.y * T::BN},
                         SmemDump(p.dump)};
  if (threadIdx.x == 0) {
    for (std::uint32_t s = 0; s < kCpAsyncStages; ++s) ptx::mbarrier_init(kernel.mma_done(s), 1);
    ptx::fence_mbarrier_init();
  }
  if (threadIdx.x / 32 == 0) {
    __syncwarp();
    ptx::tcgen05_alloc<1>(kernel.tmem_address(), kColumns);
    ptx::tcgen05_relinquish_alloc_permit<1>();
  }
  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();
  ptx::tcgen05_fence_after_thread_sync();
  const std::uint32_t tmem = ptx::ld_shared_u32(kernel.tmem_address());

  kernel.main_loop(tmem);
  kernel.epilogue(tmem);

  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();  // all warps have read their lanes
  ptx::tcgen05_fence_after_thread_sync();
  if (threadIdx.x / 32 == 0) ptx::tcgen05_dealloc<1>(tmem, kColumns);
}

}  // namespace

#define LC_TCGEN05_CP_ASYNC(name, element_bytes, bm, bk, swizzle, shift)               \
  extern "C" __global__ void __launch_bounds__(kCpAsyncThreads)                        \
      tcgen05_cp_async_##name(const __grid_constant__ CpAsyncParameters p) {           \
    extern __shared__ __align__(1024) unsigned char dynamic[];                         \
    gemm<CpAsyncTile<element_bytes, bm, bk, SmemSwizzle::swizzle, shift>>(p, dynamic); \
  }
LC_TCGEN05_CP_ASYNC_INSTANCES(LC_TCGEN05_CP_ASYNC)

}  // namespace lc::kernel
