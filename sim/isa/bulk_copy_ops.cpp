#include <array>
#include <vector>

#include "sim/isa/copy_operands.h"
#include "sim/isa/families.h"
#include "sim/machine/bulk_copy_work.h"
#include "sim/machine/cta.h"
#include "sim/machine/tma_unit.h"

// cp.async.bulk, cp.reduce.async.bulk, their groups and their prefetch (PTX ISA 9.0,
// 9.7.9.25.4 and .5).
namespace lc::isa {
namespace {

using machine::BulkCopy;
using machine::Fault;
using machine::FaultKind;
using machine::ReductionType;
using machine::SharedWindow;

struct BulkForm {
  Address to, from, barrier;
  Ref size;
  Ref mask;  ///< CTA mask of a multicast, byte mask of .cp_mask
  bool from_shared = false, to_shared = false;
  bool multicast = false, byte_mask = false;
  SharedWindow window = SharedWindow::cta;  ///< of the destination
  TmaOperation operation = TmaOperation::store;
  ReductionType type = ReductionType::b32;
};

/// A copy as a lane's operands say, without what tells of its end.
BulkCopy copy_of_lane(Warp& warp, const BulkForm& form, std::uint32_t lane) {
  machine::Cluster& cluster = warp.cluster();
  const std::uint32_t rank = warp.cta().rank();
  BulkCopy copy;
  copy.bytes = warp.in32(form.size)[lane];
  if (form.from_shared) {
    const auto place =
        cluster.shared_place(shared_address_of(form.from, warp, lane), rank, SharedWindow::cta);
    copy.from = {place.cta->rank(), place.offset};
  } else {
    copy.from = {std::nullopt, form.from.of(warp, lane)};
  }
  if (form.to_shared) {
    const auto place =
        cluster.shared_place(shared_address_of(form.to, warp, lane), rank, form.window);
    copy.to = {place.cta->rank(), place.offset};
  } else {
    copy.to = {std::nullopt, form.to.of(warp, lane)};
  }
  machine::check_bulk(copy.from.address, copy.to.address, copy.bytes);
  copy.how.operation = form.operation;
  copy.how.type = form.type;
  if (form.byte_mask) copy.how.byte_mask = warp.in32(form.mask)[lane] & 0xFFFF;
  copy.actor = unit_actor(warp, machine::Unit::bulk_copy, lane);
  copy.place = warp.place(static_cast<int>(lane));
  return copy;
}

/// Copies whose end an mbarrier in the destination's CTA is told.
void copy_to_shared(Warp& warp, const BulkForm& form, std::uint32_t lane) {
  machine::Cluster& cluster = warp.cluster();
  BulkCopy copy = copy_of_lane(warp, form, lane);
  const auto barrier = cluster.shared_place(shared_address_of(form.barrier, warp, lane),
                                            warp.cta().rank(), form.window);
  const std::uint16_t mask =
      form.multicast ? static_cast<std::uint16_t>(warp.in32(form.mask)[lane]) : std::uint16_t{0};
  const auto destinations = machine::tma_destinations(
      machine::shared_address(*copy.to.rank, static_cast<std::uint32_t>(copy.to.address)),
      machine::shared_address(barrier.cta->rank(), barrier.offset),
      form.multicast ? &mask : nullptr, 1, cluster.size());
  for (const machine::TmaDestination& to : destinations) {
    copy.to.rank = to.rank;
    copy.barrier = machine::BarrierKey{to.barrier_rank, barrier.offset};
    machine::issue_bulk_copy(cluster, copy);
  }
}

Flow bulk_to_shared(Warp& warp, const Inst& inst, LaneMask active) {
  const BulkForm& form = info<BulkForm>(inst);
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) { copy_to_shared(warp, form, lane); });
  return Flow::next;
}

Flow bulk_to_global(Warp& warp, const Inst& inst, LaneMask active) {
  const BulkForm& form = info<BulkForm>(inst);
  // Reductions combine with what other clusters write.
  if (form.operation != TmaOperation::store && !warp.cluster().has_turn()) {
    machine::Wait turn;
    turn.kind = machine::Wait::Kind::turn;
    return warp.wait(active, turn);
  }
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) {
    const machine::ItemId id =
        machine::issue_bulk_copy(warp.cluster(), copy_of_lane(warp, form, lane));
    warp.groups(Warp::Groups::bulk, lane).add(id);
  });
  return Flow::next;
}

/// Destination, source and size; `from` and `to` say which spaces the modifiers named.
BulkForm& bind_ends(Binder& b, bool from_shared, bool to_shared) {
  BulkForm& form = b.keep(BulkForm{});
  form.from_shared = from_shared;
  form.to_shared = to_shared;
  form.to = b.address(0, to_shared ? NameSpace::shared : NameSpace::global);
  form.from = b.address(1, from_shared ? NameSpace::shared : NameSpace::global);
  form.size = b.in(2, Type::u32);
  return form;
}

void bind_load(Binder& b) {
  BulkForm& form = bind_ends(b, false, true);
  form.barrier = b.address(3, NameSpace::shared);
  form.window = b.modifiers["to"] == "shared::cta" ? SharedWindow::cta : SharedWindow::cluster;
  form.multicast = b.modifiers.has("multicast::cluster");
  if (form.multicast && form.window == SharedWindow::cta) {
    b.fail("a multicast goes to .shared::cluster");
  }
  OptionalOperands more(b, 4);
  if (form.multicast) form.mask = b.in(more.take("the CTA mask"), Type::u16);
  more.take_cache_policy();
  more.finish();
  b.run(bulk_to_shared);
}

