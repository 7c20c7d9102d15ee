#include "sim/observe/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/layout/smem_descriptor.h"
#include "sim/machine/cluster.h"

namespace lc::observe {
namespace {

using machine::Unit;

constexpr std::uint64_t kMaxOps = 4'000'000;

Lane lane_of(const machine::AsyncItem& item) {
  const std::string_view what = item.what;
  switch (item.actor.unit) {
    case Unit::tma:
    case Unit::bulk_copy:
      return Lane::tma;
    case Unit::cp_async:
      return item.bytes != 0 ? Lane::cp_async : Lane::none;
    case Unit::tensor_core:
      if (what.find("commit") != std::string_view::npos) return Lane::none;
      return what.starts_with("load of") || what.starts_with("store to") ? Lane::tmem : Lane::mma;
    default:
      return Lane::none;
  }
}

std::uint32_t line_of(const machine::Place& place) {
  return place.line > 0 ? static_cast<std::uint32_t>(place.line) : 0;
}

}  // namespace

WarpRecord* Timeline::current() {
  return current_ < record_.warps.size() ? &record_.warps[current_] : nullptr;
}

void Timeline::add(WarpOp::Kind kind, std::uint64_t value) {
  WarpRecord* warp = current();
  if (warp == nullptr) return;
  if (kept_ >= kMaxOps) {
    record_.cut = true;
    return;
  }
  // The same wait for several lanes is one.
  if (!warp->ops.empty() && kind != WarpOp::Kind::arrive) {
    WarpOp& last = warp->ops.back();
    if (last.kind == kind && kind == WarpOp::Kind::steps) {
      last.value += value;
      return;
    }
    if (last.kind == kind && last.value == value) return;
  }
  ++kept_;
  warp->ops.push_back({kind, line_, value});
}

void Timeline::see(const machine::ClusterEvent& event) {
  listening_ = event.cluster->number() == number_;
  if (!listening_ || !record_.ctas.empty()) return;
  record_.is_sm_90 = event.cluster->arch() == Arch::sm_90;
  for (std::uint32_t rank = 0; rank < event.cluster->size(); ++rank) {
    record_.ctas.push_back(event.cluster->cta(rank).index());
  }
}

void Timeline::see(const machine::StepEvent& event) {
  if (!listening_) return;
  const std::pair<std::uint32_t, std::uint32_t> key{event.actor.cta_rank,
                                                    static_cast<std::uint32_t>(event.actor.warp)};
  const auto [at, is_new] = warps_.try_emplace(key, record_.warps.size());
  if (is_new) record_.warps.push_back({key.first, key.second, {}});
  current_ = at->second;
  line_ = event.inst->line;
  if (!event.resumed && !polling_.contains(current_)) add(WarpOp::Kind::steps, 1);
}

void Timeline::see(const machine::AsyncEvent& event) {
  if (!listening_) return;
  if (event.stage == machine::AsyncStage::issued) {
    const machine::AsyncItem& from = *event.what;
    ItemRecord item;
    item.what = from.what;
    item.lane = lane_of(from);
    item.rank = from.actor.cta_rank;
    item.line = line_of(from.place);
    item.bytes = from.bytes;
    item.after = from.after;
    if (item.lane == Lane::tma && !from.signals.empty()) {
      const auto stage =
          stages_.try_emplace(from.signals.front().offset, static_cast<int>(stages_.size()));
      item.stage = stage.first->second;
      item.is_load = true;
    }
    if (item.lane == Lane::cp_async) item.is_load = true;
    record_.items[event.item] = std::move(item);
    add(WarpOp::Kind::issue, event.item);
  } else if (event.stage == machine::AsyncStage::done) {
    const auto item = record_.items.find(event.item);
    if (item != record_.items.end()) item->second.contributes = by_unit_;
    by_unit_.clear();
  }
}

void Timeline::see(const machine::UnitAccess& event) {
  if (!listening_ || event.space != machine::Space::shared) return;
  const auto item = record_.items.find(event.item);
  if (item == record_.items.end() || event.access != machine::Access::write) return;
  if (item->second.stage < 0) return;
  const auto address = static_cast<std::uint32_t>(event.address);
  const std::uint32_t first = machine::shared_offset(address);
  written_[{machine::shared_rank(address), first}] = {first + event.bytes, item->second.stage};
}

/// The stage whose load wrote the byte.
int Timeline::stage_at(std::uint32_t rank, std::uint64_t address) const {
  auto at = written_.upper_bound({rank, static_cast<std::uint32_t>(address)});
  if (at == written_.begin()) return -1;
  --at;
  return at->first.first == rank && address < at->second.first ? at->second.second : -1;
}

void Timeline::see(const machine::OperandRead& event) {
  if (!listening_) return;
  const auto item = record_.items.find(event.item);
  if (item == record_.items.end()) return;
  using Operand = machine::OperandRead::Operand;
  // Both CTAs of a pair tell; each has its own tensor core, which works on its rows.
  if (event.cta_rank != item->second.rank) return;
  if (event.operand == Operand::a) a_rows_[event.item] = event.mn;
  if (event.operand == Operand::b) {
    const auto rows = a_rows_.find(event.item);
    const std::uint64_t m = rows == a_rows_.end() ? 64 : rows->second;
    item->second.multiply_adds = m * event.mn * event.k;
    if (rows != a_rows_.end()) a_rows_.erase(rows);
  }
  if (event.in_tensor_memory || item->second.stage >= 0) return;
  const auto d = decode_smem_descriptor(event.arch, event.descriptor);
  item->second.stage = stage_at(event.cta_rank, d.fields.start_address);
}

PhaseId Timeline::phase_of(machine::BarrierKey key, std::uint64_t phase) {
  const Barrier& barrier = barriers_[key];
  const auto [at, is_new] = phase_ids_.try_emplace({key.cta_rank, key.offset, barrier.life, phase},
                                                   static_cast<PhaseId>(record_.phases.size()));
  if (is_new) record_.phases.push_back({fmt::format("mbarrier 0x{:x}", key.offset), 0});
  return at->second;
}

void Timeline::see(const machine::BarrierEvent& event) {
  if (!listening_) return;
  Barrier& barrier = barriers_[event.barrier];
  if (event.before.phase < barrier.phase) ++barrier.life;
  barrier.phase = event.after.phase;
  const PhaseId phase = phase_of(event.barrier, event.before.phase);
  ++record_.phases[phase].contributions;
  if (event.actor.unit == Unit::thread) {
    add(WarpOp::Kind::arrive, phase);
  } else {
    by_unit_.push_back(phase);
  }
}

void Timeline::see(const machine::BarrierWait& event) {
  if (!listening_) return;
  if (!event.passed) {
    polling_.insert(current_);
    return;
  }
  polling_.erase(current_);
  const auto barrier = barriers_.find(event.barrier);
  if (barrier == barriers_.end()) return;
  // The last complete phase of that parity.
  const std::uint64_t open = barrier->second.phase;
  const std::uint64_t back = ((open - 1) & 1) == (event.parity & 1) ? 1 : 2;
  if (open >= back) add(WarpOp::Kind::wait_phase, phase_of(event.barrier, open - back));
}

void Timeline::wait_for(const std::vector<ItemId>& items) {
  for (const ItemId id : items) add(WarpOp::Kind::wait_item, id);
}

void Timeline::see(const machine::GroupEvent& event) {
  if (!listening_) return;
  auto& groups = groups_[event.groups];
  if (event.kind == machine::GroupEvent::Kind::commit) {
    groups.push_back(*event.items);
    return;
  }
  const std::uint64_t pending =
      event.kind == machine::GroupEvent::Kind::wait_all ? 0 : event.pending;
  while (groups.size() > pending) {
    wait_for(groups.front());
    groups.pop_front();
  }
  if (event.kind == machine::GroupEvent::Kind::wait_all) wait_for(*event.items);
}

void Timeline::see(const machine::ItemWait& event) {
  if (listening_) wait_for({event.item});
}

void Timeline::see(const machine::MeetEvent& event) {
  if (!listening_) return;
  const auto [at, is_new] = meetings_.try_emplace({event.counter, event.due},
                                                  static_cast<PhaseId>(record_.phases.size()));
  if (is_new) record_.phases.push_back({"a barrier of warps", 0});
  if (event.arrives) {
    ++record_.phases[at->second].contributions;
    add(WarpOp::Kind::arrive, at->second);
  }
  if (event.waits) add(WarpOp::Kind::wait_phase, at->second);
}

}  // namespace lc::observe
