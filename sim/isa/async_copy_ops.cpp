#include <algorithm>
#include <array>
#include <vector>

#include "sim/isa/copy_operands.h"
#include "sim/isa/families.h"
#include "sim/isa/function_binder.h"
#include "sim/machine/cta.h"
#include "sim/machine/thread_copy_work.h"

// cp.async, its groups and its arrival on an mbarrier (PTX ISA 9.0, 9.7.9.25.3).
namespace lc::isa {
namespace {

using machine::Access;
using machine::Fault;
using machine::FaultKind;
using machine::Window;

struct ThreadCopy {
  Address to, from;
  std::uint32_t bytes = 4;
  enum class Source : std::uint8_t { whole, size, ignored } source = Source::whole;
  Ref limit;  ///< src-size, or the predicate ignore-src
};

/// Bytes that a lane reads; the rest of its copy is filled with zeros.
std::uint32_t source_bytes(const Warp& warp, const ThreadCopy& copy, std::uint32_t lane) {
  switch (copy.source) {
    case ThreadCopy::Source::whole:
      return copy.bytes;
    case ThreadCopy::Source::ignored:
      return (warp.predicate(copy.limit) >> lane & 1) != 0 ? 0 : copy.bytes;
    case ThreadCopy::Source::size:
      break;
  }
  const std::uint32_t size = warp.in32(copy.limit)[lane];
  if (size > copy.bytes) {
    throw Fault(FaultKind::undefined, "cp.async.src-size",
                "src-size " + std::to_string(size) + " is larger than the " +
                    std::to_string(copy.bytes) + " bytes of the copy");
  }
  return size;
}

Flow thread_copy(Warp& warp, const Inst& inst, LaneMask active) {
  const ThreadCopy& copy = info<ThreadCopy>(inst);
  const std::uint32_t rank = warp.cta().rank();
  std::vector<machine::LaneCopy> copies;
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) {
    machine::LaneCopy c;
    const std::uint32_t to = shared_address_of(copy.to, warp, lane);
    c.bytes = static_cast<std::uint8_t>(copy.bytes);
    c.source_bytes = static_cast<std::uint8_t>(source_bytes(warp, copy, lane));
    c.to = warp.at(Window::shared_cta, to, copy.bytes, copy.bytes, Access::write, lane);
    c.to_address = machine::shared_address(rank, machine::shared_offset(to));
    if (c.source_bytes != 0) {
      c.from_address = copy.from.of(warp, lane);
      if (c.from_address % copy.bytes != 0) {
        throw Fault(FaultKind::misaligned_address, "cp.async.misaligned",
                    "the source " + machine::hex(c.from_address) + " of a copy of " +
                        std::to_string(copy.bytes) + " bytes is not aligned to that",
                    c.from_address);
      }
      c.from = warp.at(Window::global, c.from_address, c.source_bytes, 1, Access::read, lane);
    }
    copies.push_back(c);
  });
  const std::uint32_t first = machine::first_lane(active);
  const machine::ItemId id = machine::issue_thread_copies(
      warp.cluster(), std::move(copies), unit_actor(warp, machine::Unit::cp_async, first),
      warp.place(static_cast<int>(first)));
  for_each_lane(active,
                [&](std::uint32_t lane) { warp.groups(Warp::Groups::cp_async, lane).add(id); });
  return Flow::next;
}

bool is_predicate_register(Binder& b, const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::reg &&
         b.function().width_at(operand.index) == LaneWidth::predicate;
}

void bind_thread_copy(Binder& b) {
  ThreadCopy& copy = b.keep(ThreadCopy{});
  copy.to = b.address(0, NameSpace::shared);
  copy.from = b.address(1, NameSpace::global);
  const bool cached_globally = b.modifiers.has("cg");
  copy.bytes = static_cast<std::uint32_t>(b.immediate_in(2, 4, 16));
  if (copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16) {
    b.fail(b.operand(2), "cp.async copies 4, 8 or 16 bytes");
  }
  if (cached_globally && copy.bytes != 16) b.fail(b.operand(2), "cp.async.cg copies 16 bytes");
  OptionalOperands more(b, 3);
  const std::size_t policy = b.modifiers.has("L2::cache_hint") ? 1 : 0;
  if (more.left() > policy) {
    const ptx::Operand& limit = more.take("src-size");
    const bool is_predicate = is_predicate_register(b, limit);
    copy.source = is_predicate ? ThreadCopy::Source::ignored : ThreadCopy::Source::size;
    copy.limit = is_predicate ? b.predicate(limit) : b.in(limit, Type::u32);
  }
  more.take_cache_policy();
  more.finish();
  b.run(thread_copy);
}

