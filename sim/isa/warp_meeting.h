#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/binder.h"
#include "sim/machine/warp.h"

namespace lc::isa {

enum class MeetingOperand : std::uint8_t { none, in, in_wide, in_predicate, out, out_predicate };

/// What Inst::op holds.
using MeetingOperands = std::array<MeetingOperand, 6>;

/// Lanes of one membermask that stand at several instructions with the same handler: their operands
/// are put side by side, the handler runs once for all of them, and each gets its results.
///
///     lanes 0-15   at line 20: shfl.sync.idx.b32 %r3, %r4, …     \  d = one set of registers,
///     lanes 16-31  at line 31: shfl.sync.idx.b32 %r7, %r9, …     /  executed once
class WarpMeeting {
 public:
  /// `group`: the lanes of `mask` at `inst`, which the warp is executing.
  WarpMeeting(Warp& warp, const Inst& inst, const MeetingOperands& operands, std::size_t membermask,
              LaneMask group, LaneMask mask);

  /// Whether all lanes of the mask that have not exited are there.
  bool is_complete() const { return (mask_ & warp_.live() & ~lanes_) == 0; }
  LaneMask lanes() const { return lanes_; }

  void gather();
  /// The operands of all lanes: registers and an instruction that names them.
  std::byte* registers() { return reinterpret_cast<std::byte*>(registers_.data()); }
  const Inst& inst() const { return together_; }
  /// Gives the results back; lanes that waited elsewhere go on behind their instructions.
  void scatter();

 private:
  struct Party {
    std::size_t fragment = 0;
    const Inst* inst = nullptr;
    LaneMask lanes = 0;
  };
  static constexpr std::size_t kWords = kWarpLanes;  ///< of 64 bits, of each operand

  void copy_in(const Party& party, std::size_t operand);
  void copy_out(const Party& party, std::size_t operand);

  Warp& warp_;
  const MeetingOperands& operands_;
  LaneMask mask_, lanes_ = 0;
  std::vector<Party> parties_;  ///< the executing one first
  Inst together_;
  std::array<std::uint64_t, 6 * kWords> registers_{};
};

}  // namespace lc::isa
