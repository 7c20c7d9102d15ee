#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "sim/isa/copy_operands.h"
#include "sim/isa/families.h"
#include "sim/machine/cta.h"
#include "sim/machine/tensor_copy_work.h"

// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and their prefetch (PTX ISA 9.0, 9.7.9.27).
// The tensor map is read when the instruction executes; data when the schedule says.
namespace lc::isa {
namespace {

using machine::Fault;
using machine::FaultKind;
using machine::TensorCopy;
using machine::TensorMapObject;
using machine::TmaMode;

/// A vector operand of at most five registers.
struct Registers {
  std::array<Ref, 5> at{};
  std::uint32_t count = 0;
};

struct TensorCopyForm {
  Address shared, map, barrier;
  Registers coordinates, offsets;
  Ref mask;
  TmaMode mode = TmaMode::tile;
  TmaOperation operation = TmaOperation::store;
  int rank = 1;
  int cta_group = 1;
  bool multicast = false;
  machine::SharedWindow window = machine::SharedWindow::cta;
  bool needs_sm_100 = false;
};

Registers vector_of(Binder& b, const ptx::Operand& operand, Type type, std::size_t count) {
  const std::span<const ptx::Operand> elements = b.elements(operand);
  if (elements.size() != count) {
    b.fail(operand, "a vector of " + std::to_string(count) + " is expected here, not of " +
                        std::to_string(elements.size()));
  }
  Registers registers;
  for (const ptx::Operand& element : elements) {
    registers.at[registers.count++] = b.in(element, type);
  }
  return registers;
}

TmaMode mode_of(std::string_view name) {
  if (name.ends_with("4")) return TmaMode::gather4;
  if (name == "im2col::w") return TmaMode::im2col_w;
  if (name == "im2col::w::128") return TmaMode::im2col_w_128;
  return name.starts_with("im2col") ? TmaMode::im2col : TmaMode::tile;
}

/// `[map, {coordinates}]` at operand `i`, and what the modifiers say.
void bind_map(Binder& b, std::size_t i, TensorCopyForm& form) {
  const std::string_view dimensions = b.modifiers["dim"];
  form.rank = dimensions[0] - '0';
  form.mode = mode_of(b.modifiers["mode"]);
  const bool rows = form.mode == TmaMode::gather4;
  if (rows && form.rank != 2) b.fail("tile::gather4 and tile::scatter4 take .2d tensors");
  if (machine::is_im2col(form.mode) && form.rank < 3) b.fail("im2col takes tensors from .3d on");
  form.map = b.address(i);
  const std::span<const ptx::Operand> after = b.after_address(i);
  if (after.size() != 1) {
    b.fail(b.operand(i), "the tensor map and a vector of coordinates are expected in the brackets");
  }
  form.coordinates = vector_of(b, after[0], Type::s32, rows ? 5 : form.rank);
  form.needs_sm_100 = rows || form.mode == TmaMode::im2col_w || form.mode == TmaMode::im2col_w_128;
}

void bind_offsets(Binder& b, OptionalOperands& more, TensorCopyForm& form) {
  if (form.mode == TmaMode::im2col) {
    form.offsets = vector_of(b, more.take("the im2col offsets"), Type::u16, form.rank - 2);
  } else if (machine::is_im2col(form.mode)) {
    form.offsets = vector_of(b, more.take("{wHalo, wOffset}"), Type::u16, 2);
  }
}

/// The 128 bytes that the map operand points to, decoded.
TensorMapObject map_of(Warp& warp, const TensorCopyForm& form, std::uint32_t lane) {
  const std::uint64_t address = form.map.of(warp, lane);
  if (machine::from_generic(address).space != machine::Space::global) {
    throw Fault(FaultKind::invalid_address_space, "tma.map-space",
                "the tensor map at " + machine::hex(address) +
                    " is not in parameter, constant or global memory",
                address);
  }
  const std::byte* bytes =
      warp.at(machine::Window::generic, address, 128, 64, machine::Access::read, lane);
  return machine::decode_object(machine::words_of(std::span<const std::byte, 128>(bytes, 128)));
}

TensorCopy copy_of(Warp& warp, const TensorCopyForm& form, std::uint32_t lane) {
  if (form.needs_sm_100 && warp.cluster().arch() == Arch::sm_90) {
    throw Fault(FaultKind::illegal_instruction, "tma.arch",
                "tile::gather4, tile::scatter4, im2col::w and .cta_group need sm_100");
  }
  TensorCopy copy;
  copy.mode = form.mode;
  copy.rank = form.rank;
  const auto coordinate = [&](std::uint32_t i) {
    return static_cast<std::int32_t>(warp.in32(form.coordinates.at[i])[lane]);
  };
  const bool rows = form.mode == TmaMode::gather4;
  for (std::uint32_t i = 0; i < (rows ? 1 : form.coordinates.count); ++i) {
    copy.first[static_cast<int>(i)] = coordinate(i);
  }
  for (std::uint32_t i = 0; rows && i < 4; ++i) copy.rows[i] = coordinate(i + 1);
  for (std::uint32_t i = 0; i < form.offsets.count; ++i) {
    const std::uint32_t value = warp.in32(form.offsets.at[i])[lane] & 0xFFFF;
    if (form.mode == TmaMode::im2col) {
      copy.offsets.at[i] = value;
    } else {
      (i == 0 ? copy.w_halo : copy.w_offset) = value;
    }
  }
  return copy;
}

void load_of_lane(Warp& warp, const TensorCopyForm& form, std::uint32_t lane) {
  machine::Cluster& cluster = warp.cluster();
  const std::uint32_t rank = warp.cta().rank();
  const auto to =
      cluster.shared_place(shared_address_of(form.shared, warp, lane), rank, form.window);
  const auto barrier =
      cluster.shared_place(shared_address_of(form.barrier, warp, lane), rank, form.window);
  TensorCopy copy = copy_of(warp, form, lane);
  copy.smem_offset = to.offset;
  const std::uint16_t mask =
      form.multicast ? static_cast<std::uint16_t>(warp.in32(form.mask)[lane]) : std::uint16_t{0};

  machine::TensorLoad load;
  load.map = map_of(warp, form, lane);
  load.copy = copy;
  load.plan = machine::plan_load(load.map, copy, cluster.arch(), to.cta->shared().size());
  load.destinations =
      machine::tma_destinations(machine::shared_address(to.cta->rank(), to.offset),
                                machine::shared_address(barrier.cta->rank(), barrier.offset),
                                form.multicast ? &mask : nullptr, form.cta_group, cluster.size());
  load.barrier_offset = barrier.offset;
  load.actor = unit_actor(warp, machine::Unit::tma, lane);
  load.place = warp.place(static_cast<int>(lane));
  machine::issue_tensor_load(cluster, std::move(load));
}

Flow tensor_load(Warp& warp, const Inst& inst, LaneMask active) {
  const TensorCopyForm& form = info<TensorCopyForm>(inst);
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) { load_of_lane(warp, form, lane); });
  return Flow::next;
}

