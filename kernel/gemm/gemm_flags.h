#pragma once

#include <string>
#include <vector>

#include "kernel/gemm/gemm_run.h"

namespace lc::kernel {

/// What the command line of lc_gemm asks for: every combination of what it lists.
struct GemmFlags {
  bool help = false, list = false;
  std::vector<GemmRun> runs;
};

/// Throws GemmRefusal that names the option.
GemmFlags parse_gemm_flags(const std::vector<std::string>& arguments);

/// The options in words.
std::string gemm_usage();

/// "tcgen05_tma f16 128x128x64 A k B mn -> f32"
std::string text_of(const GemmRun& run);

}  // namespace lc::kernel
