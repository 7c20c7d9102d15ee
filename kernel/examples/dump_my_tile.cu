// Dumps two tiles of one kernel: A filled by TMA, B written by the kernel's own swizzled stores.
//
//   nvcc -std=c++17 -arch=sm_90a -I. kernel/examples/dump_my_tile.cu -o dump_my_tile
//   ./dump_my_tile my_tiles.safetensors && layout-check check my_tiles.safetensors

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "kernel/descriptor.cuh"
#include "kernel/ptx/address.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/tma_load.cuh"
#include "kernel/smem_dump.h"

using lc::kernel::SmemTile;
using lc::kernel::TileDescription;
namespace ptx = lc::ptx;

constexpr int kM = 128, kN = 32, kK = 128, kTileM = 64, kTileK = 64;

/// A is kM x kK, B is kN x kK, both with k contiguous.  CTA x takes 64 rows of A; it walks K in
/// steps of 64, with one A tile and one B tile in shared memory at a time.
__global__ void my_kernel(const __grid_constant__ CUtensorMap a_map, const __nv_bfloat16* b,
                          lc::kernel::SmemDump dump) {
  __shared__ alignas(1024) __nv_bfloat16 a_tile[kTileM * kTileK];
  __shared__ alignas(1024) __nv_bfloat16 b_tile[kN * kTileK];
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t barrier = ptx::shared_address(&full);
  const int m0 = static_cast<int>(blockIdx.x) * kTileM;

  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();

  for (int step = 0; step < kK / kTileK; ++step) {
    const int k0 = step * kTileK;
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(barrier, sizeof a_tile);
      ptx::tma_load_2d(ptx::shared_address(a_tile), &a_map, barrier, k0, m0);
    }
    // B by hand: rows of 128 bytes, 16-byte chunk q of row n goes to chunk q ^ (n % 8).
    for (int i = static_cast<int>(threadIdx.x); i < kN * 8; i += static_cast<int>(blockDim.x)) {
      const int n = i / 8, q = i % 8;
      *reinterpret_cast<uint4*>(&b_tile[n * kTileK + (q ^ n % 8) * 8]) =
          *reinterpret_cast<const uint4*>(&b[n * kK + k0 + q * 8]);
    }
    const std::uint64_t b_desc = lc::kernel::smem_descriptor_sm90(
        {ptx::shared_address(b_tile), 16, 1024, lc::kernel::SmemSwizzle::b128});
    ptx::mbarrier_wait(barrier, step & 1);

    // The two lines that dump.  `stage` tells the passes of the loop apart in the file.
    dump.cta(SmemTile("A", a_tile, sizeof a_tile).stage(step).coordinates(k0, m0));
    dump.cta(SmemTile("B", b_tile, sizeof b_tile).stage(step).descriptor(b_desc));

    __syncthreads();  // here the tensor cores would read both tiles
  }
}

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
T* on_device(const std::vector<T>& values) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, values.size() * sizeof(T)));
  require(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(memory);
}

int run(const std::string& path) {
  std::vector<std::uint16_t> a(kM * kK), b(kN * kK);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint16_t>(i * 40503);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::uint16_t>(~i * 40503);
  auto* device_a = on_device(a);
  auto* device_b = on_device(b);

  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                           cudaEnableDefault, &found));
  if (encode == nullptr) throw std::runtime_error("no cuTensorMapEncodeTiled");
  CUtensorMap map;
  const cuuint64_t dim[] = {kK, kM}, strides[] = {kK * 2};
  const cuuint32_t box[] = {kTileK, kTileM}, steps[] = {1, 1};
  if (reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(encode)(
          &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, device_a, dim, strides, box, steps,
          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled refused the call");
  }

  lc::kernel::SmemDumper dumper;
  my_kernel<<<kM / kTileM, 128>>>(map, reinterpret_cast<const __nv_bfloat16*>(device_b),
                                  dumper.device());
  require(cudaGetLastError());

  // What should be in the tiles: the same arguments once more, and where the values came from.
  dumper.describe("A", TileDescription::copied_by_tma(
                           lc::kernel::TensorMapCall::of(
                               CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, device_a, dim, strides, box,
                               steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
                           .from({"A_global"})
                           .in("my_kernel"));
  for (std::uint32_t step = 0; step < kK / kTileK; ++step) {
    dumper.describe("B", step,
                    TileDescription::read_as({"bf16", "k", kN, kTileK})
                        .from({"B_global", 0, step * kTileK * 2ull, {kK * 2, 2}})
                        .in("my_kernel"));
  }
  dumper.source("A_global", device_a, a.size() * 2).source("B_global", device_b, b.size() * 2);
  dumper.fact("created_by", "dump_my_tile").fact("command", "dump_my_tile " + path);
  const auto problems = dumper.write(path);
  for (const std::string& problem : problems) std::cerr << problem << "\n";
  return problems.empty() ? 0 : 1;
}

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "my_tiles.safetensors");
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
