#pragma once

#include <string>
#include <vector>

#include "kernel/gemm/plan.h"

namespace lc::kernel {

std::vector<std::string> tcgen05_tma_variants();

GemmPlan plan_tcgen05_tma(const GemmProblem& problem, const GemmOperands& at,
                          const GemmSettings& settings, const EncodeTensorMap& encode);

}  // namespace lc::kernel
