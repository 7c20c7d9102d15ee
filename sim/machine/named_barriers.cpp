#include "sim/machine/named_barriers.h"

#include <bit>

#include "sim/machine/fault.h"

namespace lc::machine {

std::uint64_t NamedBarriers::arrive(std::uint32_t id, std::uint32_t warp, LaneMask lanes,
                                    std::uint32_t expected, LaneMask votes, LaneMask absent) {
  if (id >= kCount) {
    throw Fault(FaultKind::illegal_instruction, "barrier.number",
                "barrier " + std::to_string(id) + ": a CTA has barriers 0 to 15");
  }
  const bool all = expected == 0;
  const std::uint32_t want = all ? threads_ : expected;
  if (!all && (expected % kWarpLanes != 0 || expected > 1024)) {
    throw Fault(FaultKind::illegal_instruction, "barrier.thread-count",
                "barrier " + std::to_string(id) + " for " + std::to_string(expected) +
                    " threads: the count is a multiple of 32 up to 1024");
  }
  Barrier& b = barriers_[id];
  if (b.expected == 0) {
    b.expected = want;
    b.all_threads = all;
  } else if (b.expected != want) {
    throw Fault(FaultKind::undefined, "barrier.count-differs",
                "barrier " + std::to_string(id) + " for " + std::to_string(want) +
                    " threads, while others arrived for " + std::to_string(b.expected));
  }
  LaneMask& there = b.lanes[warp];
  if ((there & lanes) != 0) {
    throw Fault(FaultKind::undefined, "barrier.arrives-twice",
                "a thread arrives at barrier " + std::to_string(id) +
                    " again before it is complete: " + ledger(id));
  }
  there |= lanes;
  b.arrived += static_cast<std::uint32_t>(std::popcount(all ? lanes : lanes | absent));
  b.voters += static_cast<std::uint32_t>(std::popcount(lanes));
  b.votes += static_cast<std::uint32_t>(std::popcount(lanes & votes));
  const std::uint64_t due = b.completed + 1;
  complete_if_due(b);
  return due;
}

void NamedBarriers::complete_if_due(Barrier& b) {
  if (b.expected == 0) return;
  const std::uint32_t want = b.all_threads ? threads_ - exited_ : b.expected;
  if (b.arrived < want) return;
  b.last_voters = b.voters;
  b.last_votes = b.votes;
  b.expected = b.arrived = b.voters = b.votes = 0;
  b.lanes.clear();
  ++b.completed;
}

void NamedBarriers::exit(std::uint32_t threads) {
  exited_ += threads;
  for (Barrier& b : barriers_) {
    if (b.all_threads) complete_if_due(b);
  }
}

std::string NamedBarriers::ledger(std::uint32_t id) const {
  const Barrier& b = barriers_[id];
  const std::uint32_t want = b.all_threads ? threads_ - exited_ : b.expected;
  std::string text =
      std::to_string(b.arrived) + " of " + std::to_string(want) + " threads have arrived: ";
  const char* separator = "";
  for (const auto& [warp, lanes] : b.lanes) {
    text += separator + std::string("warp ") + std::to_string(warp);
    if (lanes != kAllLanes) text += " (lanes " + hex(lanes) + ")";
    separator = ", ";
  }
  return text;
}

}  // namespace lc::machine
