#include "kernel/descriptor.cuh"
#include "kernel/gemm/epilogue.cuh"
#include "kernel/gemm/tcgen05_tma_parameters.h"
#include "kernel/ptx/address.cuh"
#include "kernel/ptx/elect.cuh"
#include "kernel/ptx/fence.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/shared_access.cuh"
#include "kernel/ptx/tcgen05.cuh"
#include "kernel/ptx/tma_load.cuh"
#include "kernel/ptx/tma_store.cuh"

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
// Not run on Blackwell hardware; run on the virtual GPU.
namespace lc::kernel {

namespace {

constexpr bool kDumps = LC_SMEM_DUMP != 0;
constexpr std::uint32_t kColumns = 128;  ///< of Tensor Memory: one f32 or s32 for each column of D

template <ptx::Tcgen05Kind kind>
struct Kernel {
  const Tcgen05TmaParameters& p;
  std::uint32_t shared;         ///< address of the dynamic shared memory
  std::uint32_t row0, column0;  ///< of this CTA's tile of D
  SmemDump dump;

  __device__ std::uint32_t A_shared(std::uint32_t stage) const {
    return shared + stage * kTmaBytesA;
  }
  __device__ std::uint32_t B_shared(std::uint32_t stage) const {
    return shared + kTmaStages * kTmaBytesA + stage * kTmaBytesB;
  }
  __device__ std::uint32_t Dsmem() const { return shared + kTmaStages * (kTmaBytesA + kTmaBytesB); }
  __device__ std::uint32_t full(std::uint32_t stage) const { return word(stage); }
  __device__ std::uint32_t empty(std::uint32_t stage) const { return word(kTmaStages + stage); }
  __device__ std::uint32_t done() const { return word(2 * kTmaStages); }
  __device__ std::uint32_t tmem_address() const { return word(2 * kTmaStages + 1); }
  __device__ std::uint32_t word(std::uint32_t i) const { return Dsmem() + kDsmemBytes + 8 * i; }

  // Load ----------------------------------------------------------------------------------------

  /// The tile at (mn, k) of A or B.  Zeros where the matrix has ended; they are counted, too.
  __device__ static void load_tile(const TmaOperand& o, const TensorMap& grouped,
                                   const TensorMap& plain, std::uint32_t to, std::uint32_t barrier,
                                   std::uint32_t mn, std::uint32_t k) {
    const std::uint32_t column = o.mn_major ? mn : k, row = o.mn_major ? k : mn;
    if (column + o.groups * o.group <= o.whole) {
      ptx::tma_load_3d(to, &grouped, barrier, 0, static_cast<std::int32_t>(row),
                       static_cast<std::int32_t>(column / o.group));
      return;
    }
    for (std::uint32_t g = 0; g < o.groups; ++g) {
      ptx::tma_load_2d(to + g * o.group_bytes, &plain, barrier,
                       static_cast<std::int32_t>(column + g * o.group),
                       static_cast<std::int32_t>(row));
    }
  }

  __device__ void load() const {
    for (std::uint32_t tile = 0; tile < p.k_tiles; ++tile) {
      const std::uint32_t stage = tile % kTmaStages, round = tile / kTmaStages;
      // Of a barrier that has completed no phase, the phase before counts as complete: round 0
      // does not wait.
      ptx::mbarrier_wait(empty(stage), (round & 1) ^ 1);
      ptx::mbarrier_arrive_expect_tx(full(stage), kTmaBytesA + kTmaBytesB);
      load_tile(p.operand_a, p.a_grouped, p.a, A_shared(stage), full(stage), row0, tile * p.tile_k);
      load_tile(p.operand_b, p.b_grouped, p.b, B_shared(stage), full(stage), column0,
                tile * p.tile_k);
    }
  }

  // Multiply ------------------------------------------------------------------------------------

  /// K slice `i` of a tile.  K-major: 32 bytes along the rows of a group, then the next group.
  /// MN-major: further rows of all groups, which LBO connects.
  __device__ static std::uint64_t slice(const TmaOperand& o, std::uint32_t tile, std::uint32_t i) {
    return advance_descriptor(o.descriptor, tile + i / o.slices_a_group * o.group_bytes +
                                                i % o.slices_a_group * o.slice_bytes);
  }

  __device__ void multiply_stage(std::uint32_t stage, std::uint32_t tmem, bool accumulate) const {
#pragma unroll
    for (std::uint32_t i = 0; i < kSlices; ++i) {
      ptx::tcgen05_mma<kind, 1>(tmem, slice(p.operand_a, A_shared(stage), i),
                                slice(p.operand_b, B_shared(stage), i), p.instruction,
                                accumulate || i != 0);
    }
  }

  /// Group by group, as if each had been fetched through the matrix' two dimensions.
  __device__ void dump_tile(const char* name, const TmaOperand& o, std::uint32_t tile,
                            std::uint32_t stage, std::uint32_t mn, std::uint32_t k) const {
#pragma unroll 1
    for (std::uint32_t g = 0; g < o.groups; ++g) {
      const std::uint32_t at = tile + g * o.group_bytes;
      const std::uint32_t column = (o.mn_major ? mn : k) + g * o.group;
      SmemTile t(name, at, o.group_bytes);
      t.stage(stage).descriptor(advance_descriptor(o.descriptor, at));
      dump.warp(t.coordinates(column, o.mn_major ? k : mn));
    }
  }

