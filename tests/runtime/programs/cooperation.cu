// Cooperative groups: the grid, a cluster, tiles and coalesced threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "expect.h"

namespace cg = cooperative_groups;

/// Each round everybody takes its neighbour's number plus one: right only if all wait for all.
__global__ void rounds(int* a, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int round = 0; round < 3; ++round) {
    const int next = a[(i + 1) % n];
    cg::this_grid().sync();
    a[i] = next + 1;
    cg::this_grid().sync();
  }
}

__global__ void neighbours(int* a) {
  __shared__ int mine;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = static_cast<int>(blockIdx.x);
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) a[blockIdx.x] = *cluster.map_shared_rank(&mine, next);
  cluster.sync();
}

__global__ void parts(int* a) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  if (threadIdx.x % 3 == 0) {
    const auto some = cg::coalesced_threads();
    v += static_cast<int>(some.size() * 10000 + some.thread_rank() * 1000);
  }
  a[threadIdx.x] = v;
}

int main() {
  constexpr int kThreads = 256;
  int *device, host[kThreads], n = kThreads;
  CHECK(cudaMalloc(&device, sizeof host));
  for (int i = 0; i < n; ++i) host[i] = i;
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  void* arguments[] = {&device, &n};
  for (int launch = 0; launch < 2; ++launch) {
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(4), dim3(64), arguments,
                                      0, nullptr));
  }
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == (i + 6) % n + 6);
  // More CTAs than have room at once could never meet.
  EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(100000), dim3(64),
                                     arguments, 0, nullptr) == cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);

  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 4;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 8;
  config.blockDim = 32;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, neighbours, device));
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; ++i) EXPECT(host[i] == i / 4 * 4 + (i + 1) % 4);

  parts<<<1, 64>>>(device);
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) {
    const int first = i / 8 * 8, sum = 8 * first + 28;
    // Multiples of 3: 0, 3 .. 30 in the first warp, 33, 36 .. 63 in the second.
    const int rank = i < 32 ? i / 3 : (i - 33) / 3;
    EXPECT(host[i] == (i % 3 == 0 ? sum + 110000 + rank * 1000 : sum));
  }
  std::printf("all as expected\n");
  return 0;
}