void bind_load(Binder& b) {
  TensorCopyForm& form = b.keep(TensorCopyForm{});
  form.shared = b.address(0, NameSpace::shared);
  bind_map(b, 1, form);
  form.barrier = b.address(2, NameSpace::shared);
  form.window =
      b.modifiers.has("shared::cta") ? machine::SharedWindow::cta : machine::SharedWindow::cluster;
  form.multicast = b.modifiers.has("multicast::cluster");
  if (form.multicast && form.window == machine::SharedWindow::cta) {
    b.fail("a multicast goes to .shared::cluster");
  }
  const std::string_view group = b.modifiers["group"];
  if (!group.empty()) {
    form.cta_group = group.back() - '0';
    form.needs_sm_100 = true;
    // The peer's barrier is named by its shared::cluster address (PTX ISA 9.0, .cta_group::2).
    if (form.cta_group == 2) form.window = machine::SharedWindow::cluster;
  }
  OptionalOperands more(b, 3);
  bind_offsets(b, more, form);
  if (form.multicast) form.mask = b.in(more.take("the CTA mask"), Type::u16);
  more.take_cache_policy();
  more.finish();
  b.run(tensor_load);
}

void store_of_lane(Warp& warp, const TensorCopyForm& form, std::uint32_t lane) {
  machine::Cluster& cluster = warp.cluster();
  const auto from = cluster.shared_place(shared_address_of(form.shared, warp, lane),
                                         warp.cta().rank(), machine::SharedWindow::cta);
  TensorCopy copy = copy_of(warp, form, lane);
  copy.smem_offset = from.offset;
  machine::TensorStore store;
  store.plan = machine::plan_store(map_of(warp, form, lane), copy, form.operation, cluster.arch(),
                                   from.cta->shared().size());
  store.operation = form.operation;
  store.rank = from.cta->rank();
  store.actor = unit_actor(warp, machine::Unit::tma, lane);
  store.place = warp.place(static_cast<int>(lane));
  const machine::ItemId id = machine::issue_tensor_store(cluster, std::move(store));
  warp.groups(Warp::Groups::bulk, lane).add(id);
}