ReductionType reduction_type_of(std::string_view type) {
  constexpr std::array kTypes{
      std::pair{"u32", ReductionType::u32}, std::pair{"s32", ReductionType::s32},
      std::pair{"u64", ReductionType::u64}, std::pair{"s64", ReductionType::s64},
      std::pair{"b32", ReductionType::b32}, std::pair{"b64", ReductionType::b64},
      std::pair{"f16", ReductionType::f16}, std::pair{"bf16", ReductionType::bf16},
      // The ISA: subnormal inputs and results become zero.
      std::pair{"f32", ReductionType::f32_ftz}, std::pair{"f64", ReductionType::f64}};
  for (const auto& [name, value] : kTypes) {
    if (type == name) return value;
  }
  return ReductionType::b32;
}

void bind_reduction(Binder& b, BulkForm& form) {
  form.operation = value_of<TmaOperation>(b.modifiers["operation"]).value_or(TmaOperation::store);
  const std::string_view type = b.modifiers["type"];
  form.type = reduction_type_of(type);
  if (!machine::has_bulk_reduction(form.type, form.operation, form.to_shared)) {
    b.fail("cp.reduce.async.bulk has no ." + std::string(b.modifiers["operation"]) + "." +
           std::string(type) + " in this direction");
  }
  const bool half = type == "f16" || type == "bf16";
  const bool adds = form.operation == TmaOperation::add;
  if (half && adds != b.modifiers.has("noftz")) {
    b.fail(adds ? "cp.reduce.async.bulk adds f16 and bf16 as .add.noftz only"
                : ".noftz goes with .add");
  }
}

void bind_shared_to_shared(Binder& b) {
  BulkForm& form = bind_ends(b, true, true);
  form.barrier = b.address(3, NameSpace::shared);
  form.window = SharedWindow::cluster;
  if (!b.modifiers["operation"].empty()) bind_reduction(b, form);
  b.run(bulk_to_shared);
}

void bind_store(Binder& b) {
  BulkForm& form = bind_ends(b, true, false);
  form.byte_mask = b.modifiers.has("cp_mask");
  if (!b.modifiers["operation"].empty()) bind_reduction(b, form);
  OptionalOperands more(b, 3);
  more.take_cache_policy();
  if (form.byte_mask) form.mask = b.in(more.take("the byte mask"), Type::u16);
  more.finish();
  b.run(bulk_to_global);
}

Flow bulk_prefetch(Warp& warp, const Inst& inst, LaneMask active) {
  const BulkForm& form = info<BulkForm>(inst);
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) {
    machine::check_bulk(form.from.of(warp, lane), 0, warp.in32(form.size)[lane]);
  });
  return Flow::next;
}

void bind_prefetch(Binder& b) {
  BulkForm& form = b.keep(BulkForm{});
  form.from = b.address(0, NameSpace::global);
  form.size = b.in(1, Type::u32);
  OptionalOperands more(b, 2);
  more.take_cache_policy();
  more.finish();
  b.run(bulk_prefetch);
}

Flow commit_group(Warp& warp, const Inst&, LaneMask active) {
  for_each_lane(active, [&](std::uint32_t lane) {
    warp.groups(Warp::Groups::bulk, lane).commit(warp.cluster().queue());
  });
  return Flow::next;
}

template <machine::AsyncStage stage>
Flow wait_group(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint64_t pending = inst.target;
  for_each_lane(active, [&](std::uint32_t lane) {
    warp.groups(Warp::Groups::bulk, lane).wait(warp.cluster().queue(), pending, stage);
  });
  return Flow::next;
}

void bind_wait_group(Binder& b) {
  b.inst().target = static_cast<std::uint32_t>(b.immediate_in(0, 0, 0x7FFFFFFF));
  b.run(b.modifiers.has("read") ? wait_group<machine::AsyncStage::read>
                                : wait_group<machine::AsyncStage::done>);
}

constexpr std::array kOps{
    Op{"cp",
       "async bulk to=shared::cta|shared::cluster global mbarrier::complete_tx::bytes "
       "[multicast::cluster] [L2::cache_hint]",
       "[d], [a], size, [mbar], x?, y?", bind_load},
    Op{"cp", "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes",
       "[d], [a], size, [mbar]", bind_shared_to_shared},
    Op{"cp", "async bulk global shared::cta bulk_group [L2::cache_hint] [cp_mask]",
       "[d], [a], size, p?, mask?", bind_store},
    Op{"cp",
       "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes "
       "operation=add|min|max|inc|dec|and|or|xor type=b32|u32|s32|b64|u64",
       "[d], [a], size, [mbar]", bind_shared_to_shared},
    Op{"cp",
       "reduce async bulk global shared::cta bulk_group [L2::cache_hint] "
       "operation=add|min|max|inc|dec|and|or|xor [noftz] "
       "type=f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64",
       "[d], [a], size, p?", bind_store},
    Op{"cp", "async bulk prefetch L2 global [L2::cache_hint]", "[a], size, p?", bind_prefetch,
       "checks its operands; caches are not modelled"},
    Op{"cp", "async bulk commit_group", "", [](Binder& b) { b.run(commit_group); }},
    Op{"cp", "async bulk wait_group [read]", "n", bind_wait_group},
};

}  // namespace

std::span<const Op> bulk_copy_ops() {
  return kOps;
}

}  // namespace lc::isa
