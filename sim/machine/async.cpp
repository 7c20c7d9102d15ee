#include "sim/machine/async.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/machine/events.h"

namespace lc::machine {
namespace {

/// Hardware queues are finite too; this bounds what a guest that never waits can pile up.
constexpr std::size_t kMaxInFlight = 4096;

}  // namespace

ItemId AsyncQueue::issue(AsyncItem item) {
  const ItemId id = ++last_;
  if (item.chain != 0) {
    ItemId& end = chain_end_[item.chain];
    if (end != 0 && active_.count(end) != 0) item.after.push_back(end);
    end = id;
  }
  const auto at = active_.emplace(id, Active{std::move(item), AsyncStage::issued}).first;
  tell(id, AsyncStage::issued, at->second.item);
  if (active_.size() > kMaxInFlight) finish(active_.begin()->first);
  return id;
}

bool AsyncQueue::reached(ItemId id, AsyncStage stage) const {
  const auto at = active_.find(id);
  return at == active_.end() || at->second.stage >= stage;
}

bool AsyncQueue::is_ready(const Active& active) const {
  return std::all_of(active.item.after.begin(), active.item.after.end(),
                     [&](ItemId id) { return active_.count(id) == 0; });
}

void AsyncQueue::tell(ItemId id, AsyncStage stage, const AsyncItem& item) const {
  if (events_ != nullptr) events_->emit([&] { return AsyncEvent{id, stage, &item}; });
}

/// One stage of an item whose predecessors are done.
void AsyncQueue::step(ItemId id) {
  const auto at = active_.find(id);
  const Place place = at->second.item.place;
  const ItemId outer = std::exchange(running_, id);
  try {
    if (at->second.stage == AsyncStage::issued) {
      at->second.stage = AsyncStage::read;
      at->second.item.work->read();
      running_ = outer;
      tell(id, AsyncStage::read, at->second.item);
      return;
    }
    // Out of the queue first: the work may issue more.
    const Active done = std::move(at->second);
    active_.erase(at);
    done.item.work->write();
    running_ = outer;
    tell(id, AsyncStage::done, done.item);
  } catch (const Fault& fault) {
    rethrow_at(fault, place);
  }
}

/// The item and everything it comes after, oldest first: an order in which they can run.
std::vector<ItemId> AsyncQueue::needed_for(ItemId id) const {
  std::set<ItemId> needed;
  std::vector<ItemId> open{id};
  while (!open.empty()) {
    const ItemId next = open.back();
    open.pop_back();
    const auto at = active_.find(next);
    if (at == active_.end() || !needed.insert(next).second) continue;
    open.insert(open.end(), at->second.item.after.begin(), at->second.item.after.end());
  }
  return {needed.begin(), needed.end()};
}

void AsyncQueue::finish(ItemId id, AsyncStage stage) {
  for (const ItemId next : needed_for(id)) {
    // Predecessors must be done for the item to start at all.
    const AsyncStage goal = next == id ? stage : AsyncStage::done;
    while (!reached(next, goal)) step(next);
  }
}

void AsyncQueue::wait_for(ItemId id, AsyncStage stage) {
  if (events_ != nullptr) events_->emit([&] { return ItemWait{id}; });
  finish(id, stage);
}

std::vector<ItemId> AsyncQueue::all() const {
  std::vector<ItemId> ids;
  ids.reserve(active_.size());
  for (const auto& [id, active] : active_) ids.push_back(id);
  return ids;
}

std::vector<ItemId> AsyncQueue::ready_among(const std::vector<ItemId>& ids) const {
  std::vector<ItemId> ready;
  for (const ItemId id : ids) {
    if (is_ready(active_.at(id))) ready.push_back(id);
  }
  return ready;
}

void AsyncQueue::step_one_of(const std::vector<ItemId>& ids) {
  const std::vector<ItemId> ready = ready_among(ids);
  step(ready[random_.below(ready.size())]);
}

void AsyncQueue::tick() {
  if (active_.empty() || schedule_.kind == Schedule::Kind::lazy) return;
  if (schedule_.kind == Schedule::Kind::random) {
    if (random_.below(4) == 0) step_one_of(all());
    return;
  }
  for (const ItemId id : all()) finish(id);
}

bool AsyncQueue::progress_for(BarrierKey barrier) {
  std::vector<ItemId> touching;
  for (const InFlight& f : in_flight(&barrier)) touching.push_back(f.id);
  if (touching.empty()) return false;
  if (schedule_.kind != Schedule::Kind::random) {
    finish(touching.front());
  } else if (random_.below(2) == 0) {
    step_one_of(all());
  } else {
    step_one_of(needed_for(touching[random_.below(touching.size())]));
  }
  return true;
}

bool AsyncQueue::progress() {
  if (active_.empty()) return false;
  if (schedule_.kind == Schedule::Kind::random) {
    step_one_of(all());
  } else {
    finish(active_.begin()->first);
  }
  return true;
}

void AsyncQueue::drain() {
  while (progress()) {
  }
}

std::vector<InFlight> AsyncQueue::in_flight(const BarrierKey* barrier) const {
  std::vector<InFlight> found;
  for (const auto& [id, active] : active_) {
    const auto& signals = active.item.signals;
    if (barrier == nullptr ||
        std::find(signals.begin(), signals.end(), *barrier) != signals.end()) {
      found.push_back({id, active.stage, &active.item});
    }
  }
  return found;
}

void AsyncGroups::forget_done(const AsyncQueue& queue) {
  const auto done = [&](ItemId id) { return queue.reached(id, AsyncStage::done); };
  while (!groups_.empty() && std::all_of(groups_.front().begin(), groups_.front().end(), done)) {
    groups_.pop_front();
  }
}

void AsyncGroups::commit(const AsyncQueue& queue) {
  tell(queue, GroupEvent{GroupEvent::Kind::commit, this, &open_, 0});
  groups_.push_back(std::exchange(open_, {}));
  forget_done(queue);
}

void AsyncGroups::tell(const AsyncQueue& queue, const GroupEvent& event) {
  if (queue.events() != nullptr) queue.events()->emit([&] { return event; });
}

void AsyncGroups::wait(AsyncQueue& queue, std::uint64_t pending, AsyncStage stage) {
  tell(queue, GroupEvent{GroupEvent::Kind::wait, this, nullptr, pending});
  for (std::size_t i = 0; i < groups_.size() && groups_.size() - i > pending; ++i) {
    for (const ItemId id : groups_[i]) queue.finish(id, stage);
  }
  forget_done(queue);
}

void AsyncGroups::wait_all(AsyncQueue& queue) {
  tell(queue, GroupEvent{GroupEvent::Kind::wait_all, this, &open_, 0});
  wait(queue, 0);
  for (const ItemId id : std::exchange(open_, {})) queue.finish(id);
}

std::vector<ItemId> AsyncGroups::outstanding(const AsyncQueue& queue) const {
  std::vector<ItemId> ids;
  const auto take = [&](const std::vector<ItemId>& group) {
    for (const ItemId id : group) {
      if (!queue.reached(id, AsyncStage::done)) ids.push_back(id);
    }
  };
  for (const auto& group : groups_) take(group);
  take(open_);
  return ids;
}

}  // namespace lc::machine
