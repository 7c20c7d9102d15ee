#pragma once

#include <cstdint>

#include "kernel/gemm/activation.cuh"
#include "kernel/gemm/epilogue.h"

// From accumulators to values of D, 32 columns of one row at a time: what one thread reads with
// tcgen05.ld.32x32b.x32.
namespace lc::kernel {

inline constexpr std::uint32_t kRowPart = 32;

/// Bytes of one value of C and D.
__device__ __forceinline__ std::uint32_t value_bytes(GemmOutput type) {
  return type == GemmOutput::f32 || type == GemmOutput::s32 ? 4 : 2;
}

/// Elements of a 16-byte chunk.
__device__ __forceinline__ std::uint32_t elements_of_chunk(GemmOutput type) {
  return 16 / value_bytes(type);
}

/// x[i] += beta * C[row][column + i]
template <std::uint32_t count>
__device__ __forceinline__ void add_c(const Epilogue& e, float (&x)[count], std::uint32_t row,
                                      std::uint32_t column) {
  const auto* at = static_cast<const unsigned char*>(e.c) + row * e.pitch +
                   std::uint64_t{column} * value_bytes(e.output);
  if (e.output == GemmOutput::f32) {
    const auto* c = reinterpret_cast<const float*>(at);
#pragma unroll
    for (std::uint32_t i = 0; i < count; ++i) {
      if (column + i < e.n) x[i] = fmaf(e.beta, c[i], x[i]);
    }
  } else {
    const auto* c = reinterpret_cast<const std::uint16_t*>(at);
#pragma unroll
    for (std::uint32_t i = 0; i < count; ++i) {
      if (column + i < e.n) {
        x[i] = fmaf(e.beta, unpacked_16(c[i], e.output == GemmOutput::bf16).x, x[i]);
      }
    }
  }
}

/// The values of D from (row, column) on along the row, as f32.  Zero outside D, which is what TMA
/// would have put there; for s32 the bits of the accumulators.
template <std::uint32_t count>
__device__ __forceinline__ void finish(const Epilogue& e, const std::uint32_t (&accumulator)[count],
                                       std::uint32_t row, std::uint32_t column, float (&x)[count]) {
#pragma unroll
  for (std::uint32_t i = 0; i < count; ++i) x[i] = __uint_as_float(accumulator[i]);
  if (e.output == GemmOutput::s32) return;
#pragma unroll
  for (std::uint32_t i = 0; i < count; ++i) {
    const float sum =
        e.integer_accumulator ? __int2float_rn(static_cast<int>(accumulator[i])) : x[i];
    x[i] = e.alpha * sum;
  }
  if (row >= e.m) return;
  if (e.bias != nullptr) {
#pragma unroll
    for (std::uint32_t i = 0; i < count; ++i) {
      if (column + i < e.n) x[i] += __ldg(e.bias + column + i);
    }
  }
  if (e.beta != 0) add_c(e, x, row, column);
  activate(e.activation, x);
}

/// Chunk i of the row part, rounded to the type of D.  f32 and s32: 4 values; 16-bit types: 8.
__device__ __forceinline__ uint4 f32_chunk(const float* x) {
  return make_uint4(__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]),
                    __float_as_uint(x[3]));
}
__device__ __forceinline__ uint4 f16_chunk(const float* x, bool bf16) {
  return make_uint4(packed_16(x[0], x[1], bf16), packed_16(x[2], x[3], bf16),
                    packed_16(x[4], x[5], bf16), packed_16(x[6], x[7], bf16));
}

/// Calls put(i, chunk) for each 16-byte chunk i of the row part.
template <class Put>
__device__ __forceinline__ void for_each_chunk(const float (&x)[kRowPart], GemmOutput type,
                                               const Put& put) {
  if (value_bytes(type) == 4) {
#pragma unroll
    for (std::uint32_t i = 0; i < kRowPart / 4; ++i) put(i, f32_chunk(x + 4 * i));
  } else {
#pragma unroll
    for (std::uint32_t i = 0; i < kRowPart / 8; ++i) {
      put(i, f16_chunk(x + 8 * i, type == GemmOutput::bf16));
    }
  }
}

/// Writes the values straight to D.  A row ends anywhere; its pitch is a multiple of 16 bytes, so
/// chunks are aligned, and only the last needs to be cut.
__device__ __forceinline__ void store_row(const Epilogue& e, const float (&x)[kRowPart],
                                          std::uint32_t row, std::uint32_t column) {
  if (row >= e.m) return;
  auto* at = static_cast<unsigned char*>(e.d) + row * e.pitch +
             std::uint64_t{column} * value_bytes(e.output);
  const std::uint32_t per_chunk = elements_of_chunk(e.output);
  for_each_chunk(x, e.output, [&](std::uint32_t i, uint4 chunk) {
    const std::uint32_t first = column + i * per_chunk;
    if (first + per_chunk <= e.n) {
      *reinterpret_cast<uint4*>(at + 16 * i) = chunk;
    } else if (first < e.n) {
      const std::uint32_t words[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
      const std::uint32_t bytes = (e.n - first) * value_bytes(e.output);
#pragma unroll
      for (std::uint32_t h = 0; h < 8; ++h) {
        if (2 * h < bytes) {
          *reinterpret_cast<std::uint16_t*>(at + 16 * i + 2 * h) =
              static_cast<std::uint16_t>(words[h / 2] >> 16 * (h % 2));
        }
      }
    }
  });
}

}  // namespace lc::kernel
