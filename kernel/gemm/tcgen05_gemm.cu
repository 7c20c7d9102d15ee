#include "kernel/gemm/tcgen05_gemm_dump.cuh"
#include "kernel/gemm/tcgen05_gemm_finish.cuh"
#include "kernel/ptx/tma_load_pair.cuh"

// A persistent GEMM for sm_100a.  Eight warps, each with one job, talk through mbarriers:
//
//   warp 0    fetch     TMA: global memory -> a ring of stages in shared memory
//   warp 1    multiply  tcgen05.mma: stages -> accumulator in Tensor Memory
//   warp 2    schedule  asks for the next tile (cluster launch control)
//   warp 3              allocates Tensor Memory
//   warps 4-7 finish    Tensor Memory -> registers -> shared memory -> TMA -> D
//
//   full[s], empty[s]     stage s has arrived / has been read
//   tmem_full, tmem_empty accumulator b is complete / has been read; two of them, so the tensor
//                         cores compute a tile while warps 4-7 finish the one before
//   next_full, next_empty which tile is next
//
// cta_group::2: two CTAs on neighbouring multiprocessors work on one tile of 256 rows.  Each
// fetches its 128 rows of A and half of the columns of B; one thread of the even CTA, the leader,
// issues instructions that read both shared memories and write both Tensor Memories.  Barriers that
// the leader waits on are the leader's own, and count for both.
//
// Not run on Blackwell hardware; run on the virtual GPU.
namespace lc::kernel {

namespace {

/// The kinds of tcgen05.mma, and the blocks of scale factors (128 rows x 4) that a K tile has.
template <ptx::Tcgen05Kind kind_, std::uint32_t scale_blocks>
struct Kind {
  static constexpr ptx::Tcgen05Kind kind = kind_;
  static constexpr std::uint32_t kScaleBlocks = scale_blocks;
};
using F16 = Kind<ptx::Tcgen05Kind::f16, 0>;
using Tf32 = Kind<ptx::Tcgen05Kind::tf32, 0>;
using F8 = Kind<ptx::Tcgen05Kind::f8f6f4, 0>;
using Mxf8 = Kind<ptx::Tcgen05Kind::mxf8f6f4, 1>;
using Nvf4 = Kind<ptx::Tcgen05Kind::mxf4nvf4, 4>;

template <class Kind, std::uint32_t group, std::uint32_t tile_n, std::uint32_t pairs>
struct Tile : TileSizes<group, tile_n, pairs, Kind::kScaleBlocks> {
  static constexpr ptx::Tcgen05Kind kKind = Kind::kind;
  static constexpr bool kScaled = Kind::kScaleBlocks != 0;
};

// Fetch -------------------------------------------------------------------------------------------

template <class T>
__device__ void fetch_box(const Context<T>& c, std::uint32_t to, const TensorMap& map,
                          std::uint32_t barrier, const OperandFetch& f, std::uint32_t mn,
                          std::uint32_t k) {
  ptx::tma_load_2d_pair<T::kGroup>(to, &map, barrier, f.mn_major ? mn : k, f.mn_major ? k : mn);
}

/// B is the same for all pairs of the cluster: each fetches its share and sends it to all.
template <class T>
__device__ void fetch_shared_box(const Context<T>& c, std::uint32_t to, const TensorMap& map,
                                 std::uint32_t barrier, const OperandFetch& f, std::uint32_t mn,
                                 std::uint32_t k) {
  if constexpr (T::kPairs == 1) {
    fetch_box(c, to, map, barrier, f, mn, k);
  } else {
    const std::uint32_t share = c.rank / T::kGroup;
    const auto ctas = static_cast<std::uint16_t>(0b0101u << c.rank % T::kGroup);
    mn += share * f.share_mn;
    k += share * f.share_k;
    ptx::tma_load_2d_pair_multicast(to + share * f.share_bytes, &map, barrier, f.mn_major ? mn : k,
                                    f.mn_major ? k : mn, ctas);
  }
}

template <class T>
__device__ void fetch_stage(const Context<T>& c, std::uint32_t stage, TilePlace place,
                            std::uint32_t k_tile) {
  constexpr std::uint32_t kBytes =
      T::kGroup * (T::kBytesA + T::kBytesB + T::kBytesScaleA + T::kBytesScaleB);
  const Tcgen05GemmParameters& p = c.p;
  const std::uint32_t full = ptx::shared_of_cta(c.shared.full(stage), c.leader());
  if (c.leads()) ptx::mbarrier_arrive_expect_tx(c.shared.full(stage), kBytes);
  const std::uint32_t k = k_tile * p.tile_k;
  for (std::uint32_t i = 0; i < p.fetch_a.boxes; ++i) {
    fetch_box(c, c.shared.a(stage) + i * p.fetch_a.box_bytes, p.a, full, p.fetch_a,
              c.row(place) + i * p.fetch_a.chunk, k);
  }
  for (std::uint32_t i = 0; i < p.fetch_b.boxes; ++i) {
    fetch_shared_box(c, c.shared.b(stage) + i * p.fetch_b.box_bytes, p.b, full, p.fetch_b,
                     c.column_b(place) + i * p.fetch_b.chunk, k);
  }
  if constexpr (T::kScaled) {
    const std::uint32_t block = k_tile * T::kScaleBlocks;
    ptx::tma_load_3d_pair<T::kGroup>(c.shared.scale_a(stage), &p.scale_a, full, 0, block,
                                     c.row(place) / 128);
    ptx::tma_load_3d_pair<T::kGroup>(c.shared.scale_b(stage), &p.scale_b, full, 0, block,
                                     c.column(place) / 128);
  }
}

template <class T>
__device__ void fetch(const Context<T>& c) {
  Tiles<T> tiles(c);
  RingPosition<T::kStages> at;
  for (TilePlace place; tiles.next(place);) {
    for (std::uint32_t k_tile = 0; k_tile < c.p.k_tiles; ++k_tile, at.advance()) {
      if (c.lane == 0) {
        ptx::mbarrier_wait(c.shared.empty(at.slot), at.parity ^ 1);  // passes in the first round
        fetch_stage(c, at.slot, place, k_tile);
      }
      __syncwarp();
    }
  }
}

// Multiply ----------------------------------------------------------------------------------------

/// A block of scale factors as tcgen05.cp reads it: 32 rows of 16 bytes, no swizzle.
__device__ std::uint64_t scale_descriptor(std::uint32_t address) {
  SmemMatrix m;
  m.start_address = address & 0xFFFFFF;
  m.stride_byte_offset = 128;
  return smem_descriptor_sm100(m);
}

/// Scale factors of a K tile, from shared to Tensor Memory.  The copies run before the instructions
/// that the same thread issues after them (PTX ISA, "tcgen05 memory consistency model").
template <class T>
__device__ void copy_scales(const Context<T>& c, std::uint32_t stage, std::uint32_t tmem) {
  for (std::uint32_t i = 0; i < T::kScaleBlocks; ++i) {
    ptx::tcgen05_cp_32x128b_warpx4<T::kGroup>(
        tmem + T::kColumnScaleA + 4 * i,
        scale_descriptor(c.shared.scale_a(stage) + i * kScaleBlockBytes));
  }
  for (std::uint32_t i = 0; i < T::kScaleBlocks; ++i) {
    for (std::uint32_t r = 0; r < T::kScaleRowsB; ++r) {
      ptx::tcgen05_cp_32x128b_warpx4<T::kGroup>(
          tmem + T::kColumnScaleB + 4 * (i * T::kScaleRowsB + r),
          scale_descriptor(c.shared.scale_b(stage) + (r * T::kScaleBlocks + i) * kScaleBlockBytes));
    }
  }
}

/// The instructions of one K tile.
template <class T>
__device__ void multiply_stage(const Context<T>& c, std::uint32_t stage, std::uint32_t tmem,
                               std::uint32_t accumulator, bool first) {
  const Tcgen05GemmParameters& p = c.p;
  const std::uint32_t a = c.shared.a(stage) & 0xFFFFFF, b = c.shared.b(stage) & 0xFFFFFF;
  if constexpr (T::kScaled) copy_scales(c, stage, tmem);
#pragma unroll
  for (std::uint32_t step = 0; step < kStepsPerTile; ++step) {
    const std::uint64_t a_descriptor =
        advance_descriptor(p.fetch_a.descriptor, a + step * p.fetch_a.step_bytes);
    const std::uint64_t b_descriptor =
        advance_descriptor(p.fetch_b.descriptor, b + step * p.fetch_b.step_bytes);
    const bool accumulate = !first || step != 0;
    if constexpr (T::kScaled) {
      // A step's factors are a block of their own, or byte `step` of the one block.
      constexpr bool kOwnBlock = T::kScaleBlocks == kStepsPerTile;
      const std::uint32_t block = kOwnBlock ? step : 0;
      const std::uint32_t byte = kOwnBlock ? 0 : step;
      ptx::tcgen05_mma_block_scaled<T::kKind, T::kGroup>(
          tmem + accumulator, a_descriptor, b_descriptor, p.instruction | byte << 29 | byte << 4,
          tmem + T::kColumnScaleA + 4 * block, tmem + T::kColumnScaleB + 4 * block * T::kScaleRowsB,
          accumulate);
    } else {
      ptx::tcgen05_mma<T::kKind, T::kGroup>(tmem + accumulator, a_descriptor, b_descriptor,
                                            p.instruction, accumulate);
    }
  }
}

/// Tells the CTAs in `ctas` when the instructions so far are done.
template <class T>
__device__ void commit(std::uint32_t barrier, std::uint32_t ctas) {
  if constexpr (T::kGroup == 1) {
    ptx::tcgen05_commit<1>(barrier);
  } else {
    ptx::tcgen05_commit_multicast<2>(barrier, static_cast<std::uint16_t>(ctas));
  }
}

template <class T>
__device__ void multiply(const Context<T>& c, std::uint32_t tmem) {
  constexpr std::uint32_t kAll = (1u << T::kCtas) - 1;
  const std::uint32_t pair = ((1u << T::kGroup) - 1) << c.leader();
  Tiles<T> tiles(c);
  RingPosition<T::kStages> at;
  RingPosition<kSlots> slot;
  std::uint32_t dump_parity = 0;
  for (TilePlace place; tiles.next(place); slot.advance()) {
    if (c.leads()) {
      ptx::mbarrier_wait_cluster(c.shared.tmem_empty(slot.slot), slot.parity ^ 1);
      ptx::tcgen05_fence_after_thread_sync();
    }
    for (std::uint32_t k_tile = 0; k_tile < c.p.k_tiles; ++k_tile, at.advance()) {
      if (c.leads()) {
        ptx::mbarrier_wait(c.shared.full(at.slot), at.parity);
        ptx::tcgen05_fence_after_thread_sync();
      }
      if (kDumps) dump_pair(c, at.slot, place, k_tile, dump_parity);
      dump_parity ^= 1;
      if (c.leads() && c.lane == 0) {
        multiply_stage(c, at.slot, tmem, slot.slot * T::kN, k_tile == 0);
        commit<T>(c.shared.empty(at.slot), kAll);
      }
      __syncwarp();
    }
    if (c.leads() && c.lane == 0) commit<T>(c.shared.tmem_full(slot.slot), pair);
    __syncwarp();
  }
}

// Schedule ----------------------------------------------------------------------------------------

/// Asks for tiles while others are worked on, kSlots ahead.  One warp for the whole cluster.
template <class T>
__device__ void schedule(const Context<T>& c) {
  if (c.p.static_schedule != 0 || c.rank != 0) return;
  Tiles<T> tiles(c);
  RingPosition<kSlots> at;
  TilePlace place;
  for (bool more = tiles.next(place); more; more = tiles.next(place), at.advance()) {
    ptx::mbarrier_wait_cluster(c.shared.next_empty(at.slot), at.parity ^ 1);
    if (c.lane < T::kCtas) {
      ptx::mbarrier_arrive_expect_tx_cluster(
          ptx::shared_of_cta(c.shared.next_full(at.slot), c.lane), 16);
    }
    __syncwarp();
    if (c.lane == 0) {
      ptx::launch_control_try_cancel_multicast(c.shared.next(at.slot), c.shared.next_full(at.slot));
    }
    __syncwarp();
  }
}

// Begin and end -----------------------------------------------------------------------------------

template <class T>
__device__ void initialise_barriers(const Shared<T>& shared) {
  for (std::uint32_t s = 0; s < T::kStages; ++s) {
    ptx::mbarrier_init(shared.full(s), 1);
    ptx::mbarrier_init(shared.empty(s), T::kPairs);
  }
  for (std::uint32_t s = 0; s < kSlots; ++s) {
    ptx::mbarrier_init(shared.tmem_full(s), 1);
    ptx::mbarrier_init(shared.tmem_empty(s), T::kGroup * kFinishWarps);
    ptx::mbarrier_init(shared.next_full(s), 1);
    ptx::mbarrier_init(shared.next_empty(s), kReaders<T>);
    for (std::uint32_t w = 0; w < kFinishWarps; ++w) ptx::mbarrier_init(shared.c_full(w, s), 1);
  }
  ptx::mbarrier_init(shared.dump_begin(), 1);
  ptx::mbarrier_init(shared.dump_end(), 1);
  ptx::fence_mbarrier_init();
}

template <class T>
__device__ void gemm(const Tcgen05GemmParameters& p, unsigned char* dynamic) {
  const std::uint32_t begin = ptx::shared_address(dynamic);
  const Context<T> c{p,
                     {(begin + kStageAlign - 1) / kStageAlign * kStageAlign},
                     SmemDump(p.dump),
                     T::kCtas == 1 ? 0 : ptx::cluster_cta_rank(),
                     threadIdx.x / 32,
                     threadIdx.x % 32};
  if (threadIdx.x == 0) {
    initialise_barriers(c.shared);
    ptx::prefetch_tensor_map(&p.a);
    ptx::prefetch_tensor_map(&p.b);
  }
  if (c.warp == 3) {
    ptx::tcgen05_alloc<T::kGroup>(c.shared.tmem(), T::kColumns);
    ptx::tcgen05_relinquish_alloc_permit<T::kGroup>();
  }
  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();
  ptx::cluster_sync();  // the barriers of the other CTAs are there
  ptx::tcgen05_fence_after_thread_sync();
  const std::uint32_t tmem = ptx::ld_shared_u32(c.shared.tmem());

  if (c.warp == 0) {
    fetch(c);
  } else if (c.warp == 1) {
    multiply(c, tmem);
  } else if (c.warp == 2) {
    schedule(c);
  } else if (c.warp >= 4) {
    Finish<T>(c, tmem).run();
  }

  __syncwarp();
  ptx::tcgen05_fence_before_thread_sync();
  ptx::cluster_sync();  // nobody of the cluster still uses this CTA's memory
  ptx::tcgen05_fence_after_thread_sync();
  if (c.warp == 3) ptx::tcgen05_dealloc<T::kGroup>(tmem, T::kColumns);
}

}  // namespace

// Instances.  A cluster is launched with its size as the cluster dimension.
#define LC_TCGEN05_GEMM(name, kind, group, tile_n, pairs)                    \
  extern "C" __global__ void __launch_bounds__(kGemmThreads, 1)              \
      tcgen05_gemm_##name(const __grid_constant__ Tcgen05GemmParameters p) { \
    extern __shared__ __align__(1024) unsigned char dynamic[];               \
    gemm<Tile<kind, group, tile_n, pairs>>(p, dynamic);                      \
  }

#define LC_TCGEN05_GEMM_DENSE(name, kind)                    \
  LC_TCGEN05_GEMM(name##_256x256, kind, 2, 256, 1)           \
  LC_TCGEN05_GEMM(name##_256x256_multicast, kind, 2, 256, 2) \
  LC_TCGEN05_GEMM(name##_128x128, kind, 1, 128, 1)

#define LC_TCGEN05_GEMM_SCALED(name, kind)         \
  LC_TCGEN05_GEMM(name##_256x128, kind, 2, 128, 1) \
  LC_TCGEN05_GEMM(name##_128x128, kind, 1, 128, 1)

LC_TCGEN05_GEMM_DENSE(f16, F16)
LC_TCGEN05_GEMM_DENSE(tf32, Tf32)
LC_TCGEN05_GEMM_DENSE(f8, F8)
LC_TCGEN05_GEMM_SCALED(mxf8, Mxf8)
LC_TCGEN05_GEMM_SCALED(nvf4, Nvf4)

}  // namespace lc::kernel
