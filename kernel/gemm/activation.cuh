#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "kernel/gemm/problem.h"

// What epilogues do to one value, and pairs of 16-bit values in a register.
namespace lc::kernel {

__device__ __forceinline__ float tanh_approx(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// gelu is its tanh form; silu(x) = x sigmoid(x).  One branch for all values.
template <unsigned count>
__device__ __forceinline__ void activate(GemmActivation activation, float (&x)[count]) {
  if (activation == GemmActivation::relu) {
#pragma unroll
    for (unsigned i = 0; i < count; ++i) x[i] = fmaxf(x[i], 0.f);
  } else if (activation == GemmActivation::gelu) {
#pragma unroll
    for (unsigned i = 0; i < count; ++i) {
      const float inner = 0.79788456f * fmaf(0.044715f * x[i] * x[i], x[i], x[i]);
      x[i] = 0.5f * x[i] * (1.f + tanh_approx(inner));
    }
  } else if (activation == GemmActivation::silu) {
#pragma unroll
    for (unsigned i = 0; i < count; ++i) {
      x[i] = 0.5f * x[i] * (1.f + tanh_approx(0.5f * x[i]));
    }
  }
}

/// `low` in bits 15:0, `high` in bits 31:16, rounded to nearest even.
__device__ __forceinline__ std::uint32_t packed_16(float low, float high, bool bf16) {
  std::uint32_t out;
  if (bf16) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    memcpy(&out, &pair, sizeof out);
  } else {
    const __half2 pair = __floats2half2_rn(low, high);
    memcpy(&out, &pair, sizeof out);
  }
  return out;
}

__device__ __forceinline__ float2 unpacked_16(std::uint32_t pair, bool bf16) {
  if (bf16) {
    __nv_bfloat162 v;
    memcpy(&v, &pair, sizeof v);
    return __bfloat1622float2(v);
  }
  __half2 v;
  memcpy(&v, &pair, sizeof v);
  return __half22float2(v);
}

}  // namespace lc::kernel
