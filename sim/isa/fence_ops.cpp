#include <array>
#include <string>

#include "sim/isa/families.h"
#include "sim/isa/location.h"

// Fences (PTX ISA 9.0, 9.7.13.4), and hints to the hardware's schedulers (9.7.13.13, 9.7.19.2,
// 9.7.19.3, 9.7.19.5).  Memory of the virtual GPU is always consistent, so that none of them
// changes a value; observers see them as instructions.
namespace lc::isa {
namespace {

using machine::Wait;

Flow nothing(Warp&, const Inst&, LaneMask) {
  return Flow::next;
}

void bind_nothing(Binder& b) {
  b.run(nothing);
}

constexpr std::uint32_t kTensorMapBytes = 128;

/// The 128 bytes of a tensor map in global memory.
Flow acquire_tensor_map(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& at = info<Location>(inst);
  std::uint64_t addresses[kWarpLanes];
  at.of(warp, active, addresses);
  for_each_lane(active, [&](std::uint32_t lane) {
    warp.at(Window::global, addresses[lane], kTensorMapBytes, kTensorMapBytes, Access::read, lane);
  });
  return Flow::next;
}

void bind_acquire_tensor_map(Binder& b) {
  b.immediate_in(1, kTensorMapBytes, kTensorMapBytes);
  b.keep(locate(b, 0, ""));
  b.run(acquire_tensor_map);
}

Flow whole_warp(Warp& warp, const Inst&, LaneMask active) {
  return warp.gather_all(active);
}

void bind_register_count(Binder& b) {
  const std::uint64_t count = b.immediate_in(0, 24, 256);
  if (count % 8 != 0) {
    b.fail(b.operand(0), "the count of registers is a multiple of 8",
           std::to_string(count / 8 * 8) + " or " + std::to_string(count / 8 * 8 + 8));
  }
  b.run(whole_warp);
}

/// Lets the other warps run once.
Flow sleep(Warp& warp, const Inst&, LaneMask active) {
  if (warp.resumed()) return Flow::next;
  warp.cluster().napped();
  return warp.wait(active, {.kind = Wait::Kind::poll, .what = "nanosleep"});
}

void bind_sleep(Binder& b) {
  b.in(0, Type::u32);
  b.run(sleep);
}

void bind_event(Binder& b) {
  b.immediate_in(0, 0, b.modifiers.has("mask") ? 0xFFFF : 15);
  b.run(nothing);
}

constexpr std::string_view kNoEffect = "no effect on values: memory is always consistent here";

constexpr std::array kOps{
    Op{"fence", "[sc|acq_rel|acquire|release] cta|cluster|gpu|sys", "", bind_nothing, kNoEffect},
    Op{"fence", "acquire sync_restrict::shared::cluster cluster", "", bind_nothing, kNoEffect},
    Op{"fence", "release sync_restrict::shared::cta cluster", "", bind_nothing, kNoEffect},
    Op{"fence", "mbarrier_init release cluster", "", bind_nothing, kNoEffect},
    Op{"fence", "proxy alias", "", bind_nothing, kNoEffect},
    Op{"fence", "proxy async [global|shared::cta|shared::cluster]", "", bind_nothing, kNoEffect},
    Op{"fence", "proxy tensormap::generic release cta|cluster|gpu|sys", "", bind_nothing,
       kNoEffect},
    Op{"fence", "proxy tensormap::generic acquire cta|cluster|gpu|sys", "[a], size",
       bind_acquire_tensor_map, kNoEffect},
    Op{"fence", "proxy async::generic acquire sync_restrict::shared::cluster cluster", "",
       bind_nothing, kNoEffect},
    Op{"fence", "proxy async::generic release sync_restrict::shared::cta cluster", "", bind_nothing,
       kNoEffect},
    Op{"membar", "cta|gl|sys", "", bind_nothing, kNoEffect},
    Op{"membar", "proxy alias", "", bind_nothing, kNoEffect},
    Op{"membar", "proxy async [global|shared::cta|shared::cluster]", "", bind_nothing, kNoEffect},
    Op{"griddepcontrol", "launch_dependents|wait", "", bind_nothing,
       "no effect: launches run one after the other"},
    Op{"setmaxnreg", "inc|dec sync aligned u32", "imm", bind_register_count,
       "no effect: a warp has the registers that it names"},
    Op{"nanosleep", "u32", "t", bind_sleep, "other warps run once; time is not modelled"},
    Op{"pmevent", "[mask]", "a", bind_event, "no effect: there are no performance monitors"},
};

}  // namespace

std::span<const Op> fence_ops() {
  return kOps;
}

}  // namespace lc::isa
