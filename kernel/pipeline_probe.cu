#include "kernel/probe_launch.cuh"
#include "kernel/ptx/elect.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/tma_load.cuh"
#include "kernel/tile_probe_kernels.h"

namespace lc::kernel {

/// Shared memory: A tiles of all stages, B tiles of all stages, full barriers, empty barriers.
struct Ring {
  PipelineProbeArguments a;

  __device__ std::uint32_t a_tile(std::uint32_t stage) const {
    return kSmemBegin + stage * a.a_bytes;
  }
  __device__ std::uint32_t b_tile(std::uint32_t stage) const {
    return a_tile(a.stages) + stage * a.b_bytes;
  }
  __device__ std::uint32_t full(std::uint32_t stage) const { return b_tile(a.stages) + 8 * stage; }
  __device__ std::uint32_t empty(std::uint32_t stage) const { return full(a.stages + stage); }

  __device__ std::uint32_t m() const { return blockIdx.x * a.tile_m; }
  __device__ std::uint32_t n() const { return blockIdx.y * a.tile_n; }
};

__device__ void produce(const Ring& ring, const CUtensorMap* a_map, const CUtensorMap* b_map) {
  for (std::uint32_t i = 0; i < ring.a.k_tiles; ++i) {
    const std::uint32_t stage = i % ring.a.stages, round = i / ring.a.stages;
    const std::uint32_t k = i * ring.a.tile_k, full = ring.full(stage);
    ptx::mbarrier_wait(ring.empty(stage), (round & 1) ^ 1);  // passes at once in round 0
    ptx::mbarrier_arrive_expect_tx(full, ring.a.a_bytes + ring.a.b_bytes);
    ptx::tma_load_2d(ring.a_tile(stage), a_map, full, k, ring.m());
    ptx::tma_load_2d(ring.b_tile(stage), b_map, full, ring.n(), k);
  }
}

__device__ void consume(const Ring& ring, const SmemDump& dump) {
  for (std::uint32_t i = 0; i < ring.a.k_tiles; ++i) {
    const std::uint32_t stage = i % ring.a.stages, round = i / ring.a.stages;
    const std::uint32_t k = i * ring.a.tile_k;
    ptx::mbarrier_wait(ring.full(stage), round & 1);
    SmemTile a("A", ring.a_tile(stage), ring.a.a_bytes);
    SmemTile b("B", ring.b_tile(stage), ring.a.b_bytes);
    dump.warp(a.stage(stage).coordinates(k, ring.m()));
    dump.warp(b.stage(stage).coordinates(ring.n(), k));
    if (ptx::elect_one()) ptx::mbarrier_arrive(ring.empty(stage));
  }
}

__global__ void pipeline_probe(const __grid_constant__ CUtensorMap a_map,
                               const __grid_constant__ CUtensorMap b_map,
                               const PipelineProbeArguments arguments, const SmemDump dump) {
  extern __shared__ __align__(1024) unsigned char shared[];
  require_window_begin(shared);
  const Ring ring{arguments};
  if (threadIdx.x == 0) {
    for (std::uint32_t s = 0; s < arguments.stages; ++s) {
      ptx::mbarrier_init(ring.full(s), 1);
      ptx::mbarrier_init(ring.empty(s), 1);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x / 32 == 0) {
    if (ptx::elect_one()) produce(ring, &a_map, &b_map);
  } else {
    consume(ring, dump);
  }
}

cudaError_t launch_pipeline_probe(unsigned m_tiles, unsigned n_tiles, const CUtensorMap& a,
                                  const CUtensorMap& b, const PipelineProbeArguments& p,
                                  const SmemDump& dump) {
  const std::uint32_t bytes = p.stages * (p.a_bytes + p.b_bytes + 16);
  const cudaError_t status = allow_shared_memory(pipeline_probe, kSmemBegin + bytes);
  if (status != cudaSuccess) return status;
  pipeline_probe<<<dim3(m_tiles, n_tiles), 64, bytes>>>(a, b, p, dump);
  return cudaGetLastError();
}

}  // namespace lc::kernel
