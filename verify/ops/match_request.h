#pragma once

#include "sim/layout/match.h"
#include "verify/request.h"

namespace lc::verify {

/// The question of `match.tma_to_operand`.  Where the map is not legal the box must not be made.
MatchQuestion read_match(const Request& request);

}  // namespace lc::verify
