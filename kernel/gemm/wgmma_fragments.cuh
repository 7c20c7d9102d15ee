#pragma once

#include <cstdint>

#include "kernel/gemm/epilogue.cuh"
#include "kernel/ptx/shared_access.cuh"

// Accumulators of wgmma are strewn over a warpgroup: a thread holds pairs of columns of several
// rows.  32 columns at a time go through shared memory, after which thread r has row r, as
// tcgen05.ld would have given it.
namespace lc::kernel {

/// 128 rows of 32 columns, 128 bytes a row, 16-byte chunks permuted so that nothing conflicts: half
/// a warp writes chunks 2 j and 2 j + 1 of four rows, eight threads read one chunk of eight rows.
struct FragmentScratch {
  std::uint32_t base;

  __device__ std::uint32_t chunk(std::uint32_t row, std::uint32_t chunk) const {
    const std::uint32_t key = (row & 3) << 1 | (row >> 2 & 1);
    return base + row * 128 + ((chunk ^ key) << 4);
  }

  /// Columns 32 part .. 32 part + 31 of all accumulators.  Registers have no index at run time: one
  /// branch for each part.
  template <std::uint32_t halves>
  __device__ void put(const std::uint32_t (&d)[halves][64], std::uint32_t part) const {
#pragma unroll
    for (std::uint32_t half = 0; half < halves; ++half) {
      if (part == 0) put_part<0>(d[half], half * 64);
      if (part == 1) put_part<1>(d[half], half * 64);
      if (part == 2) put_part<2>(d[half], half * 64);
      if (part == 3) put_part<3>(d[half], half * 64);
    }
  }

  /// Of the 64 rows from row0 on.
  template <std::uint32_t part>
  __device__ void put_part(const std::uint32_t (&d)[64], std::uint32_t row0) const {
    const std::uint32_t lane = threadIdx.x % 32, row = row0 + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      const std::uint32_t* r = d + 4 * (4 * part + j);
      const std::uint32_t to = 2 * j + lane % 4 / 2, within = lane % 2 * 8;
      ptx::st_shared_v2(chunk(row, to) + within, r[0], r[1]);
      ptx::st_shared_v2(chunk(row + 8, to) + within, r[2], r[3]);
    }
  }

  __device__ void get(std::uint32_t row, std::uint32_t (&accumulator)[kRowPart]) const {
#pragma unroll
    for (std::uint32_t i = 0; i < kRowPart / 4; ++i) {
      const uint4 v = ptx::ld_shared_v4(chunk(row, i));
      accumulator[4 * i] = v.x;
      accumulator[4 * i + 1] = v.y;
      accumulator[4 * i + 2] = v.z;
      accumulator[4 * i + 3] = v.w;
    }
  }
};

}  // namespace lc::kernel
