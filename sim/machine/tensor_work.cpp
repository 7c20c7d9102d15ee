#include "sim/machine/tensor_work.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/layout/smem_descriptor_rules.h"
#include "sim/machine/cluster.h"
#include "sim/machine/grid.h"

namespace lc::machine {
namespace {

/// Chains of the queue: one per CTA, or per pair under the rank of its even CTA.
constexpr std::uint64_t kTensorCoreChain = std::uint64_t{0x7C05} << 32;

/// Work of the tensor core on one CTA or a pair.
class TensorCoreWork : public AsyncWork {
 public:
  TensorCoreWork(const CtaGroup& group, const Actor& actor, Place place)
      : group_(group), actor_(actor), place_(std::move(place)) {}

 protected:
  Cluster& cluster() const { return group_.ctas[0]->cluster(); }

  CtaGroup group_;
  Actor actor_;
  Place place_;
};

class MatrixInstruction : public TensorCoreWork {
 public:
  MatrixInstruction(const CtaGroup& group, const Actor& actor, Place place,
                    const MmaRequest& request)
      : TensorCoreWork(group, actor, std::move(place)), request_(request) {}

  void write() override {
    if (cluster().events().watched()) tell();
    std::array<MmaCta, 2> ctas;
    for (std::uint32_t v = 0; v < group_.size; ++v) {
      ctas[v] = {&group_.ctas[v]->shared(), &group_.ctas[v]->tensor()};
    }
    execute_mma(request_, {ctas.data(), group_.size});
    warn();
  }

 private:
  void warn() const {
    Findings findings;
    decode_mma(request_, &findings);
    if (!request_.a_address) {
      findings.append(check_smem_descriptor_word(Arch::sm_100, request_.a_descriptor));
    }
    findings.append(check_smem_descriptor_word(Arch::sm_100, request_.b_descriptor));
    cluster().grid().warn(findings, place_);
  }

  void tell() const {
    using Operand = OperandRead::Operand;
    const MmaForm form = decode_mma(request_);
    const std::uint32_t rows = form.layout.rows, n = form.instruction.n;
    for (const Cta* cta : group_.all()) {
      if (request_.a_address) {
        tell(*cta, Operand::a, *request_.a_address, true, rows, form.stored_k);
      } else {
        tell(*cta, Operand::a, request_.a_descriptor, false, rows, form.stored_k);
      }
      tell(*cta, Operand::b, request_.b_descriptor, false, n / group_.size, form.k);
      if (request_.sparse) {
        tell(*cta, Operand::metadata, request_.metadata_address, true, rows, form.stored_k);
      }
      if (!mma_kind_row(request_.kind).block_scaled) continue;
      const std::uint32_t factors = form.stored_k / request_.scale_block;
      tell(*cta, Operand::scale_a, request_.sfa_address, true, rows, factors);
      tell(*cta, Operand::scale_b, request_.sfb_address, true, n, factors);
    }
  }

  void tell(const Cta& cta, OperandRead::Operand operand, std::uint64_t where, bool in_tensor,
            std::uint32_t mn, std::uint32_t k) const {
    cluster().events().emit([&] {
      OperandRead read{operand, cta.rank(), where, in_tensor, mn, k, cluster().queue().running(),
                       actor_,  place_};
      const MmaForm form = decode_mma(request_);
      const bool is_a = operand == OperandRead::Operand::a;
      read.major = is_a ? form.instruction.a_major : form.instruction.b_major;
      read.element = is_a ? form.a : form.b;
      read.container = form.container;
      return read;
    });
  }

  MmaRequest request_;
};

class CopyToTensorMemory : public TensorCoreWork {
 public:
  CopyToTensorMemory(const CtaGroup& group, const Actor& actor, Place place, const TmemCopy& copy)
      : TensorCoreWork(group, actor, std::move(place)), copy_(copy) {}

  /// In a pair each CTA is filled from its own shared memory (inferred from kernels).
  void write() override {
    for (Cta* cta : group_.all()) {
      tmem_copy(cta->tensor(), cta->shared(), copy_);
      if (cluster().events().watched()) tell(*cta);
    }
  }

