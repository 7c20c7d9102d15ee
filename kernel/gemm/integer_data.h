#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/gemm/problem.h"

// Matrices of small integers, whose product every kernel has to find exactly, and the product found
// without one.  Plain C++.
namespace lc::kernel {

using Bytes = std::vector<unsigned char>;

/// Operands as they lie in memory.  What pads a row holds bits that would be noticed in any sum.
struct GemmData {
  Bytes a, b, c, bias, scale_a, scale_b;
};

/// Elements -3 .. 3, C and bias -8 .. 8, scale factors 1/2, 1, 2.
GemmData integer_data(const GemmProblem& problem, std::uint64_t seed);

/// Of the same matrices: alpha A B + beta C + bias with the activation, m rows of n, not rounded to
/// the type of D.
std::vector<double> expected_values(const GemmProblem& problem, std::uint64_t seed);

/// The value of element (row, column) of D.
double value_of_d(const GemmProblem& problem, const Bytes& d, std::uint32_t row,
                  std::uint32_t column);

/// Compares D, of which every byte was `untouched` before, with what it should be: exactly after
/// rounding, for gelu and silu within 2^-8 of it.  What pads a row may have become zero: a TMA
/// store ends on 16 bytes (measured on H200).  Empty when it is right, else what is wrong first.
std::string difference(const GemmProblem& problem, const std::vector<double>& expected,
                       const Bytes& d, unsigned char untouched);

}  // namespace lc::kernel
