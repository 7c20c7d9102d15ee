#include "tests/gpu/dump_cases.h"

#include "kernel/smem_dump.h"

namespace lc::gpu_tests {

using kernel::SmemTile;

__device__ unsigned char global_bytes[kDumpBufferBytes];

__global__ void dump_case(DumpCase c, kernel::SmemDump dump) {
  __shared__ alignas(1024) unsigned char buffer[kDumpBufferBytes];
  const std::uint32_t thread = threadIdx.x + blockDim.x * threadIdx.y;
  const std::uint32_t cta = blockIdx.x + gridDim.x * blockIdx.y;
  for (std::uint32_t round = 0; round < c.rounds; ++round) {
    for (std::uint32_t i = thread; i < kDumpBufferBytes; i += blockDim.x * blockDim.y) {
      buffer[i] = test_byte(i, cta, round);
    }
    __syncthreads();
    const unsigned char* from = c.from_global ? global_bytes : buffer;
    auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(buffer + c.offset));
    if (c.without_rank) address &= 0xFFFFFF;
    SmemTile tile = c.address_form ? SmemTile("tile", address, c.bytes)
                                   : SmemTile("tile", from + c.offset, c.bytes);
    tile.stage(round % 2).descriptor(round);
    if (c.by == DumpCase::By::cta) dump.cta(tile);
    if (c.by == DumpCase::By::warp && thread / 32 == 0) dump.warp(tile);
    if (c.by == DumpCase::By::thread && thread == 0) dump.thread(tile);
    __syncthreads();
  }
}

DumpResult run_dump_case(const DumpCase& c) {
  kernel::SmemDumper dumper(c.room, c.tiles);
  dumper.only_ctas(c.first_cta, c.cta_count);
  dumper.describe("tile", kernel::TileDescription::read_as({"u8", "k", 8, 16}));
  if (c.described_too != nullptr) {
    dumper.describe(c.described_too, kernel::TileDescription::read_as({"u8", "k", 8, 16}));
  }
  if (c.values_from != nullptr) {
    dumper.describe("tile",
                    kernel::TileDescription::read_as({"u8", "k", 8, 16}).from({c.values_from}));
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = c.cluster;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(c.grid_x, c.grid_y);
  config.blockDim = dim3(c.block_x, c.block_y);
  config.attrs = &cluster;
  config.numAttrs = c.cluster > 1 ? 1 : 0;
  kernel::detail::check(cudaLaunchKernelEx(&config, dump_case, c, dumper.device()), "dump_case");
  DumpResult result;
  result.file = dumper.collect(result.problems);
  return result;
}

}  // namespace lc::gpu_tests
