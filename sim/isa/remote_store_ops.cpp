#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/isa/families.h"
#include "sim/isa/location.h"
#include "sim/isa/reduction_names.h"
#include "sim/machine/grid.h"

// st.async and red.async (PTX ISA 9.0, 9.7.9.12 and 9.7.13.7): each lane hands its store to a unit
// that does it later.  In shared memory of the cluster the bytes count on an mbarrier of the same
// CTA; in global memory they are done when the grid ends.
namespace lc::isa {
namespace {

using machine::Actor;
using machine::BarrierKey;
using machine::Fault;
using machine::FaultKind;
using machine::Place;
using machine::ReductionType;
using machine::Space;
using machine::Wait;

struct Remote {
  Location location;
  Location barrier;
  bool to_global = false;
  TmaOperation operation = TmaOperation::store;
  ReductionType type = ReductionType::u32;
  std::uint32_t element_bytes = 4;
  std::vector<Sized> sources;

  std::uint32_t bytes() const { return element_bytes * static_cast<std::uint32_t>(sources.size()); }
};

/// The store of one lane.
class RemoteStore : public machine::AsyncWork {
 public:
  machine::Cluster* cluster = nullptr;
  const Remote* how = nullptr;
  std::byte* target = nullptr;
  std::uint64_t address = 0;
  std::array<std::byte, 32> data{};
  std::optional<BarrierKey> barrier;
  Actor actor;
  Place place;

