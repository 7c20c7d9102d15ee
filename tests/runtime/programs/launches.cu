// Clusters, limits of launches, occupancy, attributes.
#include <cooperative_groups.h>

#include "expect.h"

__global__ void __cluster_dims__(2, 1, 1) fixed(unsigned* p) {
  if (threadIdx.x == 0) p[blockIdx.x] = cooperative_groups::this_cluster().block_rank();
}

__global__ void ranks(unsigned* p) {
  const auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) p[blockIdx.x] = cluster.block_rank() * 100 + cluster.num_blocks();
  cluster.sync();
}

template <int N>
__global__ void reversed(int* p) {
  extern __shared__ int s[];
  s[threadIdx.x] = static_cast<int>(threadIdx.x) * N;
  __syncthreads();
  p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

int main() {
  unsigned *device, host[8];
  CHECK(cudaMalloc(&device, 4096));
  fixed<<<4, 32>>>(device);
  CHECK(cudaMemcpy(host, device, 16, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 0 && host[1] == 1 && host[2] == 0 && host[3] == 1);
  fixed<<<3, 32>>>(device);
  EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);

  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 4;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 8;
  config.blockDim = 32;
  config.attrs = attributes;
  config.numAttrs = 2;
  CHECK(cudaLaunchKernelEx(&config, ranks, device));
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < 8; ++i) EXPECT(host[i] == i % 4 * 100 + 4);
  config.gridDim = 16;
  attributes[0].val.clusterDim.x = 16;
  EXPECT(cudaLaunchKernelEx(&config, ranks, device) == cudaErrorInvalidClusterSize);
  CHECK(cudaFuncSetAttribute(ranks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaLaunchKernelEx(&config, ranks, device));

  auto* const ints = reinterpret_cast<int*>(device);
  EXPECT(cudaFuncSetAttribute(reversed<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449) ==
         cudaErrorInvalidValue);
  reversed<3><<<1, 32, 100000>>>(ints);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);
  CHECK(cudaFuncSetAttribute(reversed<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  reversed<3><<<1, 32, 232448>>>(ints);
  CHECK(cudaMemcpy(host, device, 8, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 93 && host[1] == 90);
  reversed<3><<<1, 1025>>>(ints);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);

  int blocks = 0, block = 0, grid = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reversed<3>, 256, 100000));
  EXPECT(blocks == 2);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fixed));
  EXPECT(block == 1024);
  cudaFuncAttributes function;
  CHECK(cudaFuncGetAttributes(&function, fixed));
  EXPECT(function.requiredClusterWidth == 2 && function.maxThreadsPerBlock == 1024);
  cudaDeviceProp device_properties;
  CHECK(cudaGetDeviceProperties(&device_properties, 0));
  EXPECT(device_properties.warpSize == 32 && device_properties.sharedMemPerBlockOptin == 232448);
  EXPECT(device_properties.clusterLaunch == 1 && device_properties.multiProcessorCount > 100);
  std::printf("all as expected\n");
  return 0;
}