 private:
  void tell(const Cta& cta) const {
    const TmemCopyRow shape = tmem_copy_row(copy_.shape);
    const SharedOperand rows{Arch::sm_100, copy_.descriptor, Major::k, Element::u8};
    for (const std::uint64_t cell : operand_cells(rows, shape.rows, shape.bytes)) {
      cluster().events().emit([&] {
        return UnitAccess{Space::shared,
                          Access::read,
                          Proxy::async,
                          shared_address(cta.rank(), static_cast<std::uint32_t>(cell)),
                          16,
                          cluster().queue().running(),
                          actor_};
      });
    }
  }

  TmemCopy copy_;
};

class ShiftOfTensorMemory : public TensorCoreWork {
 public:
  ShiftOfTensorMemory(const CtaGroup& group, const Actor& actor, Place place, std::uint32_t address)
      : TensorCoreWork(group, actor, std::move(place)), address_(address) {}
  void write() override {
    for (Cta* cta : group_.all()) tmem_shift(cta->tensor(), address_);
  }

 private:
  std::uint32_t address_;
};

class Commit : public AsyncWork {
 public:
  Commit(Cluster& cluster, std::vector<BarrierKey> barriers, const Actor& actor, Place place)
      : cluster_(cluster),
        barriers_(std::move(barriers)),
        actor_(actor),
        place_(std::move(place)) {}
  void write() override {
    for (const BarrierKey& barrier : barriers_) {
      cluster_.apply(barrier, MbarrierOp::arrive, 1, actor_, place_);
    }
  }

 private:
  Cluster& cluster_;
  std::vector<BarrierKey> barriers_;
  Actor actor_;
  Place place_;
};

class LoadOfTensorMemory : public AsyncWork {
 public:
  LoadOfTensorMemory(Warp& warp, const TmemTransfer& transfer, std::span<const Ref> registers)
      : cta_(warp.cta()),
        place_(warp.place(0)),
        frame_(warp.frame()),
        transfer_(transfer),
        registers_(registers.begin(), registers.end()) {}
  void write() override {
    std::array<std::uint32_t*, 128> to{};
    auto* base = reinterpret_cast<std::byte*>(frame_->registers.data());
    for (std::size_t r = 0; r < registers_.size(); ++r) {
      to[r] = reinterpret_cast<std::uint32_t*>(base + registers_[r].offset);
    }
    const Findings findings =
        tmem_load(cta_.tensor(), transfer_, std::span(to.data(), registers_.size()));
    cta_.cluster().grid().warn(findings, place_);
  }

 private:
  Cta& cta_;
  Place place_;
  std::shared_ptr<Frame> frame_;
  TmemTransfer transfer_;
  std::vector<Ref> registers_;
};

class StoreToTensorMemory : public AsyncWork {
 public:
  StoreToTensorMemory(Warp& warp, const TmemTransfer& transfer, std::span<const Ref> registers)
      : cta_(warp.cta()), place_(warp.place(0)), transfer_(transfer) {
    for (const Ref r : registers) {
      const std::uint32_t* lanes = warp.in32(r);
      values_.insert(values_.end(), lanes, lanes + kWarpLanes);
    }
  }
  void write() override {
    cta_.cluster().grid().warn(tmem_store(cta_.tensor(), transfer_, values_), place_);
  }

