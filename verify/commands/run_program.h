#pragma once

#include "verify/json.h"
#include "verify/text.h"

namespace lc::verify {

/// Becomes the program in `file`, its arguments behind it, with our CUDA libraries in place of
/// NVIDIA's.  Returns only by an Error.
int run_program(const Question& question, const Output& output);

}  // namespace lc::verify
