#pragma once

#include <string>
#include <vector>

#include "kernel/gemm/plan.h"

namespace lc::kernel {

/// One, 128x128.
std::vector<std::string> tma_variants();

GemmPlan plan_tcgen05_tma(const GemmProblem& problem, const GemmOperands& at,
                          const GemmSettings& settings, const EncodeTensorMap& encode);

GemmPlan plan_wgmma_tma(const GemmProblem& problem, const GemmOperands& at,
                        const GemmSettings& settings, const EncodeTensorMap& encode);

}  // namespace lc::kernel
