#include <array>

#include "sim/isa/calls.h"
#include "sim/isa/families.h"
#include "sim/isa/function_binder.h"

namespace lc::isa {
namespace {

using ptx::Operand;

std::uint32_t target_of(Binder& b, const Operand& operand) {
  if (operand.kind != Operand::Kind::label) b.fail(operand, "a label is expected");
  return b.function().ptx().labels[operand.index].instruction;
}

Flow run_branch(Warp& warp, const Inst& inst, LaneMask active) {
  return warp.branch(active, inst.target);
}

void bind_branch(Binder& b) {
  b.inst().target = target_of(b, b.operand(0));
  b.run(run_branch);
}

/// brx.idx: lanes with the same index go together; the others come back here.
Flow run_indexed_branch(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& targets = info<std::vector<std::uint32_t>>(inst);
  const std::uint32_t* index = warp.in32(inst.op[0]);
  const std::uint32_t chosen = index[machine::first_lane(active)];
  if (chosen >= targets.size()) {
    throw machine::Fault(machine::FaultKind::undefined, "brx.index",
                         "brx.idx with index " + std::to_string(chosen) + " into " +
                             std::to_string(targets.size()) + " targets");
  }
  LaneMask together = 0;
  for_each_lane(active, [&](std::uint32_t lane) {
    if (index[lane] == chosen) together |= 1u << lane;
  });
  if (together != active) warp.leave_behind(active & ~together);
  return warp.branch(together, targets[chosen]);
}

void bind_indexed_branch(Binder& b) {
  b.inst().op[0] = b.in(0, Type::u32);
  const Operand& list = b.operand(1);
  if (list.kind != Operand::Kind::targets) {
    b.fail(list, "the label of a .branchtargets list is expected");
  }
  const ptx::Function& function = b.function().ptx();
  std::vector<std::uint32_t> targets;
  for (const std::uint32_t label : function.targets[list.index].indices) {
    targets.push_back(function.labels[label].instruction);
  }
  b.keep(std::move(targets));
  b.run(run_indexed_branch);
}

void bind_return(Binder& b) {
  b.run(return_lanes);
}

void bind_exit(Binder& b) {
  b.run([](Warp& warp, const Inst&, LaneMask active) { return warp.exit(active); });
}

void bind_trap(Binder& b) {
  b.run([](Warp& warp, const Inst&, LaneMask active) -> Flow {
    machine::Fault fault(machine::FaultKind::trap, "trap", "the kernel executed trap");
    fault.place = warp.place(static_cast<int>(machine::first_lane(active)));
    throw fault;
  });
}

void bind_breakpoint(Binder& b) {
  b.run([](Warp& warp, const Inst&, LaneMask active) -> Flow {
    machine::Fault fault(machine::FaultKind::trap, "brkpt", "the kernel executed brkpt");
    fault.place = warp.place(static_cast<int>(machine::first_lane(active)));
    throw fault;
  });
}

constexpr std::array kOps{
    Op{"bra", "[uni]", "label", bind_branch},
    Op{"brx", "idx [uni]", "index, targets", bind_indexed_branch},
    Op{"call", "[uni]", "a, b?, c?, d?", bind_call},
    Op{"ret", "[uni]", "", bind_return},
    Op{"exit", "", "", bind_exit},
    Op{"trap", "", "", bind_trap},
    Op{"brkpt", "", "", bind_breakpoint},
};

}  // namespace

std::span<const Op> control_ops() {
  return kOps;
}

}  // namespace lc::isa
