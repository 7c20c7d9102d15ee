#pragma once

#include <cstdint>
#include <string>

#include "kernel/gemm/plan.h"

namespace lc::kernel {

/// One GEMM on the device of the CUDA runtime.
struct GemmRun {
  const GemmKernel* kernel = nullptr;
  GemmProblem problem;
  std::string variant;
  std::uint64_t seed = 1;
  std::string dump;                             ///< file for the tiles; empty: none
  std::uint64_t dump_ctas = ~std::uint64_t{0};  ///< how many CTAs, from the first
  std::string command;                          ///< fact of the dump file
};

/// Runs it on integers.  Empty if D is right, else what is wrong first.  Throws GemmRefusal,
/// SmemDumpError and what the CUDA runtime says.
std::string run_gemm(const GemmRun& run);

}  // namespace lc::kernel
