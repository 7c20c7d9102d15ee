#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "sim/machine/lanes.h"

namespace lc::machine {

/// The barriers of a CTA that `barrier` and `bar` name by number (PTX ISA 9.0, 9.7.13.1).  A
/// barrier completes when as many threads have arrived as were asked for; threads that exited
/// count as arrived where every thread of the CTA was asked for.
class NamedBarriers {
 public:
  static constexpr std::uint32_t kCount = 16;

  /// `threads` of the CTA.
  explicit NamedBarriers(std::uint32_t threads) : threads_(threads) {}

  /// Lanes of a warp arrive; `expected` 0: every thread of the CTA.  `votes` are the lanes whose
  /// predicate is true, for bar.red; `absent` lanes of the warp do not exist or have exited and are
  /// counted with the others where a number of threads is expected.  Returns the count of
  /// completions to wait for: it is over when `completed(id) >= that`.  Throws Fault for a number
  /// above 15, a count that is no multiple of 32, or one that differs from the others'.
  std::uint64_t arrive(std::uint32_t id, std::uint32_t warp, LaneMask lanes, std::uint32_t expected,
                       LaneMask votes = 0, LaneMask absent = 0);
  /// Threads that exited.
  void exit(std::uint32_t threads);

  const std::uint64_t& completed(std::uint32_t id) const { return barriers_[id].completed; }
  /// Of the completion that just ended: threads that voted, and true ones among them.
  std::uint32_t voters(std::uint32_t id) const { return barriers_[id].last_voters; }
  std::uint32_t votes(std::uint32_t id) const { return barriers_[id].last_votes; }

  /// Who has arrived, for reports: "64 of 128 threads: warps 0, 1".
  std::string ledger(std::uint32_t id) const;

 private:
  struct Barrier {
    std::uint64_t completed = 0;
    bool all_threads = false;
    std::uint32_t expected = 0;  ///< 0: nobody has arrived
    std::uint32_t arrived = 0;
    std::uint32_t voters = 0, votes = 0, last_voters = 0, last_votes = 0;
    std::map<std::uint32_t, LaneMask> lanes;  ///< by warp
  };
  void complete_if_due(Barrier& barrier);

  std::uint32_t threads_;
  std::uint32_t exited_ = 0;
  std::array<Barrier, kCount> barriers_;
};

}  // namespace lc::machine
