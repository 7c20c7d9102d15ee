#include <array>
#include <string>

#include "sim/isa/families.h"
#include "sim/isa/location.h"
#include "sim/machine/grid.h"

// mbarrier objects (PTX ISA 9.0, 9.7.13.15).  Orderings and scopes change nothing here: memory is
// always consistent.
namespace lc::isa {
namespace {

using machine::BarrierKey;
using machine::Cta;
using machine::Fault;
using machine::FaultKind;
using machine::MbarrierResult;
using machine::Place;
using machine::Wait;

struct Object {
  Location location;
  MbarrierOp op = MbarrierOp::arrive;
  bool no_complete = false;
  bool has_token = false;    ///< op[0] takes the state
  bool one_arrival = false;  ///< no count operand
  bool drops = false;        ///< arrive_drop.expect_tx
};

/// Where the barrier of a lane is.
struct Target {
  Cta* cta = nullptr;
  BarrierKey key;
};

Target target(Warp& warp, const Object& o, std::uint64_t address) {
  const auto place = shared_place(warp, o.location.window, address);
  return {place.cta, {place.cta->rank(), place.offset}};
}

/// init, inval and the waits know barriers of the executing CTA only.
Target own_target(Warp& warp, const Object& o, std::uint64_t address) {
  const Target t = target(warp, o, address);
  if (t.cta == &warp.cta()) return t;
  throw Fault(FaultKind::invalid_address_space, "mbarrier.remote",
              "this operation knows mbarriers of the executing CTA only; the address names CTA " +
                  std::to_string(t.key.cta_rank) + " of the cluster",
              address);
}

/// Calls `f(lane, address)` for each active lane; faults name the lane.
template <class F>
void each_object(Warp& warp, const Object& o, LaneMask active, F&& f) {
  std::uint64_t addresses[kWarpLanes];
  o.location.of(warp, active, addresses);
  for_each_lane(active, [&](std::uint32_t lane) {
    try {
      f(lane, addresses[lane]);
    } catch (const Fault& fault) {
      machine::rethrow_at(fault, warp.place(static_cast<int>(lane)));
    }
  });
}

void tell(Warp& warp, const MbarrierResult& result, std::uint32_t lane) {
  for (const Finding& finding : result.findings) {
    warp.cluster().grid().warn(finding, warp.place(static_cast<int>(lane)));
  }
}

// Operands: state, operand.

Flow init(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& o = info<Object>(inst);
  const std::uint32_t* count = warp.in32(inst.op[1]);
  each_object(warp, o, active, [&](std::uint32_t lane, std::uint64_t address) {
    const Target t = own_target(warp, o, address);
    tell(warp, t.cta->mbarriers().init(t.cta->shared(), t.key.offset, count[lane]), lane);
  });
  warp.cluster().changed();
  return Flow::next;
}

Flow inval(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& o = info<Object>(inst);
  each_object(warp, o, active, [&](std::uint32_t, std::uint64_t address) {
    const Target t = own_target(warp, o, address);
    t.cta->mbarriers().inval(t.cta->shared(), t.key.offset);
  });
  warp.cluster().changed();
  return Flow::next;
}

MbarrierResult no_complete(Warp& warp, const Object& o, const Target& t, std::uint32_t operand,
                           std::uint32_t lane) {
  const Mbarrier before = t.cta->mbarriers().state(t.key.offset);
  const bool drop = o.op == MbarrierOp::arrive_drop;
  const MbarrierResult result =
      t.cta->mbarriers().arrive_no_complete(t.key.offset, operand, drop, warp.actor(lane));
  tell(warp, result, lane);
  warp.cluster().events().emit([&] {
    return machine::BarrierEvent{t.key,
                                 o.op,
                                 operand,
                                 before,
                                 t.cta->mbarriers().state(t.key.offset),
                                 warp.actor(lane),
                                 warp.place(static_cast<int>(lane))};
  });
  return result;
}

MbarrierResult apply_one(Warp& warp, const Object& o, const Target& t, std::uint32_t operand,
                         std::uint32_t lane) {
  if (o.no_complete) return no_complete(warp, o, t, operand, lane);
  const machine::Actor actor = warp.actor(lane);
  const Place place = warp.place(static_cast<int>(lane));
  machine::Cluster& cluster = warp.cluster();
  if (!o.drops) return cluster.apply(t.key, o.op, operand, actor, place);
  // expect_tx first; the phase cannot end between the two, as this arrival is still pending.
  const Mbarrier before = t.cta->mbarriers().state(t.key.offset);
  cluster.apply(t.key, MbarrierOp::expect_tx, operand, actor, place);
  MbarrierResult result = cluster.apply(t.key, MbarrierOp::arrive_drop, 1, actor, place);
  result.token = mbarrier_token(before, operand);
  return result;
}

Flow apply_all(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& o = info<Object>(inst);
  const std::uint32_t* operand = o.one_arrival ? nullptr : warp.in32(inst.op[1]);
  each_object(warp, o, active, [&](std::uint32_t lane, std::uint64_t address) {
    const Target t = target(warp, o, address);
    if (o.has_token && t.cta != &warp.cta()) {
      throw Fault(FaultKind::undefined, "mbarrier.remote-state",
                  "an arrival at an mbarrier of CTA " + std::to_string(t.key.cta_rank) +
                      " of the cluster returns no state; the destination is _",
                  address);
    }
    const MbarrierResult r = apply_one(warp, o, t, operand == nullptr ? 1 : operand[lane], lane);
    if (o.has_token) warp.out64(inst.op[0])[lane] = r.token;
  });
  warp.cluster().changed();
  return Flow::next;
}

// Waits.  Operands: p, parity or state.

struct Waiting {
  Object object;
  bool parity = false;
  bool may_suspend = false;  ///< try_wait
};

/// The first lane whose phase is not complete is what the warp waits for.
struct Tested {
  LaneMask complete = 0;
  Wait wait;
};

Tested test(Warp& warp, const Waiting& w, const Inst& inst, LaneMask active) {
  Tested tested;
  each_object(warp, w.object, active, [&](std::uint32_t lane, std::uint64_t address) {
    const Target t = own_target(warp, w.object, address);
    const machine::MbarrierUnit& unit = t.cta->mbarriers();
    const std::uint64_t value =
        w.parity ? warp.in32(inst.op[1])[lane] : warp.in64(inst.op[1])[lane];
    const Wait& ended = warp.ended();
    const bool seen = w.may_suspend && warp.resumed() && !warp.gave_up() &&
                      ended.barrier == t.key && ended.value == value;
    const bool complete =
        seen || (w.parity ? unit.test_parity(t.key.offset, static_cast<std::uint32_t>(value))
                          : unit.test_token(t.key.offset, value));
    if (complete) {
      tested.complete |= 1u << lane;
    } else if (tested.wait.kind == Wait::Kind::none) {
      tested.wait.kind = w.parity ? Wait::Kind::mbarrier_parity : Wait::Kind::mbarrier_token;
      tested.wait.barrier = t.key;
      tested.wait.value = value;
      tested.wait.phase = unit.state(t.key.offset).phase;
    }
  });
  return tested;
}

void tell_wait(Warp& warp, const Waiting& w, const Inst& inst, LaneMask active, LaneMask complete) {
  if (!warp.cluster().events().watched()) return;
  each_object(warp, w.object, active, [&](std::uint32_t lane, std::uint64_t address) {
    const std::uint64_t value = w.parity ? warp.in32(inst.op[1])[lane]
                                         : mbarrier_fields::kPhase.raw(warp.in64(inst.op[1])[lane]);
    warp.cluster().events().emit([&] {
      return machine::BarrierWait{
          target(warp, w.object, address).key, static_cast<std::uint32_t>(value & 1),
          (complete >> lane & 1) != 0, warp.actor(lane), warp.place(static_cast<int>(lane))};
    });
  });
}

/// try_wait waits until the phase is complete, or gives up when nothing else could go on; test_wait
/// lets the other warps run once before it says that the phase is not complete.
Flow wait(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& w = info<Waiting>(inst);
  Tested tested = test(warp, w, inst, active);
  const bool may_answer_no = w.may_suspend ? warp.gave_up() : warp.resumed();
  if (tested.complete != active && !may_answer_no) {
    if (w.may_suspend) {
      tested.wait.may_give_up = true;
    } else {
      tested.wait.kind = Wait::Kind::poll;
      tested.wait.polls_barrier = true;
    }
    tested.wait.what = "an mbarrier";
    // Lanes whose phase is complete wait with the others, so that the warp stays together.
    return warp.wait(active, tested.wait);
  }
  warp.set_predicate(inst.op[0], active, tested.complete);
  tell_wait(warp, w, inst, active, tested.complete);
  return Flow::next;
}

Flow pending(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint64_t* state = warp.in64(inst.op[1]);
  std::uint32_t* d = warp.out32(inst.op[0]);
  for_each_lane(active, [&](std::uint32_t lane) { d[lane] = pending_count(state[lane]); });
  return Flow::next;
}

// Binding.

std::string_view space(Binder& b) {
  return b.modifiers["ss"];
}

/// .sem and .scope come together.
void check_scope(Binder& b) {
  const bool sem = !b.modifiers["sem"].empty(), scope = !b.modifiers["scope"].empty();
  if (sem != scope) {
    b.fail(sem ? "an ordering without a scope" : "a scope without an ordering",
           "both, as in .release.cta, or none");
  }
}

void bind_init(Binder& b) {
  Object o;
  o.location = locate(b, 0, space(b));
  b.inst().op[1] = b.in(1, Type::u32);
  b.keep(o);
  b.run(init);
}

void bind_inval(Binder& b) {
  Object o;
  o.location = locate(b, 0, space(b));
  b.keep(o);
  b.run(inval);
}

void bind_tx(Binder& b) {
  Object o;
  check_scope(b);
  o.location = locate(b, 0, space(b));
  o.op = b.modifiers.has("expect_tx") ? MbarrierOp::expect_tx : MbarrierOp::complete_tx;
  b.inst().op[1] = b.in(1, Type::u32);
  b.keep(o);
  b.run(apply_all);
}

void bind_arrive(Binder& b) {
  const Modifiers& m = b.modifiers;
  Object o;
  check_scope(b);
  o.location = locate(b, 1, space(b));
  o.op = m.has("arrive_drop") ? MbarrierOp::arrive_drop
         : m.has("expect_tx") ? MbarrierOp::arrive_expect_tx
                              : MbarrierOp::arrive;
  o.drops = m.has("arrive_drop") && m.has("expect_tx");
  o.no_complete = m.has("noComplete");
  o.has_token = b.operand(0).kind != ptx::Operand::Kind::sink;
  if (o.has_token && space(b) == "shared::cluster") {
    b.fail(b.operand(0), "an arrival at an mbarrier of the cluster returns no state", "_");
  }
  if (o.has_token) b.inst().op[0] = b.out(0, Type::b64);
  o.one_arrival = !b.has(2);
  if (!o.one_arrival) b.inst().op[1] = b.in(2, Type::u32);
  b.keep(o);
  b.run(apply_all);
}

void bind_wait(Binder& b) {
  Waiting w;
  check_scope(b);
  w.object.location = locate(b, 1, space(b));
  w.parity = b.modifiers.has("parity");
  w.may_suspend = b.modifiers.has("try_wait");
  b.inst().op[0] = b.out_predicate(0);
  b.inst().op[1] = b.in(2, w.parity ? Type::u32 : Type::b64);
  if (b.has(3)) b.in(3, Type::u32);  // how long it may take: time is not modelled
  b.keep(w);
  b.run(wait);
}

void bind_pending(Binder& b) {
  b.inst().op[0] = b.out(0, Type::u32);
  b.inst().op[1] = b.in(1, Type::b64);
  b.run(pending);
}

#define LC_OWN "[ss=shared|shared::cta] b64"
#define LC_ANY "[ss=shared|shared::cta|shared::cluster] b64"
#define LC_TX "[sem=relaxed] [scope=cta|cluster] " LC_ANY
#define LC_ARRIVE "[sem=release|relaxed] [scope=cta|cluster] " LC_ANY
#define LC_WAIT "[parity] [sem=acquire|relaxed] [scope=cta|cluster] " LC_OWN

constexpr std::array kOps{
    Op{"mbarrier", "init " LC_OWN, "[a], count", bind_init},
    Op{"mbarrier", "inval " LC_OWN, "[a]", bind_inval},
    Op{"mbarrier", "expect_tx " LC_TX, "[a], tx-count", bind_tx},
    Op{"mbarrier", "complete_tx " LC_TX, "[a], tx-count", bind_tx},
    Op{"mbarrier", "arrive|arrive_drop " LC_ARRIVE, "state, [a], count?", bind_arrive},
    Op{"mbarrier", "arrive|arrive_drop expect_tx " LC_ARRIVE, "state, [a], tx-count", bind_arrive},
    Op{"mbarrier", "arrive|arrive_drop noComplete [sem=release] [scope=cta] " LC_OWN,
       "state, [a], count", bind_arrive},
    Op{"mbarrier", "test_wait " LC_WAIT, "p, [a], state", bind_wait},
    Op{"mbarrier", "try_wait " LC_WAIT, "p, [a], state, time?", bind_wait},
    Op{"mbarrier", "pending_count b64", "count, state", bind_pending},
};

}  // namespace

std::span<const Op> mbarrier_ops() {
  return kOps;
}

}  // namespace lc::isa