  __device__ void multiply(std::uint32_t tmem) const {
    const bool issues = ptx::elect_one();
    for (std::uint32_t tile = 0; tile < p.k_tiles; ++tile) {
      const std::uint32_t stage = tile % kTmaStages, round = tile / kTmaStages;
      ptx::mbarrier_wait(full(stage), round & 1);
      if constexpr (kDumps) {
        dump_tile("A", p.operand_a, A_shared(stage), stage, row0, tile * p.tile_k);
        dump_tile("B", p.operand_b, B_shared(stage), stage, column0, tile * p.tile_k);
      }
      if (issues) {
        multiply_stage(stage, tmem, tile != 0);
        ptx::tcgen05_commit<1>(empty(stage));
      }
      __syncwarp();
    }
    if (issues) ptx::tcgen05_commit<1>(done());
  }

  // Finish --------------------------------------------------------------------------------------

  /// Where 16-byte chunk `chunk` of this thread's row stands in Dsmem: 128B swizzle, as D's tensor
  /// map says.  Eight threads that write the same chunk of their rows use eight bank sectors.
  __device__ std::uint32_t staged(std::uint32_t chunk) const {
    return Dsmem() + threadIdx.x * kGroupBytes + ((chunk ^ threadIdx.x & 7) << 4);
  }

  /// 32 columns of D from `column` on into Dsmem, from chunk `first` of its rows on.
  __device__ void stage_columns(std::uint32_t tmem, std::uint32_t column,
                                std::uint32_t first) const {
    std::uint32_t accumulator[kRowPart];
    ptx::tcgen05_ld_32x32b(accumulator, tmem + (threadIdx.x / 32 * 32 << 16) + column);
    ptx::tcgen05_wait_ld();
    float x[kRowPart];
    finish(p.epilogue, accumulator, row0 + threadIdx.x, column0 + column, x);
    for_each_chunk(x, p.epilogue.output, [&](std::uint32_t i, uint4 chunk) {
      ptx::st_shared_v4(staged(first + i), chunk);
    });
  }

  /// 128 bytes of every row at a time.  TMA does not store what D does not have, except that a row
  /// ends on 16 bytes: what pads it becomes zero.
  __device__ void epilogue(std::uint32_t tmem) const {
    const std::uint32_t columns = kGroupBytes / value_bytes(p.epilogue.output);
#pragma unroll 1
    for (std::uint32_t column = 0; column < kTmaTileN; column += columns) {
      if (column0 + column >= p.epilogue.n) break;
      if (column != 0) {
        // Dsmem is used again: the thread that stored waits until TMA has read it.
        if (threadIdx.x == 0) ptx::tma_store_wait_read<0>();
        __syncthreads();
      }
#pragma unroll 1
      for (std::uint32_t part = 0; part < columns; part += kRowPart) {
        stage_columns(tmem, column + part, part * value_bytes(p.epilogue.output) / 16);
      }
      ptx::fence_proxy_async_shared();  // written by the generic proxy, read by the async proxy
      __syncthreads();
      if constexpr (kDumps) {
        SmemTile tile("D", Dsmem(), kDsmemBytes);
        dump.cta(tile.coordinates(column0 + column, row0));
      }
      if (threadIdx.x == 0) {
        ptx::tma_store_2d(Dsmem(), &p.d, static_cast<std::int32_t>(column0 + column),
                          static_cast<std::int32_t>(row0));
        ptx::tma_store_commit();
      }
    }
    if (threadIdx.x == 0) ptx::tma_store_wait<0>();
  }

  __device__ void initialise_barriers() const {
    for (std::uint32_t s = 0; s < kTmaStages; ++s) {
      ptx::mbarrier_init(full(s), 1);
      ptx::mbarrier_init(empty(s), 1);
    }
    ptx::mbarrier_init(done(), 1);
    ptx::fence_mbarrier_init();
  }
};

template <ptx::Tcgen05Kind kind>
__device__ void gemm(const Tcgen05TmaParameters& p, unsigned char* dynamic) {
  const Kernel<kind> kernel{p, ptx::shared_address(dynamic), blockIdx.x * kTmaTileM,
                            blockIdx.y * kTmaTileN, SmemDump(p.dump)};
  const std::uint32_t warp = threadIdx.x / 32;
  if (threadIdx.x == 0) kernel.initialise_barriers();
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
  extern "C" __global__ void __launch_bounds__(kTmaThreads)                           \
      tcgen05_tma_##name(const __grid_constant__ Tcgen05TmaParameters p) {            \
    extern __shared__ __align__(1024) unsigned char dynamic[];                        \
    if constexpr (ptx::Tcgen05Kind::kind != ptx::Tcgen05Kind::i8 || LC_HAS_KIND_I8) { \
      gemm<ptx::Tcgen05Kind::kind>(p, dynamic);                                       \
    } else {                                                                          \
      __trap();                                                                       \
    }                                                                                 \
  }
LC_TCGEN05_TMA_INSTANCES(LC_TCGEN05_TMA)

}  // namespace lc::kernel
