#pragma once

#include <cstdint>
#include <optional>

#include "sim/machine/async.h"
#include "sim/machine/bulk_copy.h"
#include "sim/machine/cluster.h"

// Bulk copies without a tensor map as work of a cluster.
namespace lc::machine {

/// One end of a bulk copy.
struct BulkEnd {
  std::optional<std::uint32_t> rank;  ///< CTA whose shared memory it is; nothing: global memory
  std::uint64_t address = 0;          ///< in global memory, or in the CTA's window
};

struct BulkCopy {
  BulkEnd from, to;
  std::uint64_t bytes = 0;
  BulkWrite how;
  std::optional<BarrierKey> barrier;  ///< told `bytes` when they have arrived
  Actor actor;
  Place place;

  /// Combines into memory that other clusters see.
  bool reduces_globally() const { return !to.rank && how.operation != TmaOperation::store; }
};

/// The copy was checked.  A reduction to global memory is counted in
/// Cluster::reductions_in_flight; it must be issued with the turn.
ItemId issue_bulk_copy(Cluster& cluster, BulkCopy copy);

}  // namespace lc::machine
