#pragma once

#include <cstdint>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "kernel/operand_store.cuh"
#include "kernel/smem_dump.cuh"

// The kernels of tile_probe behind plain functions, so that the host part needs no nvcc.  They are
// made for one CTA and use dynamic shared memory only, which begins at kSmemBegin.
namespace lc::kernel {

struct TmaProbeArguments {
  char name[48];
  std::uint32_t window, window_bytes, destination, transaction_bytes, barrier;
  std::int32_t coordinates[5];
};

struct OperandProbeArguments {
  char name[48];
  const unsigned char* source;
  std::uint64_t descriptor;
  OperandStore store;
  std::uint32_t window, window_bytes, rows, cells, cell_bytes, pitch;
};

/// A ring of stages that a producer warp fills with one tile of A and one of B each and a consumer
/// warp empties.  CTA (x, y) takes the x-th tile_m rows of A and the y-th tile_n columns of B.
struct PipelineProbeArguments {
  std::uint32_t stages, k_tiles, tile_m, tile_n, tile_k, a_bytes, b_bytes;
};

cudaError_t launch_tma_probe(unsigned rank, const CUtensorMap& map,
                             const TmaProbeArguments& arguments, const SmemDump& dump);
cudaError_t launch_operand_probe(const OperandProbeArguments& arguments, const SmemDump& dump);
cudaError_t launch_pipeline_probe(unsigned m_tiles, unsigned n_tiles, const CUtensorMap& a,
                                  const CUtensorMap& b, const PipelineProbeArguments& arguments,
                                  const SmemDump& dump);

}  // namespace lc::kernel
