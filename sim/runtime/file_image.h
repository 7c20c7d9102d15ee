#pragma once

#include <string>

#include "sim/runtime/gpu.h"

namespace lc::runtime {

/// Loads PTX text, a fat binary or an ELF file from disk as a library.  Throws CudaError.
Library& load_file(Gpu& gpu, const char* path);

}  // namespace lc::runtime
