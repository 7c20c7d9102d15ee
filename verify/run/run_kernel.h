#pragma once

#include "verify/json.h"
#include "verify/text.h"

namespace lc::verify {

/// Runs a kernel as its launch file says and reports: 0 it ended and held what was expected, 1 it
/// did not.  Throws `Error` for what cannot be started.
int run_kernel(const Question& question, const Output& output);

}  // namespace lc::verify
