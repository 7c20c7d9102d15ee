#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/gemm/problem.h"

namespace lc::verify {

using Bytes = std::vector<std::uint8_t>;

/// Matrices of a GEMM as they lie in memory.
struct GemmData {
  Bytes a, b, c, bias, scale_a, scale_b;
};

enum class GemmFill : std::uint8_t {
  integers,  ///< -3 … 3, scale factors 1/2, 1, 2: every sum is exact
  reals,     ///< normal distribution, rounded to the type
};

GemmData make_gemm_data(const kernel::GemmProblem& problem, GemmFill fill, std::uint64_t seed);

/// D as it has to lie in memory, bytes that pad a row 0.  Integers: a plain product in Eigen.
/// Reals: the arithmetic of the tensor core, bit for bit, one instruction after another along K
/// (docs/arithmetic.md); `sm_90` says which.
Bytes expected_d(const kernel::GemmProblem& problem, GemmFill fill, const GemmData& data,
                 bool sm_90);

/// How D compares with what is expected.
struct GemmDifference {
  std::uint64_t elements = 0, differ = 0;
  struct Element {
    std::uint32_t m, n;
    double found, expected;
  };
  std::vector<Element> first;                                  ///< the first of them
  std::uint32_t m_low = 0, m_high = 0, n_low = 0, n_high = 0;  ///< rows and columns they lie in
};

/// Exact; gelu and silu, whose instructions approximate, within 2^-8 of it.
GemmDifference compare_d(const kernel::GemmProblem& problem, const Bytes& found,
                         const Bytes& expected);

}  // namespace lc::verify
