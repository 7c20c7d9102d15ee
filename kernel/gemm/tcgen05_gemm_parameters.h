#pragma once

#include <cstdint>

#include "kernel/gemm/plan.h"
#include "kernel/gemm/tcgen05_gemm_tile.h"

// What the host tells tcgen05_gemm.  Sizes and counts are the kernel's, see tcgen05_gemm_tile.h.
namespace lc::kernel {

/// How a CTA fetches its part of A or B, and how the tensor core reads it.
struct OperandFetch {
  std::uint64_t descriptor;         ///< shared-memory descriptor with start address 0
  std::uint32_t step_bytes;         ///< from the start of one K step to the next
  std::uint32_t boxes;              ///< copies per K tile; box i starts at i * chunk along m or n
  std::uint32_t chunk;              ///< elements of m or n
  std::uint32_t box_bytes;          ///< from the start of one box in shared memory to the next
  std::uint32_t mn_major;           ///< coordinates are (mn, k), else (k, mn)
  std::uint32_t share_mn, share_k;  ///< multicast: where the second half of each box begins
  std::uint32_t share_bytes;        ///< ... in elements, and in bytes of shared memory
};

struct Tcgen05GemmParameters {
  TensorMap a, b, c, d;  ///< c is read only if beta is not 0
  TensorMap scale_a, scale_b;
  OperandFetch fetch_a, fetch_b;
  std::uint32_t m, n;
  std::uint32_t tiles_m, tiles_n, band;  ///< tiles of a cluster
  std::uint32_t k_tiles, tile_k;         ///< tile_k in elements
  std::uint32_t instruction;             ///< instruction descriptor
  std::uint32_t static_schedule;         ///< 1: by stride; 0: cluster launch control
  GemmOutput output;
  GemmActivation activation;
  float alpha, beta;
  const float* bias;
  SmemDumpBuffer dump;
};

}  // namespace lc::kernel
