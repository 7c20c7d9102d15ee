#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine/async.h"
#include "sim/machine/cluster.h"

// Non-bulk asynchronous copies as work of a cluster: what cp.async and cp.async.mbarrier.arrive do
// after the instruction.
namespace lc::machine {

/// One lane's copy.  Host pointers stay valid: shared memory never moves, and allocations are not
/// freed while a kernel that was given them runs.
struct LaneCopy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;  ///< nullptr when nothing is read
  std::uint64_t to_address = 0;     ///< shared::cluster address and global address, for events
  std::uint64_t from_address = 0;
  std::uint8_t bytes = 0;  ///< written; those beyond `source_bytes` become 0
  std::uint8_t source_bytes = 0;
};

/// The copies of one instruction of a warp, one item.
ItemId issue_thread_copies(Cluster& cluster, std::vector<LaneCopy> copies, const Actor& actor,
                           const Place& place);

/// `count` arrivals on a barrier once the items in `after` are done.
void issue_copy_arrival(Cluster& cluster, BarrierKey barrier, std::uint32_t count,
                        std::vector<ItemId> after, const Actor& actor, const Place& place);

}  // namespace lc::machine
