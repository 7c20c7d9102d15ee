#include "kernel/descriptor.cuh"
#include "kernel/gemm/activation.cuh"
#include "kernel/gemm/tcgen05_gemm_parameters.h"
#include "kernel/gemm/tile_order.h"
#include "kernel/ptx/address.cuh"
#include "kernel/ptx/cluster.cuh"
#include "kernel/ptx/fence.cuh"
#include "kernel/ptx/launch_control.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/shared_access.cuh"
#include "kernel/ptx/tcgen05.cuh"
#include "kernel/ptx/tma_load.cuh"
#include "kernel/ptx/tma_load_pair.cuh"
#include "kernel/ptx/tma_store.cuh"

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

constexpr bool kDumps = LC_SMEM_DUMP != 0;

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

/// Where everything lies in shared memory.  Addresses are in the cluster's window.
template <class T>
struct Shared {
  std::uint32_t base;

  __device__ std::uint32_t a(std::uint32_t stage) const { return base + stage * T::kStageBytes; }
  __device__ std::uint32_t b(std::uint32_t stage) const { return a(stage) + T::kBytesA; }
  __device__ std::uint32_t scale_a(std::uint32_t stage) const { return b(stage) + T::kBytesB; }
  __device__ std::uint32_t scale_b(std::uint32_t stage) const {
    return scale_a(stage) + T::kBytesScaleA;
  }
  __device__ std::uint32_t staging(std::uint32_t warp, std::uint32_t buffer) const {
    return base + T::kStages * T::kStageBytes + (warp * 2 + buffer) * kStagingBytes;
  }

  __device__ std::uint32_t full(std::uint32_t stage) const { return word(stage); }
  __device__ std::uint32_t empty(std::uint32_t stage) const { return word(8 + stage); }
  __device__ std::uint32_t tmem_full(std::uint32_t slot) const { return word(16 + slot); }
  __device__ std::uint32_t tmem_empty(std::uint32_t slot) const { return word(18 + slot); }
  __device__ std::uint32_t next_full(std::uint32_t slot) const { return word(20 + slot); }
  __device__ std::uint32_t next_empty(std::uint32_t slot) const { return word(22 + slot); }
  __device__ std::uint32_t c_full(std::uint32_t warp, std::uint32_t buffer) const {
    return word(24 + warp * 2 + buffer);
  }
  __device__ std::uint32_t dump_begin() const { return word(32); }
  __device__ std::uint32_t dump_end() const { return word(33); }
  __device__ std::uint32_t next(std::uint32_t slot) const { return word(34 + 2 * slot); }
  __device__ std::uint32_t tmem() const { return word(38); }

 private:
  __device__ std::uint32_t word(std::uint32_t i) const {
    return base + T::kStages * T::kStageBytes + T::kStaging + i * 8;
  }
};

/// What every warp knows.
template <class T>
struct Context {
  const Tcgen05GemmParameters& p;
  Shared<T> shared;
  SmemDump dump;
  std::uint32_t rank, warp, lane;

  /// Rank of the CTA that issues for this one.
  __device__ std::uint32_t leader() const { return T::kGroup == 2 ? rank & ~1u : rank; }
  __device__ bool leads() const { return rank == leader(); }
  /// First row of this CTA's part of a tile of D, and of its part of B.
  __device__ std::uint32_t row(TilePlace place) const {
    return (place.m * T::kCtas + rank) * kTileRows;
  }
  __device__ std::uint32_t column(TilePlace place) const { return place.n * T::kN; }
  __device__ std::uint32_t column_b(TilePlace place) const {
    return column(place) + rank % T::kGroup * T::kRowsB;
  }
};

/// Position in a ring: which slot, and the parity of the phase to wait for.
template <std::uint32_t slots>
struct RingPosition {
  std::uint32_t slot = 0, parity = 0;
  __device__ void advance() {
    if (++slot == slots) {
      slot = 0;
      parity ^= 1;
    }
  }
};

/// The tiles of this cluster, the same for every warp of it.
template <class T>
class Tiles {
 public:
  explicit __device__ Tiles(const Context<T>& context)
      : context_(context), cluster_(blockIdx.x / T::kCtas) {}