Flow tensor_store(Warp& warp, const Inst& inst, LaneMask active) {
  const TensorCopyForm& form = info<TensorCopyForm>(inst);
  // Reductions combine with what other clusters write.
  if (form.operation != TmaOperation::store && !warp.cluster().has_turn()) {
    machine::Wait turn;
    turn.kind = machine::Wait::Kind::turn;
    return warp.wait(active, turn);
  }
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) { store_of_lane(warp, form, lane); });
  return Flow::next;
}

void bind_store(Binder& b) {
  TensorCopyForm& form = b.keep(TensorCopyForm{});
  bind_map(b, 0, form);
  form.shared = b.address(1, NameSpace::shared);
  form.operation = value_of<TmaOperation>(b.modifiers["operation"]).value_or(TmaOperation::store);
  OptionalOperands more(b, 2);
  more.take_cache_policy();
  more.finish();
  b.run(tensor_store);
}

Flow tensor_prefetch(Warp& warp, const Inst& inst, LaneMask active) {
  const TensorCopyForm& form = info<TensorCopyForm>(inst);
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) {
    machine::check_prefetch(map_of(warp, form, lane), copy_of(warp, form, lane),
                            warp.cluster().arch());
  });
  return Flow::next;
}

void bind_prefetch(Binder& b) {
  TensorCopyForm& form = b.keep(TensorCopyForm{});
  bind_map(b, 0, form);
  OptionalOperands more(b, 1);
  bind_offsets(b, more, form);
  more.take_cache_policy();
  more.finish();
  b.run(tensor_prefetch);
}

constexpr std::array kOps{
    Op{"cp",
       "async bulk tensor dim=1d|2d|3d|4d|5d shared::cta|shared::cluster global "
       "[mode=tile|tile::gather4|im2col|im2col::w|im2col::w::128] mbarrier::complete_tx::bytes "
       "[multicast::cluster] [group=cta_group::1|cta_group::2] [L2::cache_hint]",
       "[d], [map], [mbar], x?, y?, z?", bind_load,
       "im2col::w modes and .cta_group::2 follow the text of the ISA; they were not measured"},
    Op{"cp",
       "async bulk tensor dim=1d|2d|3d|4d|5d global shared::cta "
       "[mode=tile|tile::scatter4|im2col_no_offs] bulk_group [L2::cache_hint]",
       "[map], [a], p?", bind_store},
    Op{"cp",
       "reduce async bulk tensor dim=1d|2d|3d|4d|5d global shared::cta "
       "operation=add|min|max|inc|dec|and|or|xor [mode=tile|im2col_no_offs] bulk_group "
       "[L2::cache_hint]",
       "[map], [a], p?", bind_store},
    Op{"cp",
       "async bulk prefetch tensor dim=1d|2d|3d|4d|5d L2 global "
       "[mode=tile|tile::gather4|im2col|im2col::w|im2col::w::128] [L2::cache_hint]",
       "[map], x?, p?", bind_prefetch, "checks its operands; caches are not modelled"},
};

}  // namespace

std::span<const Op> tensor_copy_ops() {
  return kOps;
}

}  // namespace lc::isa