Flow commit_group(Warp& warp, const Inst&, LaneMask active) {
  for_each_lane(active, [&](std::uint32_t lane) {
    warp.groups(Warp::Groups::cp_async, lane).commit(warp.cluster().queue());
  });
  return Flow::next;
}

Flow wait_group(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint64_t pending = inst.target;
  for_each_lane(active, [&](std::uint32_t lane) {
    warp.groups(Warp::Groups::cp_async, lane).wait(warp.cluster().queue(), pending);
  });
  return Flow::next;
}

Flow wait_all(Warp& warp, const Inst&, LaneMask active) {
  for_each_lane(active, [&](std::uint32_t lane) {
    warp.groups(Warp::Groups::cp_async, lane).wait_all(warp.cluster().queue());
  });
  return Flow::next;
}

void bind_wait_group(Binder& b) {
  b.inst().target = static_cast<std::uint32_t>(b.immediate_in(0, 0, 0x7FFFFFFF));
  b.run(wait_group);
}

struct CopyArrival {
  Address barrier;
  bool generic = false;
  bool counted = true;  ///< without .noinc: the arrival is added to those pending
};

/// Offset of a barrier in the own CTA's window.
std::uint32_t own_barrier(Warp& warp, const CopyArrival& arrival, std::uint32_t lane) {
  std::uint64_t address = arrival.barrier.of(warp, lane);
  if (arrival.generic) {
    const machine::SpaceAddress place = machine::from_generic(address);
    if (place.space != machine::Space::shared) {
      throw Fault(FaultKind::invalid_address_space, "mbarrier.space",
                  "the mbarrier at " + machine::hex(address) + " is not in shared memory", address);
    }
    address = place.address;
  }
  return warp.cluster()
      .shared_place(address & 0xFFFFFFFF, warp.cta().rank(), machine::SharedWindow::cta)
      .offset;
}

/// Lanes that arrive on one barrier, and the copies they wait for.
struct Arrivals {
  std::uint32_t offset = 0, count = 0, lane = 0;
  std::vector<machine::ItemId> after;
};

Flow copy_arrival(Warp& warp, const Inst& inst, LaneMask active) {
  const CopyArrival& arrival = info<CopyArrival>(inst);
  std::vector<Arrivals> all;
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) {
    const std::uint32_t offset = own_barrier(warp, arrival, lane);
    if (arrival.counted) warp.cta().mbarriers().add_pending(offset);
    if (all.empty() || all.back().offset != offset) all.push_back({offset, 0, lane, {}});
    Arrivals& group = all.back();
    ++group.count;
    const auto ids = warp.groups(Warp::Groups::cp_async, lane).outstanding(warp.cluster().queue());
    for (const machine::ItemId id : ids) {
      if (std::find(group.after.begin(), group.after.end(), id) == group.after.end()) {
        group.after.push_back(id);
      }
    }
  });
  for (Arrivals& group : all) {
    machine::issue_copy_arrival(warp.cluster(), {warp.cta().rank(), group.offset}, group.count,
                                std::move(group.after),
                                unit_actor(warp, machine::Unit::cp_async, group.lane),
                                warp.place(static_cast<int>(group.lane)));
  }
  return Flow::next;
}

void bind_copy_arrival(Binder& b) {
  CopyArrival& arrival = b.keep(CopyArrival{});
  arrival.barrier = b.address(0, NameSpace::shared);
  arrival.generic = !b.modifiers.has("shared") && !b.modifiers.has("shared::cta") &&
                    b.space_of_address(0) != NameSpace::shared;
  arrival.counted = !b.modifiers.has("noinc");
  b.run(copy_arrival);
}

constexpr std::array kOps{
    Op{"cp", "async ca|cg shared|shared::cta global [L2::cache_hint] [L2::64B|L2::128B|L2::256B]",
       "[d], [a], n, s?, p?", bind_thread_copy},
    Op{"cp", "async commit_group", "", [](Binder& b) { b.run(commit_group); }},
    Op{"cp", "async wait_group", "n", bind_wait_group},
    Op{"cp", "async wait_all", "", [](Binder& b) { b.run(wait_all); }},
    Op{"cp", "async mbarrier arrive [noinc] [shared|shared::cta] b64", "[a]", bind_copy_arrival},
};

}  // namespace

std::span<const Op> async_copy_ops() {
  return kOps;
}

}  // namespace lc::isa
