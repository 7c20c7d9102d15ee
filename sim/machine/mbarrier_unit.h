#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/layout/mbarrier.h"
#include "sim/machine/actor.h"
#include "sim/machine/shared_memory.h"

namespace lc::machine {

/// What a warp, or a unit on its behalf, did to the current phase of a barrier.
struct MbarrierShare {
  Actor actor;              ///< lane: of the first operation
  std::uint32_t lanes = 0;  ///< one bit per lane
  std::uint64_t arrivals = 0;
  std::uint64_t expected_bytes = 0;
  std::uint64_t completed_bytes = 0;
};

/// Everything a deadlock report needs about a barrier.
struct MbarrierLedger {
  std::uint32_t offset = 0;
  Mbarrier state;
  std::uint32_t initial_count = 0;
  std::vector<MbarrierShare> shares;  ///< of the current phase, in order of first appearance
  std::uint64_t unlisted = 0;         ///< operations of further actors
};

/// What an operation says.
struct MbarrierResult {
  std::uint64_t token = 0;  ///< the state before, as arrivals return it
  bool phase_turned = false;
  Findings findings;  ///< warnings and notes; errors are thrown as faults
};

/// The live mbarriers of one CTA, keyed by their offset in its window.
///
/// As on an H200, a live barrier is not seen by plain loads and not changed by plain stores: its
/// state is kept here and the bytes of shared memory stay as they are, until `inval` writes the
/// word there.  What the ISA leaves undefined ends in a Fault: counts outside their ranges, a
/// barrier that was never initialised, a misaligned address.
class MbarrierUnit {
 public:
  /// Initialising a live barrier again is undefined by the ISA but harmless: a warning.
  MbarrierResult init(SharedMemory& shared, std::uint64_t offset, std::uint64_t count);
  /// The state word appears in shared memory, the barrier is gone.
  void inval(SharedMemory& shared, std::uint64_t offset);

  MbarrierResult apply(std::uint64_t offset, MbarrierOp op, std::uint64_t operand,
                       const Actor& actor);
  /// arrive.noComplete, arrive_drop.noComplete: must not end the phase.
  MbarrierResult arrive_no_complete(std::uint64_t offset, std::uint64_t count, bool drop,
                                    const Actor& actor);
  /// cp.async.mbarrier.arrive without .noinc: one more arrival is pending in this phase; the
  /// arrival itself comes later.
  void add_pending(std::uint64_t offset);

  bool test_parity(std::uint64_t offset, std::uint32_t parity) const;
  bool test_token(std::uint64_t offset, std::uint64_t token) const;

  bool is_live(std::uint64_t offset) const;
  const Mbarrier& state(std::uint64_t offset) const;
  MbarrierLedger ledger(std::uint64_t offset) const;
  /// Offsets of the live barriers that touch [begin, end): for tiles written over them, and to
  /// mask dumps.
  std::vector<std::uint32_t> live_in(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct Live {
    Mbarrier state;
    std::uint32_t initial_count = 0;
    std::vector<MbarrierShare> shares;
    std::uint64_t unlisted = 0;
  };

  const Live& find(std::uint64_t offset) const;
  Live& find(std::uint64_t offset);
  static void note(Live& barrier, MbarrierOp op, std::uint64_t operand, const Actor& actor);

  std::map<std::uint32_t, Live> live_;
};

namespace mbarrier_unit_rules {
inline constexpr Rule kReinit{"mbarrier.reinit", Severity::warning, "mbarrier",
                              "mbarrier.init on a live barrier without mbarrier.inval is undefined "
                              "(PTX ISA); it starts anew here"};
}  // namespace mbarrier_unit_rules

}  // namespace lc::machine
