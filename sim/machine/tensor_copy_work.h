#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine/async.h"
#include "sim/machine/cluster.h"
#include "sim/machine/tma_unit.h"

// Tensor copies as work of a cluster: what cp.async.bulk.tensor and its reductions do between the
// instruction that issues them and the barrier or group that tells of their end.
namespace lc::machine {

/// A tensor load that was found legal.
struct TensorLoad {
  TensorMapObject map;  ///< for observers
  TensorCopy copy;
  TmaPlan plan;  ///< its shared addresses hold in every destination
  std::vector<TmaDestination> destinations;
  std::uint32_t barrier_offset = 0;  ///< in the CTA whose barrier is told
  Actor actor;
  Place place;
};

/// Issues one item for every destination: each CTA gets the bytes at a time of its own.  Warns when
/// the box covers live mbarriers.
void issue_tensor_load(Cluster& cluster, TensorLoad load);

/// A tensor store or reduction that was found legal.
struct TensorStore {
  TmaPlan plan;
  TmaOperation operation = TmaOperation::store;
  std::uint32_t rank = 0;  ///< CTA whose shared memory is read
  Actor actor;
  Place place;
};

/// For the bulk group of the issuing thread.  A reduction is counted in
/// Cluster::reductions_in_flight; it must be issued with the turn.
ItemId issue_tensor_store(Cluster& cluster, TensorStore store);

}  // namespace lc::machine
