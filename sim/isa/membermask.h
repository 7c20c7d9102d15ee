#pragma once

#include <string>
#include <vector>

#include "sim/isa/warp_meeting.h"
#include "sim/machine/fault.h"

namespace lc::isa {

/// Lanes that meet in an instruction with a membermask (PTX ISA 9.0, 9.7.13): calls `f(at, group)`
/// for each group of active lanes that name the same mask, when all its lanes that have not exited
/// are there.  `at` is the instruction whose operands hold the group's lanes.  Masks may differ
/// from lane to lane, and lanes of a mask may stand at several instructions with the same handler,
/// as they may from sm_70 on.  `operands` says what the operands are; operand `membermask` is the
/// mask.
template <class F>
Flow for_each_membermask(Warp& warp, const Inst& inst, const MeetingOperands& operands,
                         std::size_t membermask, LaneMask active, F&& f) {
  const std::uint32_t* masks = warp.in32(inst.op[membermask]);
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
    const LaneMask missing = mask & warp.live() & ~group;
    if (missing == 0) {
      f(inst, group);
      continue;
    }
    WarpMeeting meeting(warp, inst, operands, membermask, group, mask);
    if (meeting.is_complete()) {
      meeting.gather();
      warp.on_registers(meeting.registers(), [&] { f(meeting.inst(), meeting.lanes()); });
      meeting.scatter();
    } else {
      if (waiting == 0) missing_of_first = mask;
      waiting |= group;
    }
  }
  return waiting == 0 ? Flow::next : warp.gather(waiting, missing_of_first);
}

}  // namespace lc::isa
