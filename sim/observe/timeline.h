#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/machine/events.h"
#include "sim/machine/program.h"
#include "sim/observe/timeline_model.h"
#include "sim/observe/timeline_record.h"

namespace lc::observe {

/// Records one cluster of a launch and shows who waited for whom, by the cost model of
/// timeline_model.h.  A test of a barrier that fails, and what the warp does until one succeeds,
/// takes no time of its own: it is the wait.
class Timeline : public machine::Observer {
 public:
  explicit Timeline(std::shared_ptr<const machine::Program> program, std::uint64_t cluster = 0)
      : program_(std::move(program)), number_(cluster) {}

  using Observer::see;
  void see(const machine::ClusterEvent& event) override;
  void see(const machine::StepEvent& event) override;
  void see(const machine::AsyncEvent& event) override;
  void see(const machine::UnitAccess& event) override;
  void see(const machine::OperandRead& event) override;
  void see(const machine::BarrierEvent& event) override;
  void see(const machine::BarrierWait& event) override;
  void see(const machine::GroupEvent& event) override;
  void see(const machine::ItemWait& event) override;
  void see(const machine::MeetEvent& event) override;

  const Record& record() const { return record_; }
  /// Lanes of units and warps, and a table of waits.
  std::string text() const;
  std::string json() const;
  /// For Chrome's tracing page and Perfetto: one process a CTA, one thread a unit or warp.
  std::string trace_json() const;

 private:
  struct Barrier {
    std::uint64_t phase = 0;
    std::uint32_t life = 0;  ///< initialised again: phases count anew
  };
  using PhaseKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;

  WarpRecord* current();
  void add(WarpOp::Kind kind, std::uint64_t value);
  PhaseId phase_of(machine::BarrierKey key, std::uint64_t phase);
  void wait_for(const std::vector<ItemId>& items);
  int stage_at(std::uint32_t rank, std::uint64_t address) const;

  std::shared_ptr<const machine::Program> program_;
  std::uint64_t number_;
  bool listening_ = false;
  Record record_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> warps_;
  std::size_t current_ = ~std::size_t{0};
  std::uint32_t line_ = 0;
  std::uint64_t kept_ = 0;
  std::map<machine::BarrierKey, Barrier> barriers_;
  std::map<PhaseKey, PhaseId> phase_ids_;
  std::map<std::pair<const std::uint64_t*, std::uint64_t>, PhaseId> meetings_;
  std::map<const machine::AsyncGroups*, std::deque<std::vector<ItemId>>> groups_;
  std::vector<PhaseId> by_unit_;         ///< of the item that is running
  std::map<std::uint32_t, int> stages_;  ///< barrier offset -> stage
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, int>>
      written_;                             ///< (rank, first byte) -> (end, stage)
  std::map<ItemId, std::uint64_t> a_rows_;  ///< of matrix instructions
  std::set<std::size_t> polling_;           ///< warps whose last test failed
};

}  // namespace lc::observe
