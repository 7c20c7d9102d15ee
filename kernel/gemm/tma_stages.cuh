#pragma once

#include "kernel/descriptor.cuh"
#include "kernel/gemm/epilogue.cuh"
#include "kernel/gemm/tma_tile.h"
#include "kernel/ptx/address.cuh"
#include "kernel/ptx/fence.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/tma_load.cuh"
#include "kernel/ptx/tma_store.cuh"

// Stages in shared memory that one thread has TMA fill, and Dsmem, which TMA stores.
namespace lc::kernel {

struct TmaStages {
  const TmaParameters& p;
  SmemDump dump;
  std::uint32_t shared;         ///< address of the dynamic shared memory
  std::uint32_t row0, column0;  ///< of this CTA's tile of D

  __device__ TmaStages(const TmaParameters& parameters, const void* dynamic)
      : p(parameters),
        dump(parameters.dump),
        shared(ptx::shared_address(dynamic)),
        row0(blockIdx.x * kTmaTileM),
        column0(blockIdx.y * kTmaTileN) {}

  __device__ std::uint32_t A_shared(std::uint32_t stage) const {
    return shared + stage * kTmaBytesA;
  }
  __device__ std::uint32_t B_shared(std::uint32_t stage) const {
    return shared + kTmaStages * kTmaBytesA + stage * kTmaBytesB;
  }
  __device__ std::uint32_t Dsmem() const { return shared + kTmaStages * (kTmaBytesA + kTmaBytesB); }
  __device__ std::uint32_t full(std::uint32_t stage) const { return word(stage); }
  __device__ std::uint32_t empty(std::uint32_t stage) const { return word(kTmaStages + stage); }
  /// Two more words, for the kernel's own use.
  __device__ std::uint32_t spare(std::uint32_t i) const { return word(2 * kTmaStages + i); }
  __device__ std::uint32_t word(std::uint32_t i) const { return Dsmem() + kDsmemBytes + 8 * i; }

  /// One thread, before all others use them.  `readers` arrive at empty[s].
  __device__ void initialise_barriers(std::uint32_t readers) const {
    for (std::uint32_t s = 0; s < kTmaStages; ++s) {
      ptx::mbarrier_init(full(s), 1);
      ptx::mbarrier_init(empty(s), readers);
    }
    ptx::fence_mbarrier_init();
  }

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

  // Read ----------------------------------------------------------------------------------------

  /// K slice `i` of a tile.  K-major: 32 bytes along the rows of a group, then the next group.
  /// MN-major: further rows of all groups, which LBO connects.
  __device__ static std::uint64_t slice(const TmaOperand& o, std::uint32_t tile, std::uint32_t i) {
    return advance_descriptor(o.descriptor, tile + i / o.slices_a_group * o.group_bytes +
                                                i % o.slices_a_group * o.slice_bytes);
  }

  __device__ void dump_stage(std::uint32_t stage, std::uint32_t k) const {
    dump_tile("A", p.operand_a, A_shared(stage), stage, row0, k);
    dump_tile("B", p.operand_b, B_shared(stage), stage, column0, k);
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

  // Finish --------------------------------------------------------------------------------------

  /// Where 16-byte chunk `chunk` of row `row` stands in Dsmem: 128B swizzle, as D's tensor map
  /// says. Eight rows' chunks of the same number stand in eight bank sectors.
  __device__ std::uint32_t staged(std::uint32_t row, std::uint32_t chunk) const {
    return Dsmem() + row * kGroupBytes + ((chunk ^ row & 7) << 4);
  }

  /// Columns of D that Dsmem holds.
  __device__ std::uint32_t columns() const {
    return kGroupBytes / value_bytes(p.epilogue.output);
  }

  /// Before Dsmem is written again: the thread that stored waits until TMA has read it.
  __device__ void wait_for_Dsmem() const {
    if (threadIdx.x == 0) ptx::tma_store_wait_read<0>();
    __syncthreads();
  }

  /// All threads have written Dsmem: one thread has TMA store it as the columns from `column` on.
  /// TMA does not store what D does not have, except that a row ends on 16 bytes: what pads it
  /// becomes zero.
  __device__ void store_Dsmem(std::uint32_t column) const {
    ptx::fence_proxy_async_shared();  // written by the generic proxy, read by the async proxy
    __syncthreads();
    if constexpr (LC_SMEM_DUMP != 0) {
      SmemTile tile("D", Dsmem(), kDsmemBytes);
      dump.cta(tile.coordinates(column0 + column, row0));
    }
    if (threadIdx.x == 0) {
      ptx::tma_store_2d(Dsmem(), &p.d, static_cast<std::int32_t>(column0 + column),
                        static_cast<std::int32_t>(row0));
      ptx::tma_store_commit();
    }
  }
};

}  // namespace lc::kernel
