#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "sim/machine/cluster.h"
#include "sim/machine/launch.h"

// All clusters of a launch.  Host threads run them side by side; what the guest computes does not
// depend on how many there are:
//
//   1. side by side: every resident cluster runs until it ends, wants the turn, or has executed its
//      share of instructions;
//   2. in order of their numbers: each that wants the turn gets it once;
//   3. finished clusters make room for the next ones; back to 1.
//
// Only instructions that other clusters can see in a way a correct program may depend on - atomics,
// reductions, volatile and ordered accesses, cluster launch control - need the turn.
namespace lc::machine {

class HostThreads;

class Grid {
 public:
  Grid(const Launch& launch, GlobalMemory& memory, const RunOptions& options);

  const Launch& launch() const { return launch_; }
  GlobalMemory& memory() { return memory_; }
  const RunOptions& options() const { return options_; }
  const Events& events() const;
  std::uint64_t clusters() const { return total_; }
  std::array<std::uint32_t, 3> cluster_count() const;  ///< x, y, z

  /// clusterlaunchcontrol.try_cancel, with the turn: first CTA of a cluster that will now not be
  /// launched; nothing when all have been.
  std::optional<std::array<std::uint32_t, 3>> cancel_one();

  /// Warnings and notes of the run: each sentence is told once, with the place it came from first.
  void warn(const Finding& finding, const Place& place);
  /// Warnings and errors among them; the hardware's answer to such an error is not known, else it
  /// would be a fault.
  void warn(const Findings& findings, const Place& place);
  void warn(const std::string& rule, const std::string& sentence, const Place& place);

  ~Grid();

  RunResult run();

 private:
  struct Resident;

  std::array<std::uint32_t, 3> first_cta(std::uint64_t cluster) const;
  void check_launch() const;
  std::uint64_t room() const;
  void admit();
  void run_cluster(Resident& resident, Cluster::Turn turn);
  void run_round();
  void settle(RunResult& result);
  bool counts_naps();

  const Launch& launch_;
  GlobalMemory& memory_;
  RunOptions options_;
  std::uint64_t total_ = 0;
  std::uint64_t next_ = 0;  ///< the cluster that is launched next
  std::unique_ptr<HostThreads> host_;
  std::vector<std::unique_ptr<Resident>> residents_;
  std::map<std::uint64_t, std::string> outputs_;  ///< of clusters that ended
  std::uint64_t ended_instructions_ = 0;
  std::uint32_t idle_rounds_ = 0;
  std::unordered_set<std::uint64_t> idle_states_;  ///< digests since the grid is idle
  std::mutex warnings_mutex_;
  std::vector<std::string> warnings_;
  std::set<std::string> warned_;
};

}  // namespace lc::machine
