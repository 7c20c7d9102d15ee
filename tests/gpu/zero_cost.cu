// Compiled three ways by zero_cost.cmake: without any trace of the dump, with the dump compiled
// out, and with it.
#include "kernel/smem_dump.cuh"

#if defined(WITHOUT_DUMP)
extern "C" __global__ void kernel(const float* in, float* out) {
#else
extern "C" __global__ void kernel(const float* in, float* out, lc::kernel::SmemDump dump) {
#endif
  __shared__ alignas(1024) float tile[1024];
  for (int round = 0; round < 4; ++round) {
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = in[round * 1024 + i];
    __syncthreads();
#if !defined(WITHOUT_DUMP)
    dump.cta(lc::kernel::SmemTile("tile", tile, sizeof tile).stage(round).coordinates(round, 0));
    if (threadIdx.x < 32) dump.warp(lc::kernel::SmemTile("tile", tile, 64).descriptor(round));
    if (threadIdx.x == 0) dump.thread(lc::kernel::SmemTile("tile", 1024u, 64));
#endif
    float sum = 0;
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) sum += tile[(i * 33) % 1024];
    out[round * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
  }
}
