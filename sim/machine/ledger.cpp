#include "sim/machine/ledger.h"

#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + ' ' + what;
}

std::string owed(const Mbarrier& b) {
  std::string text =
      std::to_string(b.pending) + " of " + std::to_string(b.expected) + " arrivals pending, ";
  if (b.tx >= 0) return text + counted(static_cast<std::uint64_t>(b.tx), "bytes owed");
  return text + counted(static_cast<std::uint64_t>(-b.tx), "bytes came that nobody expected yet");
}

std::string line_of(const MbarrierShare& s) {
  std::string text = std::string("\n  ") + name_of(s.actor.unit);
  if (s.actor.warp >= 0) text += " of warp " + std::to_string(s.actor.warp);
  if (s.actor.cta_rank != 0) text += " in CTA " + std::to_string(s.actor.cta_rank);
  if (s.lanes != 0) text += ", lanes " + hex(s.lanes);
  const char* separator = ": ";
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count == 0) return;
    text += separator + counted(count, what);
    separator = ", ";
  };
  add(s.arrivals, "arrivals");
  add(s.expected_bytes, "bytes expected");
  add(s.completed_bytes, "bytes completed");
  return text;
}

}  // namespace

std::string describe(const MbarrierLedger& l, std::span<const InFlight> in_flight) {
  std::string text = "mbarrier at " + hex(l.offset) + ": phase " + std::to_string(l.state.phase) +
                     " (parity " + std::to_string(l.state.phase & 1) + ") is open, " +
                     owed(l.state);
  if (l.shares.empty()) text += "\n  nobody came in this phase";
  for (const MbarrierShare& share : l.shares) text += line_of(share);
  if (l.unlisted != 0) text += "\n  and " + counted(l.unlisted, "operations of others");
  for (const InFlight& f : in_flight) {
    text +=
        std::string("\n  in flight: ") + f.item->what + " of " + counted(f.item->bytes, "bytes");
    if (f.item->place.line >= 0) text += ", issued at line " + std::to_string(f.item->place.line);
  }
  if (in_flight.empty() && l.state.tx > 0) text += "\n  no copy in flight would bring the bytes";
  return text;
}

}  // namespace lc::machine
