#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "sim/isa/families.h"
#include "sim/isa/location.h"

// What steers caches changes no value: prefetch, applypriority, discard, createpolicy (PTX ISA 9.0,
// 9.7.9.15 - 9.7.9.18).  st.bulk (9.7.9.13), which does, stands here because it too takes an
// address and a size.
namespace lc::isa {
namespace {

using machine::Fault;
using machine::FaultKind;

Flow nothing(Warp&, const Inst&, LaneMask) {
  return Flow::next;
}

std::string_view space(Binder& b) {
  return b.modifiers["ss"];
}

/// A prefetch of an address that cannot be read does nothing.
void bind_prefetch(Binder& b) {
  locate(b, 0, space(b));
  b.run(nothing);
}

void bind_tensormap_prefetch(Binder& b) {
  locate(b, 0, space(b));
  b.run(nothing);
}

constexpr std::uint32_t kLine = 128;  ///< the only size there is

/// applypriority and discard: 128 bytes of global memory at a multiple of 128.
Flow check_line(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& at = info<Location>(inst);
  std::uint64_t addresses[kWarpLanes];
  at.of(warp, active, addresses);
  for_each_lane(active, [&](std::uint32_t lane) {
    warp.at(Window::global, addresses[lane], kLine, kLine, Access::read, lane);
  });
  return Flow::next;
}

void bind_line(Binder& b) {
  b.immediate_in(1, kLine, kLine);
  b.keep(locate(b, 0, space(b)));
  b.run(check_line);
}

// A cache policy is opaque.  These are the words that published kernels pass as constants for
// fraction 1; other policies get the one of evict_normal.
constexpr std::uint64_t kEvictNormal = 0x1000000000000000, kEvictFirst = 0x12F0000000000000,
                        kEvictLast = 0x14F0000000000000;

Flow put_policy(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint64_t* d = warp.out64(inst.op[0]);
  const std::uint64_t* policy = warp.in64(inst.op[1]);
  for_each_lane(active, [&](std::uint32_t lane) { d[lane] = policy[lane]; });
  return Flow::next;
}

void bind_policy_value(Binder& b, std::uint64_t value) {
  b.inst().op[0] = b.out(0, Type::b64);
  b.inst().op[1] = b.constant(value, LaneWidth::b64);
  b.run(put_policy);
}

void bind_fraction(Binder& b) {
  if (b.has(1)) {
    b.in(1, Type::f32);
    const ptx::Operand& o = b.operand(1);
    double fraction = 1;
    if (b.immediate(1) && o.number == ptx::Constant::Kind::f32) {
      fraction = std::bit_cast<float>(static_cast<std::uint32_t>(o.value));
    } else if (b.immediate(1) && o.number == ptx::Constant::Kind::f64) {
      fraction = o.constant().as_double();
    }
    if (!(fraction > 0 && fraction <= 1)) b.fail(o, "the fraction lies in (0, 1]");
  }
  const std::string_view first = b.modifiers["first"];
  bind_policy_value(b, first == "L2::evict_first"  ? kEvictFirst
                       : first == "L2::evict_last" ? kEvictLast
                                                   : kEvictNormal);
}

void bind_range(Binder& b) {
  locate(b, 1, space(b));
  b.in(2, Type::b32);
  b.in(3, Type::b32);
  bind_policy_value(b, kEvictNormal);
}

void bind_policy_cvt(Binder& b) {
  b.inst().op[0] = b.out(0, Type::b64);
  b.inst().op[1] = b.in(1, Type::b64);
  b.run(put_policy);
}

struct Bulk {
  Location location;
  Sized size;
};

/// That the address is a multiple of 8, as the size is, is inferred.
Flow store_zeros(Warp& warp, const Inst& inst, LaneMask active) {
  constexpr std::uint64_t kMost = 16777216;
  const auto& bulk = info<Bulk>(inst);
  std::uint64_t addresses[kWarpLanes];
  bulk.location.of(warp, active, addresses);
  for_each_lane(active, [&](std::uint32_t lane) {
    const std::uint64_t size = bulk.size.width == LaneWidth::b64 ? warp.in64(bulk.size.ref)[lane]
                                                                 : warp.in32(bulk.size.ref)[lane];
    if (size % 8 != 0 || size > kMost) {
      throw Fault(FaultKind::undefined, "st.bulk.size",
                  "st.bulk of " + std::to_string(size) +
                      " bytes: the size is a multiple of 8, up to 16777216");
    }
    if (size == 0) return;
    const auto place = shared_place(warp, bulk.location.window, addresses[lane]);
    std::memset(place.cta->shared().bytes(place.offset, size, 8, Access::write), 0, size);
  });
  warp.cluster().changed();
  return Flow::next;
}

void bind_store_zeros(Binder& b) {
  Bulk bulk{locate(b, 0, space(b)), b.sized_in(b.operand(1), Type::b64)};
  b.immediate_in(2, 0, 0);
  b.keep(bulk);
  b.run(store_zeros);
}

#define LC_PRIMARY "first=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
#define LC_SECONDARY "[L2::evict_first|L2::evict_unchanged] "

constexpr std::string_view kNoEffect = "no effect on values";

constexpr std::array kOps{
    Op{"prefetch", "[ss=global|local] L1|L2", "[a]", bind_prefetch, kNoEffect},
    Op{"prefetch", "ss=global L2::evict_last|L2::evict_normal", "[a]", bind_prefetch, kNoEffect},
    Op{"prefetch", "[ss=const|param] tensormap", "[a]", bind_tensormap_prefetch, kNoEffect},
    Op{"prefetchu", "L1", "[a]", bind_prefetch, kNoEffect},
    Op{"applypriority", "[ss=global] L2::evict_normal", "[a], size", bind_line, kNoEffect},
    Op{"discard", "[ss=global] L2", "[a], size", bind_line,
       "leaves the bytes as they are, where hardware may leave any"},
    Op{"createpolicy", "fractional " LC_PRIMARY LC_SECONDARY "b64", "d, fraction?", bind_fraction,
       kNoEffect},
    Op{"createpolicy", "range [ss=global] " LC_PRIMARY LC_SECONDARY "b64",
       "d, [a], primary-size, total-size", bind_range, kNoEffect},
    Op{"createpolicy", "cvt L2 b64", "d, a", bind_policy_cvt, kNoEffect},
    Op{"st", "bulk [weak] [ss=shared::cta]", "[a], size, initval", bind_store_zeros},
};

}  // namespace

std::span<const Op> cache_ops() {
  return kOps;
}

}  // namespace lc::isa