  void write() override {
    const std::uint32_t bytes = how->bytes();
    machine::reduce_bytes(how->operation, how->type, target, data.data(), bytes);
    cluster->events().emit([&] {
      return machine::UnitAccess{how->to_global ? Space::global : Space::shared,
                                 Access::write,
                                 machine::Proxy::generic,
                                 address,
                                 bytes,
                                 0,
                                 actor};
    });
    cluster->changed();
    if (how->to_global) --cluster->reductions_in_flight;
    if (barrier) cluster->apply(*barrier, MbarrierOp::complete_tx, bytes, actor, place);
  }
};

void collect(const Warp& warp, const Remote& r, std::uint32_t lane, std::byte* to) {
  for (const Sized& s : r.sources) {
    const std::uint64_t word =
        s.width == LaneWidth::b64 ? warp.in64(s.ref)[lane] : warp.in32(s.ref)[lane];
    std::memcpy(to, &word, r.element_bytes);
    to += r.element_bytes;
  }
}

/// Where the bytes go and which barrier counts them: both in one CTA.
void aim_at_shared(Warp& warp, const Remote& r, std::uint64_t address, std::uint64_t barrier,
                   RemoteStore& work) {
  const auto target = shared_place(warp, r.location.window, address);
  const auto counter = shared_place(warp, r.barrier.window, barrier);
  if (target.cta != counter.cta) {
    throw Fault(FaultKind::undefined, "async-store.cta",
                "an asynchronous store to CTA " + std::to_string(target.cta->rank()) +
                    " counts on an mbarrier of CTA " + std::to_string(counter.cta->rank()) +
                    "; both must lie in one CTA",
                address);
  }
  work.target = target.cta->shared().bytes(target.offset, r.bytes(), r.bytes(), Access::write);
  work.address = machine::shared_address(target.cta->rank(), target.offset);
  work.barrier = BarrierKey{counter.cta->rank(), counter.offset};
}

void issue(Warp& warp, const Remote& r, std::uint64_t address, std::uint64_t barrier,
           std::uint32_t lane) {
  auto work = std::make_unique<RemoteStore>();
  work->cluster = &warp.cluster();
  work->how = &r;
  work->actor = warp.actor(lane);
  work->actor.unit = machine::Unit::remote_store;
  work->place = warp.place(static_cast<int>(lane));
  collect(warp, r, lane, work->data.data());
  machine::AsyncItem item;
  item.what = r.operation == TmaOperation::store ? "asynchronous store" : "asynchronous reduction";
  item.actor = work->actor;
  item.place = work->place;
  item.bytes = r.bytes();
  if (r.to_global) {
    work->target = warp.at(r.location.window, address, r.bytes(), r.bytes(), Access::write, lane);
    work->address = address;
    ++warp.cluster().reductions_in_flight;
  } else {
    aim_at_shared(warp, r, address, barrier, *work);
    item.signals.push_back(*work->barrier);
  }
  item.work = std::move(work);
  warp.cluster().queue().issue(std::move(item));
}

Flow remote_store(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& r = info<Remote>(inst);
  if (r.to_global && !warp.cluster().has_turn()) {
    return warp.wait(active, {.kind = Wait::Kind::turn});
  }
  std::uint64_t addresses[kWarpLanes], barriers[kWarpLanes] = {};
  r.location.of(warp, active, addresses);
  if (!r.to_global) {
    r.barrier.of(warp, active, barriers);
    if (warp.cluster().size() == 1) {
      warp.cluster().grid().warn("async-store.cluster",
                                 "asynchronous stores are defined in clusters of more than one CTA",
                                 warp.place());
    }
  }
  for_each_lane(active,
                [&](std::uint32_t lane) { issue(warp, r, addresses[lane], barriers[lane], lane); });
  warp.cluster().changed();
  return Flow::next;
}

void bind_remote(Binder& b, bool to_global) {
  const Modifiers& m = b.modifiers;
  const Type type = m.type();
  Remote r;
  r.to_global = to_global;
  r.operation = operation_named(m["op"]);
  r.type = reduction_of(type);
  r.element_bytes = ptx::row_of(type).bits / 8;
  r.location = locate(b, 0, to_global ? "global" : m["ss"]);
  if (!to_global) r.barrier = locate(b, 2, m["ss"]);
  const std::uint32_t count = m["vec"].empty() ? 1 : m.number("vec");
  if (b.elements(1).size() != count) {
    b.fail(b.operand(1), std::to_string(count) + " registers are expected here");
  }
  for (const ptx::Operand& o : b.elements(1)) r.sources.push_back(b.sized_in(o, type));
  if (m.has("mmio") && !m.has("sys")) b.fail("`.mmio` comes with `.sys`");
  b.keep(std::move(r));
  b.run(remote_store);
}

void bind_to_shared(Binder& b) {
  bind_remote(b, false);
}
void bind_to_global(Binder& b) {
  bind_remote(b, true);
}

#define LC_SHARED "[ss=shared::cluster] mbarrier::complete_tx::bytes "
#define LC_REDUCED "async relaxed cluster [ss=shared::cluster] [mbarrier::complete_tx::bytes] "

constexpr std::array kOps{
    Op{"st", "async [weak] [cluster] " LC_SHARED "[vec=v2|v4] type=b32|b64|u32|u64|s32|s64|f32|f64",
       "[a], b, [mbar]", bind_to_shared},
    Op{"st",
       "async [mmio] release gpu|sys [global] type=b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|"
       "f32|f64",
       "[a], b", bind_to_global},
    Op{"red", LC_REDUCED "op=inc|dec type=u32", "[a], b, [mbar]", bind_to_shared},
    Op{"red", LC_REDUCED "op=min|max type=u32|s32", "[a], b, [mbar]", bind_to_shared},
    Op{"red", LC_REDUCED "op=and|or|xor type=b32", "[a], b, [mbar]", bind_to_shared},
    Op{"red", LC_REDUCED "op=add type=u32|s32|u64", "[a], b, [mbar]", bind_to_shared},
    Op{"red", "async [mmio] release gpu|cluster|sys [global] op=add type=u32|s32|u64|s64", "[a], b",
       bind_to_global},
};

}  // namespace

std::span<const Op> remote_store_ops() {
  return kOps;
}

}  // namespace lc::isa
