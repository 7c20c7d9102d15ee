#include <array>
#include <string>

#include "sim/isa/families.h"
#include "sim/isa/location.h"
#include "sim/machine/generic_address.h"

// Barriers of a CTA and of a cluster (PTX ISA 9.0, 9.7.13.1 and 9.7.13.3), and the addresses of a
// cluster's other CTAs (9.7.9.23, 9.7.9.24).
namespace lc::isa {
namespace {

using machine::Fault;
using machine::FaultKind;
using machine::NamedBarriers;
using machine::Wait;

// bar, barrier.  Operands: d, a, b, c.
enum class Arrival : std::uint8_t { sync, arrive, red_popc, red_and, red_or };

struct Named {
  bool aligned = false;
  bool counted = false;  ///< operand b is there
};

/// The active lanes that name the barrier and the count of the first one.
LaneMask agreeing(const Warp& warp, const Inst& inst, LaneMask active, bool counted) {
  const std::uint32_t first = machine::first_lane(active);
  const std::uint32_t* id = warp.in32(inst.op[1]);
  const std::uint32_t* count = counted ? warp.in32(inst.op[2]) : id;
  LaneMask same = 0;
  for_each_lane(active, [&](std::uint32_t lane) {
    if (id[lane] == id[first] && (!counted || count[lane] == count[first])) same |= 1u << lane;
  });
  return same;
}

void put_reduction(const Warp& warp, const Inst& inst, LaneMask active, Arrival how,
                   const NamedBarriers& barriers, std::uint32_t id) {
  const std::uint32_t votes = barriers.votes(id);
  if (how == Arrival::red_popc) {
    std::uint32_t* d = warp.out32(inst.op[0]);
    for_each_lane(active, [&](std::uint32_t lane) { d[lane] = votes; });
    return;
  }
  const bool all = how == Arrival::red_and;
  const bool value = all ? votes == barriers.voters(id) : votes != 0;
  warp.set_predicate(inst.op[0], active, value ? kAllLanes : 0);
}

/// Lanes that exited or never were count as arrived where a number of threads is asked for: a
/// barrier counts warps (PTX ISA: "marks warps' arrival").
LaneMask absent_lanes(const Warp& warp, const Named& named, LaneMask active) {
  return named.counted && active == warp.live() ? ~warp.live() : 0;
}

template <Arrival how>
Flow named_barrier(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& named = info<Named>(inst);
  NamedBarriers& barriers = warp.cta().barriers();
  const std::uint32_t lane = machine::first_lane(active);
  const std::uint32_t id = warp.in32(inst.op[1])[lane];
  constexpr bool kReduces = how > Arrival::arrive;
  if (!warp.resumed()) {
    if (named.aligned) {
      if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
    }
    // Lanes that name another barrier do so after these.
    const LaneMask together = agreeing(warp, inst, active, named.counted);
    if (together != active) warp.leave_behind(active & ~together);
    active = together;
    const std::uint32_t count = named.counted ? warp.in32(inst.op[2])[lane] : 0;
    if (named.counted && count == 0) {
      throw Fault(FaultKind::illegal_instruction, "barrier.thread-count",
                  "barrier " + std::to_string(id) + " for 0 threads");
    }
    const LaneMask votes = kReduces ? warp.predicate(inst.op[3]) : 0;
    const std::uint64_t due =
        barriers.arrive(id, warp.number(), active, count, votes, absent_lanes(warp, named, active));
    warp.cluster().changed();
    warp.note_meeting(barriers.completed(id), due, true, how != Arrival::arrive);
    if (how == Arrival::arrive) return Flow::next;
    if (barriers.completed(id) < due) {
      return warp.wait(active, {.kind = Wait::Kind::counter,
                                .value = due,
                                .counter = &barriers.completed(id),
                                .what = "named barrier",
                                .number = id});
    }
  }
  if (kReduces) put_reduction(warp, inst, active, how, barriers, id);
  return Flow::next;
}

/// `first`: where operand a stands; `tail`: operands after the count.
void bind_named(Binder& b, std::size_t first, std::size_t tail) {
  Named named;
  named.aligned = b.mnemonic().opcode == "bar" || b.modifiers.has("aligned");
  named.counted = b.count() > first + 1 + tail;
  if (const auto id = b.immediate(first); id && *id >= NamedBarriers::kCount) {
    b.fail(b.operand(first), "a CTA has barriers 0 to 15");
  }
  b.inst().op[1] = b.in(first, Type::u32);
  if (named.counted) {
    const auto count = b.immediate(first + 1);
    if (count && (*count % kWarpLanes != 0 || *count == 0)) {
      b.fail(b.operand(first + 1), "the count of threads is a multiple of 32, not 0");
    }
    b.inst().op[2] = b.in(first + 1, Type::u32);
  }
  b.keep(named);
}

void bind_sync(Binder& b) {
  bind_named(b, 0, 0);
  b.run(named_barrier<Arrival::sync>);
}
void bind_arrive(Binder& b) {
  bind_named(b, 0, 0);
  b.run(named_barrier<Arrival::arrive>);
}
void bind_red_popc(Binder& b) {
  bind_named(b, 1, 1);
  b.inst().op[0] = b.out(0, Type::u32);
  b.inst().op[3] = b.predicate(b.count() - 1);
  b.run(named_barrier<Arrival::red_popc>);
}
void bind_red(Binder& b) {
  bind_named(b, 1, 1);
  b.inst().op[0] = b.out_predicate(0);
  b.inst().op[3] = b.predicate(b.count() - 1);
  b.run(b.modifiers.has("and") ? named_barrier<Arrival::red_and> : named_barrier<Arrival::red_or>);
}

// barrier.cluster

Flow gather_if(Warp& warp, const Inst& inst, LaneMask active) {
  return info<Named>(inst).aligned ? warp.gather_all(active) : Flow::next;
}

Flow cluster_arrive(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = gather_if(warp, inst, active); flow != Flow::next) return flow;
  machine::ClusterBarrier& barrier = warp.cluster().barrier();
  const std::uint64_t due = barrier.arrive(warp.cta().rank(), warp.number(), active);
  warp.cluster().changed();
  warp.note_meeting(barrier.completed(), due, true, false);
  return Flow::next;
}

Flow cluster_wait(Warp& warp, const Inst& inst, LaneMask active) {
  if (warp.resumed()) return Flow::next;
  if (const Flow flow = gather_if(warp, inst, active); flow != Flow::next) return flow;
  machine::ClusterBarrier& barrier = warp.cluster().barrier();
  // Lanes whose arrival belongs to a completed phase are no longer among those that arrived.
  const LaneMask open = barrier.arrived(warp.cta().rank(), warp.number()) & active;
  const std::uint64_t due = barrier.completed() + (open == 0 ? 0 : 1);
  warp.note_meeting(barrier.completed(), due, false, true);
  if (open == 0) return Flow::next;
  return warp.wait(active, {.kind = Wait::Kind::counter,
                            .value = due,
                            .counter = &barrier.completed(),
                            .what = "the cluster barrier"});
}

void bind_cluster(Binder& b) {
  b.keep(Named{b.modifiers.has("aligned"), false});
  b.run(b.modifiers.has("arrive") ? cluster_arrive : cluster_wait);
}

// mapa and getctarank.  Generic addresses of shared memory carry the shared::cluster address in
// their low bits.

template <bool wide>
std::uint64_t lane_value(const Warp& warp, Ref r, std::uint32_t lane) {
  if constexpr (wide) return warp.in64(r)[lane];
  return warp.in32(r)[lane];
}

std::uint32_t checked_shared(std::uint64_t address, bool generic) {
  if (!generic) return static_cast<std::uint32_t>(address);
  const machine::SpaceAddress a = machine::from_generic(address);
  if (a.space == machine::Space::shared) return static_cast<std::uint32_t>(a.address);
  throw Fault(FaultKind::invalid_address_space, "generic.not-shared",
              "generic address " + machine::hex(address) + " does not lie in shared memory",
              address);
}

template <bool wide, bool generic>
Flow map_address(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint32_t* rank = warp.in32(inst.op[2]);
  for_each_lane(active, [&](std::uint32_t lane) {
    const std::uint32_t a = checked_shared(lane_value<wide>(warp, inst.op[1], lane), generic);
    const std::uint32_t mapped = machine::shared_address(rank[lane], machine::shared_offset(a));
    if constexpr (wide) {
      warp.out64(inst.op[0])[lane] =
          generic ? machine::to_generic({machine::Space::shared, mapped}) : mapped;
    } else {
      warp.out32(inst.op[0])[lane] = mapped;
    }
  });
  return Flow::next;
}

template <bool wide, bool generic>
Flow address_rank(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint32_t* d = warp.out32(inst.op[0]);
  for_each_lane(active, [&](std::uint32_t lane) {
    const std::uint32_t a = checked_shared(lane_value<wide>(warp, inst.op[1], lane), generic);
    d[lane] = machine::shared_rank(a);
  });
  return Flow::next;
}

void bind_map(Binder& b) {
  const Type type = b.modifiers.type();
  const bool generic = b.modifiers["ss"].empty();
  b.inst().op[0] = b.out(0, type);
  b.inst().op[1] = b.in(1, type);
  b.inst().op[2] = b.in(2, Type::u32);
  if (type == Type::u32) {
    if (generic) b.fail("generic addresses have 64 bits", "mapa.u64 or mapa.shared::cluster.u32");
    return b.run(map_address<false, false>);
  }
  b.run(generic ? map_address<true, true> : map_address<true, false>);
}

void bind_rank(Binder& b) {
  const Type type = b.modifiers.type();
  const bool generic = b.modifiers["ss"].empty();
  b.inst().op[0] = b.out(0, Type::u32);
  b.inst().op[1] = b.in(1, type);
  if (type == Type::u32) {
    if (generic) {
      b.fail("generic addresses have 64 bits", "getctarank.u64 or getctarank.shared::cluster.u32");
    }
    return b.run(address_rank<false, false>);
  }
  b.run(generic ? address_rank<true, true> : address_rank<true, false>);
}

constexpr std::array kOps{
    Op{"bar", "[cta] sync", "a, b?", bind_sync},
    Op{"bar", "[cta] arrive", "a, b", bind_arrive},
    Op{"bar", "[cta] red popc u32", "d, a, b, c?", bind_red_popc},
    Op{"bar", "[cta] red and|or pred", "p, a, b, c?", bind_red},
    Op{"barrier", "[cta] sync [aligned]", "a, b?", bind_sync},
    Op{"barrier", "[cta] arrive [aligned]", "a, b", bind_arrive},
    Op{"barrier", "[cta] red popc [aligned] u32", "d, a, b, c?", bind_red_popc},
    Op{"barrier", "[cta] red and|or [aligned] pred", "p, a, b, c?", bind_red},
    Op{"barrier", "cluster arrive [release|relaxed] [aligned]", "", bind_cluster},
    Op{"barrier", "cluster wait [acquire] [aligned]", "", bind_cluster},
    Op{"mapa", "[ss=shared::cluster] type=u32|u64", "d, a, b", bind_map},
    Op{"getctarank", "[ss=shared::cluster] type=u32|u64", "d, a", bind_rank},
};

}  // namespace

std::span<const Op> barrier_ops() {
  return kOps;
}

}  // namespace lc::isa
