#pragma once

#include <string>
#include <vector>

#include "kernel/gemm/plan.h"

namespace lc::kernel {

/// Tiles of the kernel as M x N: 256 rows are a CTA pair.  `auto` chooses by type and M; `_static`
/// hands out tiles by stride instead of by cluster launch control.
std::vector<std::string> tcgen05_gemm_variants();

GemmPlan plan_tcgen05_gemm(const GemmProblem& problem, const GemmOperands& at,
                           const GemmSettings& settings, const EncodeTensorMap& encode);

}  // namespace lc::kernel
