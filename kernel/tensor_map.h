#pragma once

#include <cuda.h>

#include "kernel/dump_file.h"

namespace lc::kernel {

/// cuTensorMapEncodeTiled, found at run time so that no program needs libcuda to link.  Throws
/// SmemDumpError when the driver refuses the call.
CUtensorMap encode_tiled(const TensorMapCall& call);

}  // namespace lc::kernel
