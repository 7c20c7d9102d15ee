#include "sim/machine/tensor_copy_work.h"

#include <memory>
#include <string>
#include <utility>

#include "sim/machine/fault.h"
#include "sim/machine/grid.h"

namespace lc::machine {
namespace {

/// What all destinations of a load share: the plan, and the bytes once they were read.
struct LoadSource {
  TmaPlan plan;
  std::vector<std::byte> packed;
  bool is_read = false;
};

void tell_shared(Cluster& cluster, const TmaPlan& plan, std::uint32_t rank, Access access,
                 const Actor& actor) {
  if (!cluster.events().watched()) return;
  for (const SharedPiece& piece : shared_pieces(plan)) {
    cluster.events().emit([&] {
      return UnitAccess{
          Space::shared, access,
          Proxy::async,  shared_address(rank, static_cast<std::uint32_t>(piece.address)),
          piece.bytes,   cluster.queue().running(),
          actor};
    });
  }
}

/// Rows of the box in global memory; neighbouring ones are told as one piece.
void tell_global(Cluster& cluster, const TmaPlan& plan, Access access, const Actor& actor) {
  if (!cluster.events().watched()) return;
  std::uint64_t begin = 0, end = 0;
  const auto flush = [&] {
    if (begin == end) return;
    cluster.events().emit([&] {
      return UnitAccess{Space::global, access,      Proxy::async,
                        begin,         end - begin, cluster.queue().running(),
                        actor};
    });
  };
  for (const TmaRow& row : plan.rows) {
    if (row.outside) continue;
    const std::uint64_t from = plan.global_address + static_cast<std::uint64_t>(row.global_offset) +
                               (access == Access::read ? plan.box.in_begin : 0);
    const std::uint64_t bytes =
        access == Access::read ? plan.box.in_end - plan.box.in_begin : plan.box.stored_end();
    if (from != end) {
      flush();
      begin = from;
    }
    end = from + bytes;
  }
  flush();
}

class TensorLoadWork : public AsyncWork {
 public:
  TensorLoadWork(Cluster& cluster, std::shared_ptr<LoadSource> source, std::uint32_t rank,
                 BarrierKey barrier, const Actor& actor, const Place& place)
      : cluster_(cluster),
        source_(std::move(source)),
        rank_(rank),
        barrier_(barrier),
        actor_(actor),
        place_(place) {}

  void read() override {
    if (source_->is_read) return;
    source_->packed = read_global(source_->plan, cluster_.global());
    source_->is_read = true;
    tell_global(cluster_, source_->plan, Access::read, actor_);
  }
  void write() override {
    write_shared(source_->plan, source_->packed, cluster_.cta(rank_).shared());
    tell_shared(cluster_, source_->plan, rank_, Access::write, actor_);
    cluster_.apply(barrier_, MbarrierOp::complete_tx, source_->plan.transaction_bytes(), actor_,
                   place_);
    cluster_.changed();
  }

 private:
  Cluster& cluster_;
  std::shared_ptr<LoadSource> source_;
  std::uint32_t rank_;
  BarrierKey barrier_;
  Actor actor_;
  Place place_;
};

class TensorStoreWork : public AsyncWork {
 public:
  TensorStoreWork(Cluster& cluster, TensorStore store)
      : cluster_(cluster), store_(std::move(store)) {
    if (reduces()) ++cluster_.reductions_in_flight;
  }

  void read() override {
    packed_ = read_shared(store_.plan, cluster_.cta(store_.rank).shared());
    tell_shared(cluster_, store_.plan, store_.rank, Access::read, store_.actor);
  }
  void write() override {
    write_global(store_.plan, packed_, store_.operation, cluster_.global());
    if (reduces()) --cluster_.reductions_in_flight;
    tell_global(cluster_, store_.plan, Access::write, store_.actor);
    cluster_.changed();
  }

 private:
  bool reduces() const { return store_.operation != TmaOperation::store; }

  Cluster& cluster_;
  TensorStore store_;
  std::vector<std::byte> packed_;
};

void warn_of_barriers(Cluster& cluster, const TensorLoad& load, std::uint32_t rank) {
  const auto covered = overwritten_barriers(load.plan, cluster.cta(rank).mbarriers());
  if (covered.empty()) return;
  cluster.grid().warn("tma.over-mbarrier",
                      "the box of a tensor load at shared address " +
                          hex(load.plan.box.smem_address) + " covers the live mbarrier at " +
                          hex(covered.front()),
                      load.place);
}

}  // namespace

void issue_tensor_load(Cluster& cluster, TensorLoad load) {
  const auto source = std::make_shared<LoadSource>();
  for (const TmaDestination& to : load.destinations) warn_of_barriers(cluster, load, to.rank);
  source->plan = std::move(load.plan);
  for (const TmaDestination& to : load.destinations) {
    const BarrierKey barrier{to.barrier_rank, load.barrier_offset};
    AsyncItem item;
    item.what = "tensor load";
    item.actor = load.actor;
    item.place = load.place;
    item.bytes = source->plan.transaction_bytes();
    item.signals.push_back(barrier);
    item.work =
        std::make_unique<TensorLoadWork>(cluster, source, to.rank, barrier, load.actor, load.place);
    cluster.events().emit([&] {
      return TensorCopyEvent{&load.map, &load.copy, true, to.rank, barrier, load.actor, load.place};
    });
    cluster.queue().issue(std::move(item));
  }
  cluster.changed();
}

ItemId issue_tensor_store(Cluster& cluster, TensorStore store) {
  AsyncItem item;
  item.what = store.operation == TmaOperation::store ? "tensor store" : "tensor reduction";
  item.actor = store.actor;
  item.place = store.place;
  item.bytes = store.plan.transaction_bytes();
  item.work = std::make_unique<TensorStoreWork>(cluster, std::move(store));
  cluster.changed();
  return cluster.queue().issue(std::move(item));
}

}  // namespace lc::machine
