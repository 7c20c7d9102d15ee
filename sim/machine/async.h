#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/machine/actor.h"
#include "sim/machine/fault.h"
#include "sim/machine/schedule.h"

namespace lc::machine {

class Events;
struct GroupEvent;

/// Issued work, numbered 1, 2, … in order of issue; 0 is none.
using ItemId = std::uint64_t;

/// How far an item is.  `read`: its sources are read and may change (`wait_group.read`);
/// `done`: its results stand and its barriers were signalled.
enum class AsyncStage : std::uint8_t { issued, read, done };

/// What an item does when its time comes.
class AsyncWork {
 public:
  virtual ~AsyncWork() = default;
  virtual void read() {}
  virtual void write() = 0;
};

/// An mbarrier in a cluster.
struct BarrierKey {
  std::uint32_t cta_rank = 0;
  std::uint32_t offset = 0;

  constexpr auto operator<=>(const BarrierKey&) const = default;
};

struct AsyncItem {
  const char* what = "";  ///< for reports: "tensor load"
  Actor actor;
  Place place;
  std::uint64_t bytes = 0;          ///< for reports
  std::uint64_t chain = 0;          ///< items with the same number, not 0, complete in order
  std::vector<ItemId> after;        ///< items that complete first
  std::vector<BarrierKey> signals;  ///< barriers that its completion touches
  std::unique_ptr<AsyncWork> work;
};

/// An item as reports see it.
struct InFlight {
  ItemId id = 0;
  AsyncStage stage = AsyncStage::issued;
  const AsyncItem* item = nullptr;
};

/// The asynchronous work of one cluster.  It runs nothing by itself: the caller issues items,
/// passes time (`tick`), and says who waits for what.  Which item runs next depends on the
/// schedule, the stream number and the order of calls only.
///
/// A Fault thrown by an item gets the place of the instruction that issued it.
class AsyncQueue {
 public:
  /// `stream` tells clusters apart: the number of the cluster in its grid.  `events`, if any, hears
  /// of every item when it is issued, has read its sources and is done.
  AsyncQueue(Schedule schedule, std::uint64_t stream, const Events* events = nullptr)
      : schedule_(schedule), random_(schedule.seed, stream), events_(events) {}

  ItemId issue(AsyncItem item);
  /// A step of the machine went by: under an eager schedule everything completes, under a random
  /// one something may, so conditions are tested after it, not before.
  void tick();
  /// Every runnable warp of the cluster waits, one of them for this barrier.  False when no item
  /// in flight touches it.
  bool progress_for(BarrierKey barrier);
  /// Nothing in flight touches a barrier that is waited for: other work may still wake a thread.
  /// False when nothing is in flight.
  bool progress();
  /// Brings an item, and all it comes after, to a stage.
  void finish(ItemId id, AsyncStage stage = AsyncStage::done);
  /// The same for a warp that waits for it: observers hear of it, done or not.
  void wait_for(ItemId id, AsyncStage stage = AsyncStage::done);
  /// The end of the grid: everything completes.
  void drain();

  bool reached(ItemId id, AsyncStage stage) const;
  std::size_t count() const { return active_.size(); }
  /// The item whose work is being done, for events; 0: none.
  ItemId running() const { return running_; }
  /// Work that touches a barrier, oldest first; everything in flight without an argument.
  std::vector<InFlight> in_flight(const BarrierKey* barrier = nullptr) const;
  const Events* events() const { return events_; }

 private:
  struct Active {
    AsyncItem item;
    AsyncStage stage = AsyncStage::issued;
  };

  bool is_ready(const Active& active) const;
  std::vector<ItemId> needed_for(ItemId id) const;
  std::vector<ItemId> ready_among(const std::vector<ItemId>& ids) const;
  std::vector<ItemId> all() const;
  void step(ItemId id);
  void tell(ItemId id, AsyncStage stage, const AsyncItem& item) const;
  void step_one_of(const std::vector<ItemId>& ids);

  Schedule schedule_;
  RandomStream random_;
  const Events* events_;
  ItemId last_ = 0, running_ = 0;
  std::map<ItemId, Active> active_;
  std::unordered_map<std::uint64_t, ItemId> chain_end_;
};

/// The groups of one thread: `commit_group` closes one, `wait_group N` lets the N most recent be
/// pending.  cp.async, bulk copies and wgmma count theirs separately.
class AsyncGroups {
 public:
  void add(ItemId id) { open_.push_back(id); }
  void commit(const AsyncQueue& queue);
  /// Completes, or reads, all groups but the `pending` most recent ones.
  void wait(AsyncQueue& queue, std::uint64_t pending, AsyncStage stage = AsyncStage::done);
  /// wait_all: what was not committed too.
  void wait_all(AsyncQueue& queue);
  /// Items not done, committed or not: what cp.async.mbarrier.arrive and tcgen05.commit track.
  std::vector<ItemId> outstanding(const AsyncQueue& queue) const;
  std::size_t committed() const { return groups_.size(); }

 private:
  void forget_done(const AsyncQueue& queue);
  static void tell(const AsyncQueue& queue, const GroupEvent& event);

  std::vector<ItemId> open_;
  std::deque<std::vector<ItemId>> groups_;
};

}  // namespace lc::machine
