#pragma once

#include <array>
#include <string>

#include "sim/machine/fault.h"
#include "sim/machine/launch.h"
#include "sim/ptx/module.h"

namespace lc::runtime {

/// What went wrong on the virtual GPU, for stderr:
///
///     layout-check: illegal address (global.out-of-bounds) in kernel `scale`
///       write of 4 bytes of global memory at 0x800000000400 passes the end …
///       scale.sm_100a.ptx:31: st.global.f32 [%rd4], %f2;
///       scale.cu:7
///       CTA (1, 0, 0), warp 0, lane 3: thread (3, 0, 0)
///
/// An assertion's sentence names block and thread as a GPU's does.
std::string report_of(const machine::Fault& fault, const std::string& kernel,
                      const ptx::Module& module, const std::array<std::uint32_t, 3>& block);

/// "kernel `scale`: grid 2 x 1 x 1, block 128 x 1 x 1, cluster 2 x 1 x 1, 1024 bytes …"
std::string trace_of(const std::string& kernel, const machine::Launch& launch,
                     const machine::RunResult& result);

}  // namespace lc::runtime
