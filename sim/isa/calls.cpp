#include "sim/isa/calls.h"

#include <cstring>
#include <memory>
#include <vector>

#include "sim/isa/builtins.h"
#include "sim/isa/function_binder.h"
#include "sim/machine/address_map.h"
#include "sim/machine/cluster.h"
#include "sim/machine/cta.h"

namespace lc::isa {
namespace {

using machine::Frame;
using machine::ParameterPlace;
using ptx::Operand;

/// One argument or result at the call: thread-local bytes of the caller, or a register.
struct Passed {
  bool in_register = false;
  std::uint32_t offset = 0;  ///< in the caller's frame
  std::uint32_t size = 0;
  Sized place;
};

struct CallSite {
  std::vector<Passed> arguments, results;
};

/// Calls `move(host pointer in the caller, host pointer in the callee, bytes)` for one formal of
/// one lane.
struct Copier {
  Warp& warp;
  const Frame& caller;
  const Frame& callee;

  std::byte* lane_of(const Frame& frame, Sized place, std::uint32_t lane) const {
    const std::byte* base = nullptr;
    if (place.ref.where() == Ref::Block::frame) {
      base = reinterpret_cast<const std::byte*>(frame.registers.data()) + place.ref.offset;
    } else {
      base = reinterpret_cast<const std::byte*>(warp.in32(place.ref));
    }
    return const_cast<std::byte*>(base) + lane * static_cast<std::uint32_t>(place.width);
  }
  std::byte* outer(const Passed& p, std::uint32_t lane) const {
    if (p.in_register) return lane_of(caller, p.place, lane);
    return warp.local().bytes(lane, caller.local_base + p.offset, p.size, 1);
  }
  std::byte* inner(const ParameterPlace& p, std::uint32_t lane) const {
    if (p.is_register) return lane_of(callee, {p.reg, p.width}, lane);
    return warp.local().bytes(lane, callee.local_base + p.offset, p.size, 1);
  }
  static std::uint32_t bytes(const Passed& a, const ParameterPlace& f) {
    const std::uint32_t outer_bytes =
        a.in_register ? static_cast<std::uint32_t>(a.place.width) : a.size;
    const std::uint32_t inner_bytes = f.is_register ? static_cast<std::uint32_t>(f.width) : f.size;
    return std::min(outer_bytes, inner_bytes);
  }
};

void check_count(std::size_t given, std::size_t taken, const std::string& name) {
  if (given == taken) return;
  throw machine::Fault(machine::FaultKind::undefined, "call.signature",
                       "a call of `" + name + "` passes " + std::to_string(given) +
                           " values where it has " + std::to_string(taken));
}

void pass_arguments(Warp& warp, const CallSite& site, LaneMask lanes) {
  const std::shared_ptr<Frame> callee = warp.frame();
  const Copier copier{warp, *callee->caller, *callee};
  const auto& formals = callee->code->parameters;
  check_count(site.arguments.size(), formals.size(), callee->code->name);
  check_count(site.results.size(), callee->code->results.size(), callee->code->name);
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const std::uint32_t n = Copier::bytes(site.arguments[i], formals[i]);
    for_each_lane(lanes, [&](std::uint32_t lane) {
      std::memcpy(copier.inner(formals[i], lane), copier.outer(site.arguments[i], lane), n);
    });
  }
}

Flow run_call(Warp& warp, const Inst& inst, LaneMask active) {
  const Flow flow = warp.call(active, inst.target);
  pass_arguments(warp, info<CallSite>(inst), active);
  return flow;
}

Flow run_indirect_call(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint64_t* addresses = warp.in64(inst.op[0]);
  const std::uint64_t chosen = addresses[machine::first_lane(active)];
  LaneMask together = 0;
  for_each_lane(active, [&](std::uint32_t lane) {
    if (addresses[lane] == chosen) together |= 1u << lane;
  });
  const auto& by_number = warp.cluster().program().by_number;
  const std::uint64_t number = (chosen - machine::kCodeBase) / 16;
  if (chosen < machine::kCodeBase || chosen % 16 != 0 || number >= by_number.size() ||
      by_number[number] < 0) {
    throw machine::Fault(machine::FaultKind::illegal_address, "call.no-function",
                         machine::hex(chosen) + " is not the address of a function", chosen);
  }
  if (together != active) warp.leave_behind(active & ~together);
  const Flow flow = warp.call(together, static_cast<std::uint32_t>(by_number[number]));
  pass_arguments(warp, info<CallSite>(inst), together);
  return flow;
}

Passed passed(Binder& b, const Operand& operand) {
  Passed p;
  if (operand.kind == Operand::Kind::variable) {
    const FunctionBinder::Named named = b.function().named(operand);
    if (!named.frame) b.fail(operand, "a .param variable or a register is passed");
    p.offset = static_cast<std::uint32_t>(named.address + operand.value);
    p.size = static_cast<std::uint32_t>(named.size);
    return p;
  }
  p.in_register = true;
  p.place = b.sized_in(operand, Type::b32);
  return p;
}

void bind_builtin(Binder& b, const Operand& callee, const CallSite& site) {
  const Builtin* system = builtin(callee.name);
  if (system == nullptr) {
    b.fail(
        callee, "the function " + ptx::quoted(callee.name) + " is declared but not defined",
        "link the module that defines it; the system provides vprintf, __assertfail, malloc, free");
  }
  if (site.arguments.size() != system->arguments ||
      site.results.size() != (system->has_result ? 1u : 0u)) {
    b.fail(callee,
           ptx::quoted(callee.name) + " takes " + std::to_string(system->arguments) + " arguments");
  }
  BuiltinCall call;
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    if (site.arguments[i].in_register) b.fail(callee, "arguments are passed in .param variables");
    call.arguments[i] = site.arguments[i].offset;
  }
  if (system->has_result) call.result = site.results[0].offset;
  b.keep(call);
  b.run(system->run);
}

}  // namespace

