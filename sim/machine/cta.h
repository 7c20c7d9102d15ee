#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/machine/mbarrier_unit.h"
#include "sim/machine/named_barriers.h"
#include "sim/machine/shared_memory.h"
#include "sim/machine/tensor_allocation.h"
#include "sim/machine/tensor_memory.h"
#include "sim/machine/warp.h"
#include "sim/machine/warpgroup_unit.h"

namespace lc::machine {

/// A cooperative thread array: its memories, its barriers, its warps.
class Cta {
 public:
  Cta(Cluster& cluster, std::uint32_t rank, const std::array<std::uint32_t, 3>& index);

  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  std::uint32_t rank() const { return rank_; }                          ///< in its cluster
  const std::array<std::uint32_t, 3>& index() const { return index_; }  ///< %ctaid

  SharedMemory& shared() { return shared_; }
  const SharedMemory& shared() const { return shared_; }
  MbarrierUnit& mbarriers() { return mbarriers_; }
  const MbarrierUnit& mbarriers() const { return mbarriers_; }
  /// Made when first asked for.
  TensorMemory& tensor();
  bool has_tensor() const { return tensor_ != nullptr; }
  NamedBarriers& barriers() { return barriers_; }
  WarpgroupUnit& warpgroups() { return warpgroups_; }

  std::vector<std::unique_ptr<Warp>>& warps() { return warps_; }
  bool finished() const { return live_threads_ == 0; }
  std::uint32_t live_threads() const { return live_threads_; }
  /// Called by warps whose lanes exit; the last one checks that nothing is left allocated.
  void lanes_exited(std::uint32_t warp, LaneMask lanes);

  /// Columns were freed: counts up, for warps that wait in tcgen05.alloc.
  std::uint64_t column_releases = 0;
  /// Of an even CTA: where it and its peer allocate Tensor Memory.
  PairMeeting tensor_pair;

  /// Where warps of a CTA meet that have to do something together: `arrive` returns the count to
  /// wait for, as NamedBarriers does.  Key: what the instruction chooses (warpgroup, pair …).
  struct Rendezvous {
    std::uint64_t completed = 0;
    std::uint32_t arrived = 0;
  };
  std::map<std::uint64_t, Rendezvous>& rendezvous() { return rendezvous_; }

 private:
  Cluster& cluster_;
  std::uint32_t rank_;
  std::array<std::uint32_t, 3> index_;
  SharedMemory shared_;
  MbarrierUnit mbarriers_;
  std::unique_ptr<TensorMemory> tensor_;
  NamedBarriers barriers_;
  WarpgroupUnit warpgroups_{*this};
  std::uint32_t live_threads_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::map<std::uint64_t, Rendezvous> rendezvous_;
};

}  // namespace lc::machine
