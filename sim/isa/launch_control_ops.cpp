#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "sim/isa/families.h"
#include "sim/isa/lanewise.h"
#include "sim/isa/location.h"
#include "sim/machine/grid.h"

// clusterlaunchcontrol (PTX ISA 9.0, 9.7.13.17 and 9.7.13.18).  The response is opaque to programs;
// here it is
//
//     bytes 0..3  4..7  8..11   the first CTA's %ctaid: x, y, z
//     bytes 12..15              1: a cluster was cancelled, 0: all were launched already
namespace lc::isa {
namespace {

using machine::BarrierKey;
using machine::Cta;
using machine::Wait;

constexpr std::uint32_t kResponseBytes = 16;
using Response = std::array<std::uint32_t, 4>;

struct TryCancel {
  Location response, barrier;
  bool multicast = false;
};

/// The answer on its way to one CTA, or with .multicast to all.
class Answer : public machine::AsyncWork {
 public:
  struct Target {
    Cta* cta = nullptr;
    std::uint32_t offset = 0;
    BarrierKey barrier;
  };

  Response response{};
  std::vector<Target> targets;
  machine::Actor actor;
  machine::Place place;

  void write() override {
    for (const Target& t : targets) {
      std::memcpy(t.cta->shared().bytes(t.offset, kResponseBytes, kResponseBytes, Access::write),
                  response.data(), kResponseBytes);
      machine::Cluster& cluster = t.cta->cluster();
      cluster.events().emit([&] {
        return machine::UnitAccess{machine::Space::shared,
                                   Access::write,
                                   machine::Proxy::async,
                                   machine::shared_address(t.cta->rank(), t.offset),
                                   kResponseBytes,
                                   0,
                                   actor};
      });
      cluster.changed();
      cluster.apply(t.barrier, MbarrierOp::complete_tx, kResponseBytes, actor, place);
    }
  }
};

Response ask(machine::Grid& grid) {
  const std::optional<std::array<std::uint32_t, 3>> cancelled = grid.cancel_one();
  if (!cancelled) return {};
  return {(*cancelled)[0], (*cancelled)[1], (*cancelled)[2], 1};
}

void issue(Warp& warp, const TryCancel& t, std::uint64_t response, std::uint64_t barrier,
           std::uint32_t lane) {
  machine::Cluster& cluster = warp.cluster();
  const auto to = shared_place(warp, t.response.window, response);
  const auto counter = shared_place(warp, t.barrier.window, barrier);
  if (to.cta != &warp.cta() || counter.cta != &warp.cta()) {
    throw machine::Fault(machine::FaultKind::invalid_address_space, "launch-control.remote",
                         "the response and its mbarrier lie in the executing CTA", response);
  }
  to.cta->shared().bytes(to.offset, kResponseBytes, kResponseBytes, Access::write);
  auto answer = std::make_unique<Answer>();
  answer->actor = warp.actor(lane);
  answer->place = warp.place(static_cast<int>(lane));
  answer->response = ask(cluster.grid());
  machine::AsyncItem item;
  item.what = "launch cancellation";
  item.actor = answer->actor;
  item.place = answer->place;
  item.bytes = kResponseBytes;
  for (std::uint32_t rank = 0; rank < cluster.size(); ++rank) {
    if (!t.multicast && rank != warp.cta().rank()) continue;
    const BarrierKey key{rank, counter.offset};
    answer->targets.push_back({&cluster.cta(rank), to.offset, key});
    item.signals.push_back(key);
  }
  item.work = std::move(answer);
  cluster.queue().issue(std::move(item));
}

Flow try_cancel(Warp& warp, const Inst& inst, LaneMask active) {
  if (!warp.cluster().has_turn()) return warp.wait(active, {.kind = Wait::Kind::turn});
  const auto& t = info<TryCancel>(inst);
  std::uint64_t responses[kWarpLanes], barriers[kWarpLanes];
  t.response.of(warp, active, responses);
  t.barrier.of(warp, active, barriers);
  for_each_lane(active,
                [&](std::uint32_t lane) { issue(warp, t, responses[lane], barriers[lane], lane); });
  warp.cluster().changed();
  return Flow::next;
}

void bind_try_cancel(Binder& b) {
  const std::string_view space = b.modifiers["ss"];
  b.keep(TryCancel{locate(b, 0, space), locate(b, 1, space),
                   b.modifiers.has("multicast::cluster::all")});
  b.run(try_cancel);
}

/// 32-bit word `i` of a lane's response.
std::uint32_t word(const Warp& warp, Ref response, std::uint32_t lane, std::uint32_t i) {
  const std::uint64_t half = warp.in64(response)[2 * lane + i / 2];
  return static_cast<std::uint32_t>(half >> 32 * (i % 2));
}

Flow is_canceled(Warp& warp, const Inst& inst, LaneMask active) {
  LaneMask value = 0;
  for_each_lane(active, [&](std::uint32_t lane) {
    if (word(warp, inst.op[1], lane, 3) == 1) value |= 1u << lane;
  });
  warp.set_predicate(inst.op[0], active, value);
  return Flow::next;
}

void bind_is_canceled(Binder& b) {
  b.inst().op[0] = b.out_predicate(0);
  b.inst().op[1] = b.in(1, Type::b128);
  b.run(is_canceled);
}

/// op[0]: the response; the listed registers take the words from `first` on.
template <std::uint32_t first>
Flow first_ctaid(Warp& warp, const Inst& inst, LaneMask active) {
  for (std::uint32_t i = 0; i < inst.count; ++i) {
    std::uint32_t* d = warp.out32(warp.listed(inst, i));
    for_each_lane(active,
                  [&](std::uint32_t lane) { d[lane] = word(warp, inst.op[0], lane, first + i); });
  }
  return Flow::next;
}

void bind_first_ctaid(Binder& b) {
  const auto elements = b.elements(0);
  if (elements.size() != 4) b.fail(b.operand(0), "four registers are expected here");
  b.inst().op[0] = b.in(1, Type::b128);
  for (std::size_t i = 0; i < 3; ++i) b.list(b.out(elements[i], Type::b32));
  b.run(first_ctaid<0>);
}

void bind_first_ctaid_dimension(Binder& b) {
  b.inst().op[0] = b.in(1, Type::b128);
  b.list(b.out(0, Type::b32));
  const std::string_view dimension = b.modifiers["dimension"];
  b.run(dimension.back() == 'x'   ? first_ctaid<0>
        : dimension.back() == 'y' ? first_ctaid<1>
                                  : first_ctaid<2>);
}

constexpr std::array kOps{
    Op{"clusterlaunchcontrol",
       "try_cancel async [ss=shared::cta] mbarrier::complete_tx::bytes [multicast::cluster::all] "
       "b128",
       "[addr], [mbar]", bind_try_cancel},
    Op{"clusterlaunchcontrol", "query_cancel is_canceled pred b128", "p, response",
       bind_is_canceled},
    Op{"clusterlaunchcontrol", "query_cancel get_first_ctaid v4 b32 b128", "{d}, response",
       bind_first_ctaid},
    Op{"clusterlaunchcontrol",
       "query_cancel dimension=get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128",
       "d, response", bind_first_ctaid_dimension},
};

}  // namespace

std::span<const Op> launch_control_ops() {
  return kOps;
}

}  // namespace lc::isa
