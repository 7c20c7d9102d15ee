#pragma once

#include "sim/isa/binder.h"

namespace lc::isa {

/// call (results), function, (arguments), prototype or targets: direct, indirect, or one of the
/// functions that the system provides (builtins.h).
void bind_call(Binder& binder);

/// Copies the results to where the call wants them and returns; ends the thread in an entry.
Flow return_lanes(Warp& warp, const Inst& inst, LaneMask active);

}  // namespace lc::isa
