#pragma once

#include <cstdint>

#include "kernel/gemm/problem.h"

// What a kernel that computes one tile per CTA needs to make D of its accumulators.  Plain C++.
namespace lc::kernel {

/// D = activation(alpha * accumulator + beta * C + bias); C and D are row-major m x n.
struct Epilogue {
  GemmOutput output;
  GemmActivation activation;
  std::uint32_t integer_accumulator;  ///< s32, else f32
  float alpha, beta;
  const float* bias;    ///< n values, or null
  const void* c;        ///< not read if beta is 0
  void* d;              ///< not written by kernels that store through a tensor map
  std::uint64_t pitch;  ///< bytes from one row of C and of D to the next, a multiple of 16
  std::uint32_t m, n;
};

}  // namespace lc::kernel
