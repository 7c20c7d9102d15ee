#pragma once

#include <utility>

#include "sim/isa/binder.h"
#include "sim/machine/fault.h"

namespace lc::isa {

/// Lanes that meet in an instruction with a membermask (PTX ISA 9.0, 9.7.13): calls `f(group)` for
/// each group of active lanes that name the same mask, when all its lanes that have not exited are
/// there.  Masks may differ from lane to lane.  Lanes of a mask meet at one instruction; that they
/// might meet from several is not modelled.
template <class F>
Flow for_each_membermask(Warp& warp, Ref membermask, LaneMask active, F&& f) {
  const std::uint32_t* masks = warp.in32(membermask);
  LaneMask left = active, waiting = 0, missing_of_first = 0;
  while (left != 0) {
    const std::uint32_t lane = machine::first_lane(left);
    const LaneMask mask = masks[lane];
    LaneMask group = 0;
    for_each_lane(left, [&](std::uint32_t l) {
      if (masks[l] == mask) group |= 1u << l;
    });
    left &= ~group;
    if ((group & ~mask) != 0) {
      throw machine::Fault(machine::FaultKind::undefined, "membermask.self",
                           "lane " + std::to_string(machine::first_lane(group & ~mask)) +
                               " is not in its own membermask " + machine::hex(mask));
    }
    if ((mask & warp.live() & ~group) == 0) {
      f(group);
    } else {
      if (waiting == 0) missing_of_first = mask;
      waiting |= group;
    }
  }
  return waiting == 0 ? Flow::next : warp.gather(waiting, missing_of_first);
}

}  // namespace lc::isa
