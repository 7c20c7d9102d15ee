#pragma once

#include "sim/machine/fault.h"

namespace lc::machine {

class Cluster;

/// What every warp of a cluster that cannot go on waits for, with the ledger of each barrier.
Fault deadlock(Cluster& cluster);

}  // namespace lc::machine