  /// The next tile, until there is none.  All lanes of a warp call it.
  __device__ bool next(TilePlace& place) {
    const Tcgen05GemmParameters& p = context_.p;
    if (!first_) {
      if (p.static_schedule != 0) {
        cluster_ += gridDim.x / T::kCtas;
      } else if (!canceled()) {
        return false;
      }
    }
    first_ = false;
    if (cluster_ >= p.tiles_m * p.tiles_n) return false;
    place = tile_place(cluster_, p.tiles_m, p.tiles_n, p.band);
    return true;
  }

 private:
  __device__ bool canceled() {
    const Shared<T>& shared = context_.shared;
    ptx::mbarrier_wait(shared.next_full(at_.slot), at_.parity);
    const ptx::CanceledCluster next = ptx::launch_control_response(shared.next(at_.slot));
    ptx::fence_proxy_async_shared();  // read here, written again by the async proxy
    __syncwarp();
    if (context_.lane == 0) {
      ptx::mbarrier_arrive_cluster(ptx::shared_of_cta(shared.next_empty(at_.slot), 0));
    }
    at_.advance();
    cluster_ = next.first_x / T::kCtas;
    return next.valid;
  }

  const Context<T>& context_;
  RingPosition<kSlots> at_;
  std::uint32_t cluster_;
  bool first_ = true;
};

/// Warps of a cluster that read the scheduler's answers: fetch, multiply and finish of each CTA,
/// and the scheduler itself.
template <class T>
constexpr std::uint32_t kReaders = T::kCtas*(2 + kFinishWarps) + 1;

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

// Dump --------------------------------------------------------------------------------------------

/// This CTA's part of a stage, box by box.
template <class T>
__device__ void dump_operands(const Context<T>& c, std::uint32_t stage, TilePlace place,
                              std::uint32_t k) {
  const std::uint32_t boxes_a = c.p.fetch_a.boxes;
  const std::uint32_t boxes = boxes_a + c.p.fetch_b.boxes * T::kPairs;
#pragma unroll 1
  for (std::uint32_t i = 0; i < boxes; ++i) {
    const bool is_a = i < boxes_a;
    const OperandFetch& f = is_a ? c.p.fetch_a : c.p.fetch_b;
    const std::uint32_t shares = is_a ? 1 : T::kPairs;
    const std::uint32_t box = (is_a ? i : i - boxes_a) / shares;
    const std::uint32_t share = (is_a ? i : i - boxes_a) % shares;
    const std::uint32_t tile = is_a ? c.shared.a(stage) : c.shared.b(stage);
    const std::uint32_t mn =
        (is_a ? c.row(place) : c.column_b(place)) + box * f.chunk + share * f.share_mn;
    const std::uint32_t at_k = k + share * f.share_k;
    SmemTile t(is_a ? "A" : "B", tile + box * f.box_bytes + share * f.share_bytes,
               shares == 1 ? f.box_bytes : f.share_bytes);
    t.stage(stage).descriptor(advance_descriptor(f.descriptor, tile & 0xFFFFFF));
    c.dump.warp(t.coordinates(f.mn_major ? mn : at_k, f.mn_major ? at_k : mn));
  }
}

template <class T>
__device__ void dump_scales(const Context<T>& c, std::uint32_t stage, TilePlace place,
                            std::uint32_t block) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < 2; ++i) {
    SmemTile t(i == 0 ? "SFA" : "SFB", i == 0 ? c.shared.scale_a(stage) : c.shared.scale_b(stage),
               i == 0 ? T::kBytesScaleA : T::kBytesScaleB);
    t.stage(stage).coordinates(0, block, (i == 0 ? c.row(place) : c.column(place)) / 128);
    c.dump.warp(t);
  }
}

