#include "sim/isa/warp_meeting.h"

namespace lc::isa {

using machine::Fragment;
using machine::Wait;

WarpMeeting::WarpMeeting(Warp& warp, const Inst& inst, const MeetingOperands& operands,
                         std::size_t membermask, LaneMask group, LaneMask mask)
    : warp_(warp), operands_(operands), mask_(mask), lanes_(group), together_(inst) {
  parties_.push_back({warp.current(), &inst, group});
  for (std::size_t i = 0; i < warp.fragments().size(); ++i) {
    const Fragment& f = warp.fragments()[i];
    if (i == warp.current() || f.wait.kind != Wait::Kind::lanes) continue;
    const Inst& other = f.frame->code->code[f.pc];
    if (other.run != inst.run) continue;
    LaneMask same = 0;
    warp.on_fragment(i, [&] {
      const std::uint32_t* masks = warp.in32(other.op[membermask]);
      for_each_lane(f.lanes, [&](std::uint32_t lane) {
        if (masks[lane] == mask) same |= 1u << lane;
      });
    });
    if (same == 0) continue;
    parties_.push_back({i, &other, same});
    lanes_ |= same;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    together_.op[i] = Ref::in(Ref::Block::frame, static_cast<std::uint32_t>(i * kWords * 8));
  }
}

void WarpMeeting::gather() {
  for (const Party& party : parties_) {
    warp_.on_fragment(party.fragment, [&] {
      for (std::size_t i = 0; i < operands_.size(); ++i) copy_in(party, i);
    });
  }
}

void WarpMeeting::copy_in(const Party& party, std::size_t operand) {
  const Ref from = party.inst->op[operand];
  std::uint64_t* to64 = registers_.data() + operand * kWords;
  auto* to32 = reinterpret_cast<std::uint32_t*>(to64);
  switch (operands_[operand]) {
    case MeetingOperand::in:
    case MeetingOperand::out:
      for_each_lane(party.lanes, [&](std::uint32_t l) { to32[l] = warp_.in32(from)[l]; });
      break;
    case MeetingOperand::in_wide:
      for_each_lane(party.lanes, [&](std::uint32_t l) { to64[l] = warp_.in64(from)[l]; });
      break;
    case MeetingOperand::in_predicate:
    case MeetingOperand::out_predicate:
      *to32 |= warp_.predicate(from) & party.lanes;
      break;
    case MeetingOperand::none:
      break;
  }
}

void WarpMeeting::copy_out(const Party& party, std::size_t operand) {
  const Ref to = party.inst->op[operand];
  const auto* from = reinterpret_cast<const std::uint32_t*>(registers_.data() + operand * kWords);
  if (operands_[operand] == MeetingOperand::out) {
    for_each_lane(party.lanes, [&](std::uint32_t l) { warp_.out32(to)[l] = from[l]; });
  } else if (operands_[operand] == MeetingOperand::out_predicate) {
    warp_.set_predicate(to, party.lanes, *from);
  }
}

void WarpMeeting::scatter() {
  for (const Party& party : parties_) {
    warp_.on_fragment(party.fragment, [&] {
      for (std::size_t i = 0; i < operands_.size(); ++i) copy_out(party, i);
    });
  }
  for (std::size_t i = 1; i < parties_.size(); ++i) {
    warp_.pass(parties_[i].fragment, parties_[i].lanes);
  }
}

}  // namespace lc::isa
