#pragma once

#include "kernel/gemm/tcgen05_gemm_context.cuh"

// Stages of tcgen05_gemm as they are multiplied, for the dump.  Nothing of it is left in a build
// with LC_SMEM_DUMP=0.
namespace lc::kernel {

inline constexpr bool kDumps = LC_SMEM_DUMP != 0;

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

}  // namespace lc::kernel
