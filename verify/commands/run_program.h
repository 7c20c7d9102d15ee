#pragma once

#include <filesystem>

#include "verify/json.h"
#include "verify/text.h"

namespace lc::verify {

/// Becomes the program in `file`, its arguments behind it, with our CUDA libraries in place of
/// NVIDIA's.  Returns only by an Error.
int run_program(const Question& question, const Output& output);

/// Where our CUDA libraries are: lib/layout-check beside the folder of this program.  Throws
/// `Error` where they are not.
std::filesystem::path runtime_folder();
/// Puts --schedule, --gpu and the other options of the virtual GPU where its libraries read them.
void put_runtime_options(const Question& question);

}  // namespace lc::verify
