#include "kernel/probe_launch.cuh"
#include "kernel/ptx/cp_async.cuh"
#include "kernel/tile_probe_kernels.h"

namespace lc::kernel {

/// One cell: 16 bytes, or the 12 or 8 bytes of sixteen 6- or 4-bit elements.  The rest of such a
/// cell stays as it is.
__device__ void copy_cell(std::uint32_t shared, const unsigned char* global, std::uint32_t bytes) {
  if (bytes == 16) {
    ptx::cp_async_16(shared, global);
  } else if (bytes == 8) {
    ptx::cp_async_8(shared, global);
  } else {
    for (std::uint32_t i = 0; i < bytes; i += 4) ptx::cp_async_4(shared + i, global + i);
  }
}

/// Poisons the window, then fills an operand tile cell by cell with cp.async: the swizzle is
/// computed here, not by TMA.
__global__ void operand_probe(const __grid_constant__ OperandProbeArguments a,
                              const SmemDump dump) {
  extern __shared__ __align__(1024) unsigned char shared[];
  require_window_begin(shared);
  poison(a.window, a.window_bytes);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < a.rows * a.cells; i += blockDim.x) {
    const std::uint32_t row = i / a.cells, cell = i % a.cells;
    copy_cell(cell_address(a.store, row, cell),
              a.source + std::uint64_t{row} * a.pitch + cell * a.cell_bytes, a.cell_bytes);
  }
  ptx::cp_async_commit_group();
  ptx::cp_async_wait_group<0>();
  SmemTile tile(a.name, a.window, a.window_bytes);
  dump.cta(tile.descriptor(a.descriptor));
}

cudaError_t launch_operand_probe(const OperandProbeArguments& a, const SmemDump& dump) {
  const cudaError_t status = allow_shared_memory(operand_probe, kSmemEnd);
  if (status != cudaSuccess) return status;
  operand_probe<<<1, 128, kSmemEnd - kSmemBegin>>>(a, dump);
  return cudaGetLastError();
}

}  // namespace lc::kernel
