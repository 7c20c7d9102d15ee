#include "sim/machine/thread_copy_work.h"

#include <cstring>
#include <memory>
#include <utility>

namespace lc::machine {
namespace {

class ThreadCopyWork : public AsyncWork {
 public:
  ThreadCopyWork(Cluster& cluster, std::vector<LaneCopy> copies, const Actor& actor)
      : cluster_(cluster), copies_(std::move(copies)), actor_(actor), bytes_(copies_.size()) {}

  void read() override {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      bytes_[i] = {};
      if (copies_[i].from != nullptr) {
        std::memcpy(bytes_[i].data(), copies_[i].from, copies_[i].source_bytes);
      }
    }
    tell(Space::global, Access::read);
  }
  void write() override {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      std::memcpy(copies_[i].to, bytes_[i].data(), copies_[i].bytes);
    }
    tell(Space::shared, Access::write);
    cluster_.changed();
  }

 private:
  /// Neighbouring lanes that touch neighbouring bytes are told as one piece.
  void tell(Space space, Access access) {
    if (!cluster_.events().watched()) return;
    UnitAccess piece{space, access, Proxy::generic, 0, 0, cluster_.queue().running(), actor_};
    const auto flush = [&] {
      if (piece.bytes != 0) cluster_.events().emit([&] { return piece; });
    };
    for (const LaneCopy& copy : copies_) {
      const bool source = access == Access::read;
      const std::uint64_t at = source ? copy.from_address : copy.to_address;
      const std::uint64_t bytes = source ? copy.source_bytes : copy.bytes;
      if (bytes == 0) continue;
      if (piece.bytes == 0 || piece.address + piece.bytes != at) {
        flush();
        piece.address = at;
        piece.bytes = 0;
      }
      piece.bytes += bytes;
    }
    flush();
  }

  Cluster& cluster_;
  std::vector<LaneCopy> copies_;
  Actor actor_;
  std::vector<std::array<std::byte, 16>> bytes_;
};

class CopyArrivalWork : public AsyncWork {
 public:
  CopyArrivalWork(Cluster& cluster, BarrierKey barrier, std::uint32_t count, const Actor& actor,
                  const Place& place)
      : cluster_(cluster), barrier_(barrier), count_(count), actor_(actor), place_(place) {}

  void write() override {
    cluster_.apply(barrier_, MbarrierOp::arrive, count_, actor_, place_);
    cluster_.changed();
  }

 private:
  Cluster& cluster_;
  BarrierKey barrier_;
  std::uint32_t count_;
  Actor actor_;
  Place place_;
};

}  // namespace

ItemId issue_thread_copies(Cluster& cluster, std::vector<LaneCopy> copies, const Actor& actor,
                           const Place& place) {
  AsyncItem item;
  item.what = "cp.async";
  item.actor = actor;
  item.place = place;
  for (const LaneCopy& copy : copies) item.bytes += copy.bytes;
  item.work = std::make_unique<ThreadCopyWork>(cluster, std::move(copies), actor);
  cluster.changed();
  return cluster.queue().issue(std::move(item));
}

void issue_copy_arrival(Cluster& cluster, BarrierKey barrier, std::uint32_t count,
                        std::vector<ItemId> after, const Actor& actor, const Place& place) {
  AsyncItem item;
  item.what = "arrival after cp.async";
  item.actor = actor;
  item.place = place;
  item.after = std::move(after);
  item.signals.push_back(barrier);
  item.work = std::make_unique<CopyArrivalWork>(cluster, barrier, count, actor, place);
  cluster.changed();
  cluster.queue().issue(std::move(item));
}

}  // namespace lc::machine
