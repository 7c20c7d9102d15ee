#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/check/check_file.h"

namespace lc::verify {

/// Runs a `layout-check gemm` once more, on the virtual GPU, with each operand dumped as the matrix
/// instructions of the first CTA read it (--dump-smem mma), and checks that dump.  Nothing when it
/// could not be had.
std::optional<FileReport> operands_as_executed(const std::vector<std::string>& arguments,
                                               const std::string& watch_library);

}  // namespace lc::verify
