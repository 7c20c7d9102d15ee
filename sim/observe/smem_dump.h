#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/layout/operand.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tma_box.h"
#include "sim/machine/events.h"

// Shared memory of a chosen CTA at chosen moments, with descriptions of what should be in it taken
// from what the kernel executed: a tensor copy says what was written, a matrix instruction how it
// is read.  What an operand should hold follows from the copy that filled its first byte: elements
// stand in the tensor one element apart along one axis and a row apart along the other.  A wrong
// descriptor therefore reads other values than its description asks for.
namespace lc::observe {

/// When and where.
struct DumpPoint {
  enum class Kind : std::uint8_t { exit, mma, line, mbarrier } kind = Kind::exit;
  std::uint32_t line = 0;
  std::uint32_t barrier = 0;  ///< offset in the CTA's window
  std::uint64_t phase = 0;    ///< that completes, from 0
  std::array<std::uint32_t, 3> cta{};
};

/// A piece of shared memory and what should be in it.
struct DumpTile {
  std::string name;
  std::array<std::uint32_t, 3> cta{};
  std::uint64_t stage = 0;
  std::uint32_t smem_address = 0;
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> barriers;  ///< live ones in it

  bool is_operand = false;
  TensorMap map;  ///< a box
  Coordinates coordinates{};
  Arch arch = Arch::sm_100;  ///< an operand
  std::uint64_t descriptor = 0;
  Major major = Major::k;
  Element element = Element::f16;
  Container container = Container::packed;
  std::uint32_t mn = 0, k = 0;
  std::int64_t mn_stride = 0, k_stride = 0;  ///< bytes in the source

  /// Global memory as the copies saw it.
  std::shared_ptr<const std::vector<std::byte>> source;
  std::int64_t source_offset = 0;  ///< where in it the tensor's first byte, or element (0, 0), is
};

class SmemDump : public machine::Observer {
 public:
  explicit SmemDump(std::vector<DumpPoint> points) : points_(std::move(points)) {}

  using Observer::see;
  void see(const machine::ClusterEvent& event) override;
  void see(const machine::StepEvent& event) override;
  void see(const machine::ExitEvent& event) override;
  void see(const machine::WarpAccess& event) override;
  void see(const machine::UnitAccess& event) override;
  void see(const machine::TensorCopyEvent& event) override;
  void see(const machine::AsyncEvent& event) override;
  void see(const machine::BarrierEvent& event) override;
  void see(const machine::OperandRead& event) override;

  const std::vector<DumpTile>& tiles() const { return tiles_; }
  /// Why the dump has less than was asked for; empty: it has all.
  const std::string& incomplete() const { return incomplete_; }
  /// Operands that no tensor copy accounts for, and copies that dump files cannot describe.
  std::uint64_t unaccounted() const { return unaccounted_; }

 private:
  /// A tensor load whose bytes are in shared memory, or on their way.
  struct Load {
    TensorMap map;
    Coordinates first{};
    TmaBox box;
    std::uint64_t stage = 0;
    std::int64_t low = 0;  ///< of `bytes`, from the tensor's first byte
    std::shared_ptr<const std::vector<std::byte>> bytes;
    bool whole = true;  ///< nothing of the box lies outside of the tensor
    std::uint32_t rank = 0;

    std::uint64_t begin() const { return box.smem_address; }
    std::uint64_t end() const { return box.smem_address + box.footprint; }
  };
  struct Operand {
    machine::OperandRead read;
    std::uint64_t load = 0;  ///< number of the load it begins in
  };
  using OperandKey = std::tuple<std::uint32_t, int, std::uint64_t>;  ///< rank, a or b, descriptor

  /// What is known of a cluster.
  struct State {
    std::optional<Load> announced;
    std::map<machine::ItemId, Load> in_flight;
    machine::ItemId writing = 0;          ///< the load whose pieces are being told
    std::map<std::uint64_t, Load> loads;  ///< by number, complete and not overwritten
    std::map<OperandKey, Operand> operands;
    std::map<machine::ItemId, std::uint64_t> instructions;  ///< matrix instructions by number
  };

  bool wants(const std::array<std::uint32_t, 3>& cta) const;
  void complete(machine::ItemId item);
  void overwrite(std::uint32_t rank, std::uint64_t begin, std::uint64_t end);
  const std::pair<const std::uint64_t, Load>* load_at(std::uint32_t rank,
                                                      std::uint64_t address) const;
  void snapshot(Load& load) const;
  void capture(const DumpPoint& point, const std::string& moment, std::uint32_t rank);
  void add_box(const Load& load, const std::string& moment);
  void add_operand(const Operand& operand, const std::string& moment);
  bool find_source(const machine::OperandRead& read, const Load& load, DumpTile& tile) const;
  void add(DumpTile tile, const std::string& what, const std::string& moment, std::uint32_t rank,
           std::uint64_t begin, std::uint64_t end);

  std::vector<DumpPoint> points_;
  const machine::Cluster* cluster_ = nullptr;
  std::map<const machine::Cluster*, State> states_;  ///< of running clusters that are looked at
  State* state_ = nullptr;                           ///< of this one
  std::uint64_t load_count_ = 0;
  std::map<std::uint32_t, std::uint64_t> stages_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, bool> boxes_told_;
  std::map<std::string, std::uint32_t> names_, moments_;
  std::map<std::size_t, std::int32_t> first_warp_;  ///< of line points
  std::vector<DumpTile> tiles_;
  std::uint64_t kept_ = 0, unaccounted_ = 0;
  std::string incomplete_;
};

}  // namespace lc::observe
