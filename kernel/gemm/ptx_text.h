#pragma once

#include <string_view>

namespace lc::kernel {

/// PTX of kernel/gemm/generated/NAME.ptx; empty when there is none of that name.
std::string_view gemm_ptx(std::string_view module);

}  // namespace lc::kernel
