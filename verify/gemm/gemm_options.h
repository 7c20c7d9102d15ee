#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/gemm/plan.h"
#include "verify/gemm/gemm_data.h"
#include "verify/json.h"

namespace lc::verify {

/// What `layout-check gemm` was asked for.
struct GemmOptions {
  const kernel::GemmKernel* kernel = nullptr;
  kernel::GemmProblem problem;
  std::string variant;
  bool cuda = false;  ///< the device of this machine, not the virtual one
  GemmFill fill = GemmFill::integers;
  std::uint64_t seed = 1;
  std::uint64_t first_cta = 0, cta_count = 1;
  bool default_ctas = true;           ///< those of the first cluster
  std::vector<std::uint64_t> stages;  ///< to be dumped; empty: all
  std::string ptx, dump;              ///< files; empty: the shipped PTX, none
};

/// Throws `Error` for what is misspelt or missing; kernel::GemmRefusal comes later, from the plan.
GemmOptions gemm_options(const Question& question);

/// "f16", "k", "f32", "none" of the enumerators, as options spell them.
const char* spelt(kernel::GemmType type);
const char* spelt(kernel::GemmMajor major);
const char* spelt(kernel::GemmOutput output);
const char* spelt(kernel::GemmActivation activation);

}  // namespace lc::verify
