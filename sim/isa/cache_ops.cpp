#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
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

// A cache policy is opaque.  An H200 makes these words for fractions of L2:
//
//     63      56  55      52  51 … 0
//     0001 ppps   ceil(16 f) - 1     0    ppp: unchanged 0, first 1, last 2, normal 3
//                                         s: the secondary priority is evict_first
constexpr std::uint64_t kFractional = std::uint64_t{1} << 60;

std::uint64_t priority_bits(std::string_view first) {
  const std::uint64_t code = first == "L2::evict_first"    ? 1
                             : first == "L2::evict_last"   ? 2
                             : first == "L2::evict_normal" ? 3
                                                           : 0;
  return code << 57;
}

std::uint64_t fraction_bits(float fraction) {
  const float sixteenths = std::ceil(std::clamp(fraction, 0.0f, 1.0f) * 16);
  return static_cast<std::uint64_t>(std::max(sixteenths, 1.0f) - 1) << 52;
}

/// Operands: d, the policy without its fraction, the fraction.
Flow put_fraction(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint64_t* d = warp.out64(inst.op[0]);
  const std::uint64_t* policy = warp.in64(inst.op[1]);
  const std::uint32_t* fraction = warp.in32(inst.op[2]);
  for_each_lane(active, [&](std::uint32_t lane) {
    d[lane] = policy[lane] | fraction_bits(std::bit_cast<float>(fraction[lane]));
  });
  return Flow::next;
}

Flow put_policy(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint64_t* d = warp.out64(inst.op[0]);
  const std::uint64_t* policy = warp.in64(inst.op[1]);
  for_each_lane(active, [&](std::uint32_t lane) { d[lane] = policy[lane]; });
  return Flow::next;
}

void check_fraction(Binder& b, const ptx::Operand& o) {
  double fraction = 1;
  if (b.immediate(o) && o.number == ptx::Constant::Kind::f32) {
    fraction = std::bit_cast<float>(static_cast<std::uint32_t>(o.value));
  } else if (b.immediate(o) && o.number == ptx::Constant::Kind::f64) {
    fraction = o.constant().as_double();
  }
  if (!(fraction > 0 && fraction <= 1)) b.fail(o, "the fraction lies in (0, 1]");
}

void bind_fraction(Binder& b) {
  if (b.has(1)) check_fraction(b, b.operand(1));
  const std::uint64_t secondary =
      b.modifiers["second"] == "L2::evict_first" ? std::uint64_t{1} << 56 : 0;
  b.inst().op[0] = b.out(0, Type::b64);
  b.inst().op[1] =
      b.constant(kFractional | priority_bits(b.modifiers["first"]) | secondary, LaneWidth::b64);
  b.inst().op[2] = b.has(1) ? b.in(1, Type::f32)
                            : b.constant(std::bit_cast<std::uint32_t>(1.0f), LaneWidth::b32);
  b.run(put_fraction);
}

/// Words of ranges are not known: any will do.
void bind_range(Binder& b) {
  locate(b, 1, space(b));
  b.in(2, Type::b32);
  b.in(3, Type::b32);
  b.inst().op[0] = b.out(0, Type::b64);
  b.inst().op[1] = b.constant(kFractional | priority_bits(b.modifiers["first"]), LaneWidth::b64);
  b.run(put_policy);
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
#define LC_SECONDARY "[second=L2::evict_first|L2::evict_unchanged] "

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
