#include "kernel/probe_launch.cuh"
#include "kernel/ptx/fence.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/tma_load.cuh"
#include "kernel/tile_probe_kernels.h"

namespace lc::kernel {

template <unsigned rank>
__device__ void load(const TmaProbeArguments& a, const CUtensorMap* map) {
  const std::int32_t* c = a.coordinates;
  if constexpr (rank == 1) {
    ptx::tma_load_1d(a.destination, map, a.barrier, c[0]);
  } else if constexpr (rank == 2) {
    ptx::tma_load_2d(a.destination, map, a.barrier, c[0], c[1]);
  } else if constexpr (rank == 3) {
    ptx::tma_load_3d(a.destination, map, a.barrier, c[0], c[1], c[2]);
  } else if constexpr (rank == 4) {
    ptx::tma_load_4d(a.destination, map, a.barrier, c[0], c[1], c[2], c[3]);
  } else {
    ptx::tma_load_5d(a.destination, map, a.barrier, c[0], c[1], c[2], c[3], c[4]);
  }
}

template <unsigned rank>
__device__ SmemTile at_coordinates(SmemTile tile, const std::int32_t* c) {
  if constexpr (rank == 1) return tile.coordinates(c[0]);
  if constexpr (rank == 2) return tile.coordinates(c[0], c[1]);
  if constexpr (rank == 3) return tile.coordinates(c[0], c[1], c[2]);
  if constexpr (rank == 4) return tile.coordinates(c[0], c[1], c[2], c[3]);
  if constexpr (rank == 5) return tile.coordinates(c[0], c[1], c[2], c[3], c[4]);
}

/// Poisons the window, loads one box into it, waits until exactly the announced bytes have come.
template <unsigned rank>
__global__ void tma_probe(const __grid_constant__ CUtensorMap map,
                          const __grid_constant__ TmaProbeArguments a, const SmemDump dump) {
  extern __shared__ __align__(1024) unsigned char shared[];
  require_window_begin(shared);
  poison(a.window, a.window_bytes);
  ptx::fence_proxy_async_shared();  // the poison before the copy
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(a.barrier, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(a.barrier, a.transaction_bytes);
    load<rank>(a, &map);
  }
  ptx::mbarrier_wait(a.barrier, 0);
  SmemTile tile(a.name, a.window, a.window_bytes);
  dump.cta(at_coordinates<rank>(tile.destination(a.destination), a.coordinates));
  if (threadIdx.x == 0) ptx::mbarrier_inval(a.barrier);
}

template <unsigned rank>
cudaError_t launch(const CUtensorMap& map, const TmaProbeArguments& a, const SmemDump& dump) {
  const std::uint32_t end = a.barrier + 8;
  const cudaError_t status = allow_shared_memory(tma_probe<rank>, end);
  if (status != cudaSuccess) return status;
  tma_probe<rank><<<1, 128, end - kSmemBegin>>>(map, a, dump);
  return cudaGetLastError();
}

cudaError_t launch_tma_probe(unsigned rank, const CUtensorMap& map,
                             const TmaProbeArguments& arguments, const SmemDump& dump) {
  switch (rank) {
    case 1:
      return launch<1>(map, arguments, dump);
    case 2:
      return launch<2>(map, arguments, dump);
    case 3:
      return launch<3>(map, arguments, dump);
    case 4:
      return launch<4>(map, arguments, dump);
    case 5:
      return launch<5>(map, arguments, dump);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace lc::kernel
