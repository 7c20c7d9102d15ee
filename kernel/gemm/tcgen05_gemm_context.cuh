#pragma once

#include "kernel/descriptor.cuh"
#include "kernel/gemm/tcgen05_gemm_parameters.h"
#include "kernel/gemm/tile_order.h"
#include "kernel/ptx/address.cuh"
#include "kernel/ptx/cluster.cuh"
#include "kernel/ptx/fence.cuh"
#include "kernel/ptx/launch_control.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/shared_access.cuh"
#include "kernel/ptx/tcgen05.cuh"

// What the warps of tcgen05_gemm share: where things are, and which tile is next.
namespace lc::kernel {

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

}  // namespace lc::kernel
