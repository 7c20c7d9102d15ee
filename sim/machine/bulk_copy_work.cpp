#include "sim/machine/bulk_copy_work.h"

#include <memory>
#include <utility>
#include <vector>

namespace lc::machine {
namespace {

class BulkCopyWork : public AsyncWork {
 public:
  BulkCopyWork(Cluster& cluster, const BulkCopy& copy) : cluster_(cluster), copy_(copy) {
    if (copy_.reduces_globally()) ++cluster_.reductions_in_flight;
  }

  void read() override {
    bytes_ = copy_.from.rank ? bulk_read(std::as_const(cluster_.cta(*copy_.from.rank)).shared(),
                                         copy_.from.address, copy_.bytes)
                             : bulk_read(cluster_.global(), copy_.from.address, copy_.bytes);
    tell(copy_.from, Access::read);
  }
  void write() override {
    if (copy_.to.rank) {
      bulk_write(cluster_.cta(*copy_.to.rank).shared(), copy_.to.address, bytes_, copy_.how);
    } else {
      bulk_write(cluster_.global(), copy_.to.address, bytes_, copy_.how);
    }
    if (copy_.reduces_globally()) --cluster_.reductions_in_flight;
    tell(copy_.to, Access::write);
    if (copy_.barrier) {
      cluster_.apply(*copy_.barrier, MbarrierOp::complete_tx, copy_.bytes, copy_.actor,
                     copy_.place);
    }
    cluster_.changed();
  }

 private:
  void tell(const BulkEnd& end, Access access) {
    cluster_.events().emit([&] {
      const std::uint64_t address =
          end.rank ? shared_address(*end.rank, static_cast<std::uint32_t>(end.address))
                   : end.address;
      return UnitAccess{end.rank ? Space::shared : Space::global,
                        access,
                        Proxy::async,
                        address,
                        copy_.bytes,
                        cluster_.queue().running(),
                        copy_.actor};
    });
  }

  Cluster& cluster_;
  BulkCopy copy_;
  std::vector<std::byte> bytes_;
};

}  // namespace

ItemId issue_bulk_copy(Cluster& cluster, BulkCopy copy) {
  AsyncItem item;
  item.what = copy.how.operation == TmaOperation::store ? "bulk copy" : "bulk reduction";
  item.actor = copy.actor;
  item.place = copy.place;
  item.bytes = copy.bytes;
  if (copy.barrier) item.signals.push_back(*copy.barrier);
  item.work = std::make_unique<BulkCopyWork>(cluster, copy);
  cluster.changed();
  return cluster.queue().issue(std::move(item));
}

}  // namespace lc::machine