/// The leader alone knows that a stage is full: it tells the other CTA, and waits for its dump.
template <class T>
__device__ void dump_pair(const Context<T>& c, std::uint32_t stage, TilePlace place,
                          std::uint32_t k_tile, std::uint32_t parity) {
  const bool tell = T::kGroup == 2 && c.leads() && c.lane == 0;
  if (tell) ptx::mbarrier_arrive_cluster(ptx::shared_of_cta(c.shared.dump_begin(), c.rank + 1));
  if (!c.leads()) ptx::mbarrier_wait_cluster(c.shared.dump_begin(), parity);
  dump_operands(c, stage, place, k_tile * c.p.tile_k);
  if constexpr (T::kScaled) dump_scales(c, stage, place, k_tile * T::kScaleBlocks);
  if (!c.leads() && c.lane == 0) {
    ptx::mbarrier_arrive_cluster(ptx::shared_of_cta(c.shared.dump_end(), c.leader()));
  }
  if (T::kGroup == 2 && c.leads()) ptx::mbarrier_wait_cluster(c.shared.dump_end(), parity);
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

// Finish ------------------------------------------------------------------------------------------

/// Where 16-byte chunk `chunk` of row `row` stands in a staging buffer: swizzle 128B, so that eight
/// rows of one chunk, which eight lanes access at once, lie in eight different bank sectors.
__device__ std::uint32_t staged(std::uint32_t buffer, std::uint32_t row, std::uint32_t chunk) {
  return buffer + row * 128 + ((chunk ^ row & 7) << 4);
}

/// 32 columns of a lane's row of D, from 16-byte chunk `first` of its row in a staging buffer on:
/// c comes from there, D goes there.
struct RowPart {
  std::uint32_t buffer, row, first;

  __device__ std::uint32_t chunk(std::uint32_t i) const { return staged(buffer, row, first + i); }

  /// x[i] += beta * c[i]
  __device__ void add_c(float (&x)[32], float beta, GemmOutput type) const {
    if (type == GemmOutput::f32) {
#pragma unroll
      for (std::uint32_t i = 0; i < 8; ++i) {
        const uint4 c = ptx::ld_shared_v4(chunk(i));
        const std::uint32_t words[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
        for (std::uint32_t j = 0; j < 4; ++j) {
          x[4 * i + j] = fmaf(beta, __uint_as_float(words[j]), x[4 * i + j]);
        }
      }
    } else {
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) {
        const uint4 c = ptx::ld_shared_v4(chunk(i));
        const std::uint32_t words[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
        for (std::uint32_t j = 0; j < 4; ++j) {
          const float2 pair = unpacked_16(words[j], type == GemmOutput::bf16);
          x[8 * i + 2 * j] = fmaf(beta, pair.x, x[8 * i + 2 * j]);
          x[8 * i + 2 * j + 1] = fmaf(beta, pair.y, x[8 * i + 2 * j + 1]);
        }
      }
    }
  }

  __device__ void put(const float (&x)[32], GemmOutput type) const {
    if (type == GemmOutput::f32) {
#pragma unroll
      for (std::uint32_t i = 0; i < 8; ++i) {
        ptx::st_shared_v4(chunk(i),
                          make_uint4(__float_as_uint(x[4 * i]), __float_as_uint(x[4 * i + 1]),
                                     __float_as_uint(x[4 * i + 2]), __float_as_uint(x[4 * i + 3])));
      }
    } else {
      const bool bf16 = type == GemmOutput::bf16;
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) {
        const float* v = x + 8 * i;
        ptx::st_shared_v4(chunk(i),
                          make_uint4(packed_16(v[0], v[1], bf16), packed_16(v[2], v[3], bf16),
                                     packed_16(v[4], v[5], bf16), packed_16(v[6], v[7], bf16)));
      }
    }
  }
};

/// One warp: 32 rows of each tile, 128 bytes of every row at a time, through two staging buffers.
template <class T>
class Finish {
 public:
  __device__ Finish(const Context<T>& c, std::uint32_t tmem)
      : c_(c),
        warp_(c.warp % kFinishWarps),
        tmem_(tmem + (warp_ * 32 << 16)),
        wide_(c.p.output == GemmOutput::f32) {}

  __device__ void run() {
    Tiles<T> tiles(c_);
    RingPosition<kSlots> slot;
    for (TilePlace place; tiles.next(place); slot.advance()) {
      const std::uint32_t row = c_.row(place) + warp_ * 32, column = c_.column(place);
      load_c(0, row, column);
      ptx::mbarrier_wait(c_.shared.tmem_full(slot.slot), slot.parity);
      ptx::tcgen05_fence_after_thread_sync();
      finish_tile(slot.slot, row, column);
      ptx::tcgen05_fence_before_thread_sync();
      __syncwarp();
      if (c_.lane == 0) {
        ptx::mbarrier_arrive_cluster(
            ptx::shared_of_cta(c_.shared.tmem_empty(slot.slot), c_.leader()));
      }
    }
    if (c_.lane == 0) ptx::tma_store_wait<0>();
  }

 private:
  __device__ std::uint32_t columns() const { return wide_ ? 32 : 64; }

  __device__ void finish_tile(std::uint32_t slot, std::uint32_t row, std::uint32_t column) {
    for (std::uint32_t i = 0; i < T::kN / columns(); ++i) {
      const std::uint32_t at = column + i * columns();
      const std::uint32_t source = tmem_ + slot * T::kN + i * columns();
      if (at >= c_.p.n) break;
      wait_for_buffer();
      if (i + 1 < T::kN / columns()) load_c(1, row, at + columns());
      finish_columns(source, row, at);
      store(row, at);
    }
  }

  /// The copies from the buffer that is used next have been read.
  __device__ void wait_for_buffer() {
    if (c_.p.beta != 0) {
      ptx::mbarrier_wait(c_.shared.c_full(warp_, buffer_), c_parity_ >> buffer_ & 1);
      c_parity_ ^= 1u << buffer_;
    } else {
      if (c_.lane == 0) ptx::tma_store_wait_read<1>();
      __syncwarp();
    }
  }

  /// Fetches C for the columns from `column` into the buffer `ahead` of the next one.
  __device__ void load_c(std::uint32_t ahead, std::uint32_t row, std::uint32_t column) {
    if (c_.p.beta == 0 || column >= c_.p.n) return;
    const std::uint32_t buffer = buffer_ ^ ahead;
    if (c_.lane == 0) {
      ptx::tma_store_wait_read<0>();
      ptx::mbarrier_arrive_expect_tx(c_.shared.c_full(warp_, buffer), kStagingBytes);
      ptx::tma_load_2d(c_.shared.staging(warp_, buffer), &c_.p.c, c_.shared.c_full(warp_, buffer),
                       static_cast<std::int32_t>(column), static_cast<std::int32_t>(row));
    }
    __syncwarp();
  }

  /// 128 bytes of every row: 32 columns of accumulator at a time.
  __device__ void finish_columns(std::uint32_t source, std::uint32_t row, std::uint32_t column) {
#pragma unroll 1
    for (std::uint32_t done = 0; done < columns(); done += 32) {
      std::uint32_t accumulator[32];
      ptx::tcgen05_ld_32x32b(accumulator, source + done);
      ptx::tcgen05_wait_ld();
      float x[32];
#pragma unroll
      for (std::uint32_t i = 0; i < 32; ++i) x[i] = c_.p.alpha * __uint_as_float(accumulator[i]);
      finish_row({c_.shared.staging(warp_, buffer_), c_.lane, done / 8}, x, row, column + done);
    }
  }

  /// D = activation(x + bias + beta c).  Rows that D does not have stay zero.
  __device__ void finish_row(const RowPart& part, float (&x)[32], std::uint32_t row,
                             std::uint32_t column) {
    const Tcgen05GemmParameters& p = c_.p;
    if (p.bias != nullptr && row + c_.lane < p.m) {
#pragma unroll
      for (std::uint32_t i = 0; i < 32; ++i) {
        if (column + i < p.n) x[i] += __ldg(p.bias + column + i);
      }
    }
    if (p.beta != 0) part.add_c(x, p.beta, p.output);
    activate(p.activation, x);
    part.put(x, p.output);
  }

  __device__ void store(std::uint32_t row, std::uint32_t column) {
    const std::uint32_t buffer = c_.shared.staging(warp_, buffer_);
    ptx::fence_proxy_async_shared();
    __syncwarp();
    if (kDumps) {
      SmemTile tile("D", buffer, kStagingBytes);
      c_.dump.warp(tile.stage(buffer_).coordinates(column, row));
    }
    if (c_.lane == 0) {
      ptx::tma_store_2d(buffer, &c_.p.d, static_cast<std::int32_t>(column),
                        static_cast<std::int32_t>(row));
      ptx::tma_store_commit();
    }
    __syncwarp();
    buffer_ ^= 1;
  }

  const Context<T>& c_;
  std::uint32_t warp_, tmem_;
  bool wide_;
  std::uint32_t buffer_ = 0, c_parity_ = 0;
};

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
