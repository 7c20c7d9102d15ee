#pragma once

#include <span>
#include <string>

#include "sim/machine/async.h"
#include "sim/machine/mbarrier_unit.h"

namespace lc::machine {

/// What a wait on a barrier still needs, and from whom what came so far came: the paragraph of a
/// deadlock report.  `in_flight` are the items that touch the barrier (AsyncQueue::in_flight).
///
///   mbarrier at 0x408: phase 2 (parity 0) is open, 1 of 3 arrivals pending, 3072 bytes owed
///     threads of warp 0, lanes 0x21: 2 arrivals, 4096 bytes expected
///     tensor copies of warp 2 in CTA 1: 1024 bytes completed
///     in flight: tensor load of 1024 bytes, issued at line 12
std::string describe(const MbarrierLedger& ledger, std::span<const InFlight> in_flight = {});

}  // namespace lc::machine
