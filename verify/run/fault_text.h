#pragma once

#include <string>

#include "sim/machine/fault.h"
#include "sim/machine/program.h"
#include "verify/json.h"

namespace lc::verify {

/// What stopped a kernel, for people:
///
///     scale.ptx:31: illegal address: 4 bytes at 0x800000000400 … [global.out-of-bounds]
///         st.global.f32 [%rd4], %f2
///       CTA (1, 0, 0), warp 0, lane 3
std::string fault_text(const machine::Fault& fault, const machine::Program& program);

Answer to_json(const machine::Fault& fault, const machine::Program& program);

}  // namespace lc::verify