Flow return_lanes(Warp& warp, const Inst&, LaneMask active) {
  const std::shared_ptr<Frame> callee = warp.frame();
  if (!callee->caller) return warp.exit(active);
  const Inst& call = callee->caller->code->code[callee->return_to - 1];
  const auto& site = info<CallSite>(call);
  const Copier copier{warp, *callee->caller, *callee};
  const auto& formals = callee->code->results;
  for (std::size_t i = 0; i < formals.size() && i < site.results.size(); ++i) {
    const std::uint32_t n = Copier::bytes(site.results[i], formals[i]);
    for_each_lane(active, [&](std::uint32_t lane) {
      std::memcpy(copier.outer(site.results[i], lane), copier.inner(formals[i], lane), n);
    });
  }
  return warp.return_from(active);
}

void bind_call(Binder& b) {
  std::size_t at = 0;
  CallSite site;
  const auto list = [&](std::vector<Passed>& to) {
    if (!b.has(at) || b.operand(at).kind != Operand::Kind::arguments) return;
    for (const Operand& o : b.children(b.operand(at))) to.push_back(passed(b, o));
    ++at;
  };
  list(site.results);
  if (!b.has(at)) b.fail("call names no function");
  const Operand& callee = b.operand(at++);
  list(site.arguments);
  if (callee.kind == Operand::Kind::function) {
    const ptx::Module& module = b.function().module();
    const ptx::Function* definition = module.find_function(module.functions[callee.index].name);
    if (!definition->has_body) return bind_builtin(b, callee, site);
    b.inst().target = b.function().program().function(callee.index);
    b.keep(std::move(site));
    return b.run(run_call);
  }
  if (callee.kind != Operand::Kind::reg) b.fail(callee, "a function or a register is called");
  b.inst().op[0] = b.in(callee, Type::u64);
  b.keep(std::move(site));
  b.run(run_indirect_call);
}

}  // namespace lc::isa
