#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/async.h"
#include "sim/machine/cta.h"
#include "sim/machine/launch.h"

namespace lc::machine {

class Grid;

/// barrier.cluster.arrive and .wait (PTX ISA 9.0, 9.7.13.4): every thread of the cluster that has
/// not exited arrives, then waits.
class ClusterBarrier {
 public:
  explicit ClusterBarrier(std::uint32_t threads) : live_(threads) {}

  /// Returns the count of completions that the matching wait needs.
  std::uint64_t arrive(std::uint32_t rank, std::uint32_t warp, LaneMask lanes);
  void exit(std::uint32_t rank, std::uint32_t warp, LaneMask lanes);
  const std::uint64_t& completed() const { return completed_; }
  /// Lanes of a warp that have arrived in the phase that is open.
  LaneMask arrived(std::uint32_t rank, std::uint32_t warp) const;
  std::string ledger() const;

 private:
  void complete_if_due();
  std::uint32_t live_;
  std::uint32_t arrived_ = 0;
  std::uint64_t completed_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, LaneMask> lanes_;
};

/// CTAs that run together: one thread of the host executes them, in an order that depends on the
/// program and the schedule only.
class Cluster {
 public:
  /// `number` in its grid.
  Cluster(Grid& grid, std::uint64_t number, const std::array<std::uint32_t, 3>& first_cta);

  Grid& grid() { return grid_; }
  const Launch& launch() const;
  const Program& program() const { return *launch().program; }
  GlobalMemory& global();
  const GlobalMemory& global() const;
  const Events& events() const;
  Arch arch() const;
  const RunOptions& grid_options() const;
  std::uint64_t number() const { return number_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ctas_.size()); }
  Cta& cta(std::uint32_t rank) { return *ctas_[rank]; }
  const Cta& cta(std::uint32_t rank) const { return *ctas_[rank]; }
  AsyncQueue& queue() { return queue_; }
  ClusterBarrier& barrier() { return barrier_; }

  /// The CTA that a shared address names, and its offset there; throws Fault.
  struct SharedPlace {
    Cta* cta = nullptr;
    std::uint32_t offset = 0;
  };
  SharedPlace shared_place(std::uint64_t address, std::uint32_t own_rank, SharedWindow window);

  /// Applies an operation to the barrier at `offset` of a CTA and tells observers.
  MbarrierResult apply(BarrierKey barrier, MbarrierOp op, std::uint64_t operand, const Actor& actor,
                       const Place& place);

  /// Something happened that another warp may wait for: memory written, a barrier touched, work
  /// issued.  Polling loops that see none of it for long are deadlocks.
  void changed() { ++changes_; }

  /// A thread sleeps for a while: a loop may count that without changing anything else.
  void napped() { ++naps_; }
  std::uint64_t naps() const { return naps_; }
  /// Digest of what its threads hold: where they are, registers, local memory.
  std::uint64_t state_digest() const;

  /// Instructions that read or write what other clusters see need the turn, so that their order
  /// does not depend on host threads: without it they wait (Wait::Kind::turn).
  bool has_turn() const { return has_turn_; }

  /// Work in flight that combines into global memory; as long as there is some the cluster runs
  /// in its turn only.
  std::uint32_t reductions_in_flight = 0;

  /// A monotonic counter for %clock and %globaltimer: instructions executed so far.
  std::uint64_t clock() const { return executed_; }
  std::uint64_t executed() const { return executed_; }

  enum class Stop : std::uint8_t {
    finished,
    wants_turn,  ///< a warp waits for the turn
    polling,     ///< nothing can go on but loops that test something; other clusters may change it
    paused,      ///< `instructions` were executed
  };
  /// Whether it has the turn:
  ///  never   it stops when somebody wants it
  ///  once    every warp that wants it gets it for one instruction, then it stops
  ///  always  no other cluster is running
  enum class Turn : std::uint8_t { never, once, always };
  /// Runs until something stops it.  Throws Fault, deadlock included.
  Stop run(Turn turn, std::uint64_t instructions);
  /// Counts what `changed` was told.
  std::uint64_t changes() const { return changes_; }
  bool finished() const;

  std::string output;  ///< of printf, in order

 private:
  bool run_round(std::uint64_t& budget);
  bool progress();
  bool give_up_waits();
  bool wants_turn() const;
  void take_turn();
  void finish();

  Grid& grid_;
  std::uint64_t number_;
  AsyncQueue queue_;
  ClusterBarrier barrier_;
  std::vector<std::unique_ptr<Cta>> ctas_;
  RandomStream random_;
  std::uint64_t executed_ = 0, changes_ = 0, naps_ = 0;
  bool all_idle_ = false;  ///< in the last round no warp used up its share
  bool has_turn_ = false;
};

}  // namespace lc::machine
