#pragma once

#include <string>

namespace lc::kernel {

/// The kernel of this name, as the CUDA runtime launches it (cudaLaunchKernelExC); null if this
/// program does not have it.
const void* gemm_entry(const std::string& name);

}  // namespace lc::kernel
