#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/isa/binder.h"
#include "sim/machine/cluster.h"
#include "sim/machine/fault.h"

// What the families of asynchronous copies have in common.
namespace lc::isa {

/// A shared address of a lane; the spaces of shared memory have 32-bit addresses.
inline std::uint32_t shared_address_of(const Address& address, const Warp& warp,
                                       std::uint32_t lane) {
  return static_cast<std::uint32_t>(address.of(warp, lane));
}

/// A unit that works on behalf of a lane.
inline machine::Actor unit_actor(const Warp& warp, machine::Unit unit, std::uint32_t lane) {
  machine::Actor actor = warp.actor(lane);
  actor.unit = unit;
  return actor;
}

/// Calls `f(lane)` for the active lanes; a fault gets the lane's place.
template <class F>
void each_lane_as_thread(const Warp& warp, LaneMask active, F&& f) {
  for_each_lane(active, [&](std::uint32_t lane) {
    try {
      f(lane);
    } catch (const machine::Fault& fault) {
      machine::rethrow_at(fault, warp.place(static_cast<int>(lane)));
    }
  });
}

/// Operands after the fixed ones, which depend on the modifiers; taken in their order.
class OptionalOperands {
 public:
  OptionalOperands(Binder& binder, std::size_t fixed) : binder_(binder), next_(fixed) {}

  std::size_t left() const { return binder_.count() - next_; }
  /// The next operand; `what` is named when there is none.
  const ptx::Operand& take(std::string_view what) {
    if (left() == 0) binder_.fail("the operand for " + std::string(what) + " is missing");
    return binder_.operand(next_++);
  }
  /// The cache policy of .L2::cache_hint, which has no effect on values.
  void take_cache_policy() {
    if (binder_.modifiers.has("L2::cache_hint")) binder_.in(take("the cache policy"), Type::b64);
  }
  void finish() const {
    if (left() != 0) binder_.fail(binder_.operand(next_), "there is an operand too many");
  }

 private:
  Binder& binder_;
  std::size_t next_;
};

}  // namespace lc::isa
