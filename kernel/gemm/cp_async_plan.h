#pragma once

#include <string>
#include <vector>

#include "kernel/gemm/plan.h"

namespace lc::kernel {

/// 64B           128 x 128 x 32 tiles, A with 64B swizzle: one atom a row
/// bm64          64 rows
/// bk64_128B     BK = 64 as one atom of 128B swizzle
/// bk64_64B      BK = 64 as two atoms of 64B swizzle
/// 32B, none     BK = 32 as two atoms of 32B swizzle; as core matrices
/// base128_oN    64B, A on purpose 128 bytes past a natural boundary, with base offset N
/// fp8           e4m3 and e5m2, for which it is the default: rows of 32 bytes, 32B swizzle
std::vector<std::string> tcgen05_cp_async_variants();

/// The same without fp8.
std::vector<std::string> wgmma_cp_async_variants();

GemmPlan plan_tcgen05_cp_async(const GemmProblem& problem, const GemmOperands& at,
                               const GemmSettings& settings, const EncodeTensorMap& encode);

GemmPlan plan_wgmma_cp_async(const GemmProblem& problem, const GemmOperands& at,
                             const GemmSettings& settings, const EncodeTensorMap& encode);

}  // namespace lc::kernel