 private:
  Cta& cta_;
  Place place_;
  TmemTransfer transfer_;
  std::vector<std::uint32_t> values_;  ///< [register][lane]
};

AsyncItem new_item(Warp& warp, const char* what, std::int32_t lane) {
  AsyncItem item;
  item.what = what;
  item.actor = {Unit::tensor_core, warp.cta().rank(), static_cast<std::int32_t>(warp.number()),
                lane};
  item.place = warp.place(lane);
  return item;
}

template <class Work, class... What>
void issue_in_chain(Warp& warp, std::uint32_t lane, std::uint32_t cta_group, const char* name,
                    const What&... what) {
  const CtaGroup group = cta_group_of(warp, cta_group);
  AsyncItem item = new_item(warp, name, static_cast<std::int32_t>(lane));
  item.chain = kTensorCoreChain | group.ctas[0]->rank();
  item.work = std::make_unique<Work>(group, item.actor, item.place, what...);
  Cluster& cluster = warp.cluster();
  warp.tensor_core_work[lane] = cluster.queue().issue(std::move(item));
  cluster.changed();
}

}  // namespace

CtaGroup cta_group_of(Warp& warp, std::uint32_t cta_group) {
  Cluster& cluster = warp.cluster();
  Cta& own = warp.cta();
  CtaGroup group{{&own, nullptr}, cta_group};
  if (cta_group == 2) {
    const std::uint32_t even = own.rank() & ~1u;
    if (even + 1 >= cluster.size()) {
      throw Fault(FaultKind::illegal_instruction, "tmem.no-pair",
                  "cta_group::2 in a cluster of " + std::to_string(cluster.size()) + ": CTA " +
                      std::to_string(own.rank()) + " has no peer");
    }
    group.ctas = {&cluster.cta(even), &cluster.cta(even + 1)};
    if (cluster.cta(own.rank() ^ 1).finished()) {
      throw Fault(FaultKind::undefined, "tmem.peer-ended",
                  "the peer CTA has exited before this cta_group::2 instruction");
    }
  }
  for (Cta* cta : group.all()) cta->tensor().use_cta_group(cta_group);
  return group;
}

void issue_mma(Warp& warp, std::uint32_t lane, const MmaRequest& request) {
  issue_in_chain<MatrixInstruction>(warp, lane, request.cta_group, "matrix instruction", request);
}

void issue_tmem_copy(Warp& warp, std::uint32_t lane, std::uint32_t cta_group,
                     const TmemCopy& copy) {
  issue_in_chain<CopyToTensorMemory>(warp, lane, cta_group, "copy to Tensor Memory", copy);
}

void issue_tmem_shift(Warp& warp, std::uint32_t lane, std::uint32_t cta_group,
                      std::uint32_t address) {
  issue_in_chain<ShiftOfTensorMemory>(warp, lane, cta_group, "shift of Tensor Memory", address);
}

void issue_tensor_commit(Warp& warp, std::uint32_t lane, std::uint32_t cta_group,
                         BarrierKey barrier, std::optional<std::uint32_t> cta_mask) {
  cta_group_of(warp, cta_group);
  Cluster& cluster = warp.cluster();
  std::vector<BarrierKey> barriers{barrier};
  if (cta_mask) {
    if (*cta_mask >> cluster.size() != 0) {
      throw Fault(FaultKind::illegal_address, "commit.cta-mask",
                  "the CTA mask " + hex(*cta_mask) + " names CTAs outside the cluster of " +
                      std::to_string(cluster.size()));
    }
    barriers.clear();
    for_each_lane(*cta_mask, [&](std::uint32_t rank) {
      barriers.push_back({rank, barrier.offset});
    });
  }
  AsyncItem item = new_item(warp, "commit", static_cast<std::int32_t>(lane));
  // The chain runs in order: what the thread issued last comes after all it issued before.
  if (const ItemId last = warp.tensor_core_work[lane]; last != 0) item.after.push_back(last);
  item.signals = barriers;
  item.work = std::make_unique<Commit>(cluster, std::move(barriers), item.actor, item.place);
  cluster.queue().issue(std::move(item));
  cluster.changed();
}

void issue_tmem_load(Warp& warp, const TmemTransfer& transfer, std::span<const Ref> registers) {
  AsyncItem item = new_item(warp, "load of Tensor Memory", -1);
  item.work = std::make_unique<LoadOfTensorMemory>(warp, transfer, registers);
  AsyncQueue& queue = warp.cluster().queue();
  const ItemId id = queue.issue(std::move(item));
  if (!queue.reached(id, AsyncStage::done)) {
    warp.tensor_loads.push_back({id, warp.frame(), registers});
  }
  warp.cluster().changed();
}

void issue_tmem_store(Warp& warp, const TmemTransfer& transfer, std::span<const Ref> registers) {
  AsyncItem item = new_item(warp, "store to Tensor Memory", -1);
  item.work = std::make_unique<StoreToTensorMemory>(warp, transfer, registers);
  AsyncQueue& queue = warp.cluster().queue();
  const ItemId id = queue.issue(std::move(item));
  if (!queue.reached(id, AsyncStage::done)) warp.tensor_stores.push_back(id);
  warp.cluster().changed();
}

void finish_tmem_loads(Warp& warp) {
  for (const Warp::TensorLoad& load : std::exchange(warp.tensor_loads, {})) {
    warp.cluster().queue().wait_for(load.item);
  }
  warp.cluster().changed();
}

void finish_tmem_stores(Warp& warp) {
  for (const ItemId id : std::exchange(warp.tensor_stores, {})) {
    warp.cluster().queue().wait_for(id);
  }
  warp.cluster().changed();
}

}  // namespace lc::machine
