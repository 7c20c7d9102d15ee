#include <bit>

#include "sim/machine/cluster.h"
#include "sim/machine/fault.h"

namespace lc::machine {

std::uint64_t ClusterBarrier::arrive(std::uint32_t rank, std::uint32_t warp, LaneMask lanes) {
  LaneMask& there = lanes_[{rank, warp}];
  if ((there & lanes) != 0) {
    throw Fault(
        FaultKind::undefined, "barrier.cluster.arrives-twice",
        "a thread executes barrier.cluster.arrive again before barrier.cluster.wait: " + ledger());
  }
  there |= lanes;
  arrived_ += static_cast<std::uint32_t>(std::popcount(lanes));
  const std::uint64_t due = completed_ + 1;
  complete_if_due();
  return due;
}

LaneMask ClusterBarrier::arrived(std::uint32_t rank, std::uint32_t warp) const {
  const auto there = lanes_.find({rank, warp});
  return there == lanes_.end() ? 0 : there->second;
}

void ClusterBarrier::complete_if_due() {
  if (arrived_ == 0 || arrived_ < live_) return;
  arrived_ = 0;
  lanes_.clear();
  ++completed_;
}

/// Threads that arrived and then exited leave their arrival behind: they are taken out of both.
void ClusterBarrier::exit(std::uint32_t rank, std::uint32_t warp, LaneMask lanes) {
  live_ -= static_cast<std::uint32_t>(std::popcount(lanes));
  const auto there = lanes_.find({rank, warp});
  if (there != lanes_.end()) {
    arrived_ -= static_cast<std::uint32_t>(std::popcount(there->second & lanes));
    there->second &= ~lanes;
  }
  complete_if_due();
}

std::string ClusterBarrier::ledger() const {
  std::string text =
      std::to_string(arrived_) + " of " + std::to_string(live_) + " threads have arrived";
  const char* separator = ": ";
  for (const auto& [who, lanes] : lanes_) {
    if (lanes == 0) continue;
    text += separator + std::string("CTA ") + std::to_string(who.first) + " warp " +
            std::to_string(who.second);
    if (lanes != kAllLanes) text += " (lanes " + hex(lanes) + ")";
    separator = ", ";
  }
  return text;
}

}  // namespace lc::machine
