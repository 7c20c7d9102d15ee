#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/layout/banks.h"
#include "sim/machine/events.h"
#include "sim/machine/program.h"

namespace lc::observe {

/// What one instruction, or unit on its behalf, cost the banks of shared memory.
///  threads  wavefronts of the whole warp, as counted on an H200 (sim/layout/banks.h)
///  units    passes: 8 cells of 16 bytes at a time - of a core matrix, or in the order a copy
///           writes them - are free when they stand in 8 different bank sectors (inferred)
struct BankSite {
  enum class Kind : std::uint8_t { threads, operand_a, operand_b, copy } kind = Kind::threads;
  std::uint32_t line = 0;
  std::string text;
  std::uint64_t accesses = 0;
  std::uint64_t wavefronts = 0, ideal = 0;
  // The dearest access seen.
  std::uint32_t worst = 0;               ///< its wavefronts; of a unit: of 8 cells
  BankAccess access;                     ///< threads
  std::array<std::uint64_t, 8> cells{};  ///< units
  std::array<std::uint32_t, 3> cta{};
  std::int32_t warp = -1;

  std::uint64_t conflicts() const { return wavefronts - ideal; }
};

/// Counts wavefronts for every access site of shared memory.
class BankUse : public machine::Observer {
 public:
  explicit BankUse(std::shared_ptr<const machine::Program> program)
      : program_(std::move(program)) {}

  using Observer::see;
  void see(const machine::ClusterEvent& event) override { cluster_ = event.cluster; }
  void see(const machine::StepEvent& event) override { step_ = event; }
  void see(const machine::WarpAccess& event) override;
  void see(const machine::UnitAccess& event) override;
  void see(const machine::AsyncEvent& event) override;
  void see(const machine::OperandRead& event) override;

  /// Those with the most conflicts first.
  std::vector<BankSite> sites() const;
  std::string text() const;
  std::string json() const;

 private:
  using Key = std::pair<std::uint32_t, BankSite::Kind>;
  using Item = std::pair<const machine::Cluster*, machine::ItemId>;
  /// A copy on its way into shared memory.
  struct Copy {
    machine::Place place;
    std::vector<std::uint64_t> cells;
  };

  void count_cells(BankSite& site, const std::vector<std::uint64_t>& cells,
                   const machine::Place& place);
  BankSite& site(std::uint32_t line, BankSite::Kind kind);

  std::shared_ptr<const machine::Program> program_;
  const machine::Cluster* cluster_ = nullptr;
  machine::StepEvent step_;
  std::map<Key, BankSite> sites_;
  std::map<Item, Copy> copies_;
};

}  // namespace lc::observe
