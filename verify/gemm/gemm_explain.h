#pragma once

#include <string>
#include <vector>

#include "kernel/gemm/plan.h"
#include "verify/gemm/gemm_data.h"

namespace lc::verify {

/// What would make D as it was found, likeliest first: elements of another place, a part of K that
/// is missing or counts twice, bytes that were never written.  Empty when nothing simple would.
std::vector<std::string> explain_d(const kernel::GemmProblem& problem, const kernel::GemmPlan& plan,
                                   const GemmData& data, const Bytes& found, const Bytes& expected,
                                   std::uint8_t untouched);

}  // namespace lc::verify
