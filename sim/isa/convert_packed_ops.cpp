#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <vector>

#include "sim/isa/conversion.h"
#include "sim/isa/families.h"
#include "sim/isa/float_number.h"
#include "sim/isa/half.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.9.21 and 9.7.9.22: cvt to and from pairs and quadruples, to tf32, and cvt.pack.
//
// The first source is the highest element of the result:
//
//     cvt.rn.satfinite.e4m3x2.f32  d, a, b      d = e4m3(a) << 8 | e4m3(b)
//     cvt.rn.f16x2.e4m3x2          d, a         d = f16(a >> 8) << 16 | f16(a & 0xff)
namespace lc::isa {
namespace {

using numerics::Format;
using numerics::Overflow;
using numerics::Rounding;

/// An element of a packed type: `s2f6` is a fixed-point number, the others are formats.
struct Element {
  std::string_view name;
  Format format;
  std::uint32_t step;  ///< bits from one element to the next
  bool fixed = false;
};

constexpr Element kElements[] = {
    {"f16", Format::f16, 16},    {"bf16", Format::bf16, 16},    {"tf32", Format::tf32, 32},
    {"f32", Format::f32, 32},    {"e4m3", Format::e4m3, 8},     {"e5m2", Format::e5m2, 8},
    {"e2m3", Format::e2m3, 8},   {"e3m2", Format::e3m2, 8},     {"e2m1", Format::e2m1, 4},
    {"ue8m0", Format::ue8m0, 8}, {"s2f6", Format::s8, 8, true},
};

/// The element of `e4m3x2`, `f16x2`, `tf32`.
const Element& element_of(std::string_view type) {
  const Element* best = &kElements[0];
  for (const Element& e : kElements) {
    if (type == e.name || (type.starts_with(e.name) && type.size() == e.name.size() + 2)) best = &e;
  }
  return *best;
}

struct Plan {
  Element to, from;
  std::uint32_t count = 2;
  Rounding rounding = Rounding::nearest_even;
  Overflow overflow = Overflow::ieee;
  bool relu = false;
  bool stochastic = false;
  bool scaled = false;  ///< op[5] holds a ue8m0 for each element
};

double decoded(const Element& e, std::uint32_t code) {
  if (e.fixed) return static_cast<std::int8_t>(code) / 64.0;
  return numerics::to_double(e.format, code);
}

/// 8 bits with 6 behind the point, to nearest, clamped; NaN is the largest.
std::uint32_t encode_fixed(double value) {
  if (value != value) return 127;
  const double units = std::nearbyint(value * 64);
  const double clamped = units > 127 ? 127 : units < -128 ? -128 : units;
  return static_cast<std::uint32_t>(static_cast<int>(clamped)) & 0xFF;
}

std::uint32_t encoded(const Plan& plan, double value) {
  if (plan.relu && !(value > 0) && value == value) value = 0;
  if (plan.to.fixed) return encode_fixed(value);
  return numerics::encode(plan.to.format, value, plan.rounding, plan.overflow);
}

/// The random bits of element `index`, counted from the lowest, as a fraction of `bits` bits.  The
/// ISA gives halves and bytes of the operand in figures; which of them go together for elements
/// that share 16 bits is inferred.
struct Random {
  std::uint32_t value;
  int bits;
};

Random random_of(const Plan& plan, std::uint32_t rbits, std::uint32_t index) {
  const std::uint32_t high = rbits >> 16, low = rbits & 0xFFFF;
  switch (plan.to.format) {
    case Format::f16:
      return {(index == 1 ? high : low) & 0x1FFF, 13};
    case Format::bf16:
      return {index == 1 ? high : low, 16};
    case Format::e2m1:
      return {index >= 2 ? (high & 0xFF00) | low >> 8 : (high & 0xFF) << 8 | (low & 0xFF), 16};
    default:
      return {index >= 2 ? high : low, 16};
  }
}

std::uint32_t encoded_at_random(const Plan& plan, double value, Random random) {
  if (plan.relu && !(value > 0) && value == value) value = 0;
  return encode_stochastic(plan.to.format, value, random.value, random.bits, plan.overflow);
}

double float_lane(const Warp& warp, Ref r, std::uint32_t lane) {
  return std::bit_cast<float>(warp.in32(r)[lane]);
}

/// The scale factor of an element: its ue8m0 stands where the element's byte does.
double scale_of(const Warp& warp, const Inst& inst, std::uint32_t lane, std::uint32_t index) {
  return numerics::to_double(Format::ue8m0, warp.in32(inst.op[5])[lane] >> 8 * index & 0xFF);
}

/// op: d, then the sources, highest element first; op[5] random bits or scale factors.
Flow from_floats(Warp& warp, const Inst& inst, LaneMask active) {
  const Plan& plan = info<Plan>(inst);
  for_each_lane(active, [&](std::uint32_t lane) {
    std::uint32_t all = 0;
    for (std::uint32_t i = 0; i < plan.count; ++i) {
      double value = float_lane(warp, inst.op[plan.count - i], lane);
      if (plan.scaled) value /= scale_of(warp, inst, lane, i);
      const std::uint32_t code =
          plan.stochastic
              ? encoded_at_random(plan, value, random_of(plan, warp.in32(inst.op[5])[lane], i))
              : encoded(plan, value);
      all |= code << plan.to.step * i;
    }
    warp.out32(inst.op[0])[lane] = all;
  });
  return Flow::next;
}

Flow from_packed(Warp& warp, const Inst& inst, LaneMask active) {
  const Plan& plan = info<Plan>(inst);
  const std::uint32_t mask = (1u << plan.from.step) - 1;
  for_each_lane(active, [&](std::uint32_t lane) {
    const std::uint32_t a = warp.in32(inst.op[1])[lane];
    std::uint32_t all = 0;
    for (std::uint32_t i = 0; i < plan.count; ++i) {
      double value = decoded(plan.from, a >> plan.from.step * i & mask);
      if (plan.scaled) {
        const double scale = scale_of(warp, inst, lane, i);
        value = plan.from.fixed ? value * scale : value / scale;
      }
      all |= encoded(plan, value) << plan.to.step * i;
    }
    warp.out32(inst.op[0])[lane] = all;
  });
  return Flow::next;
}

/// Two floats to a pair of halves, to nearest: by far the commonest.
template <class H>
struct NearestPair {
  static std::uint32_t eval(float a, float b) {
    return std::uint32_t{nearest<H>(a).bits} << 16 | nearest<H>(b).bits;
  }
};

Plan plan_of(Binder& b, std::string_view to, std::string_view from, std::uint32_t count) {
  Plan plan;
  plan.to = element_of(to);
  plan.from = element_of(from);
  plan.count = count;
  const std::string_view rounding = b.modifiers["rnd"];
  plan.rounding = rounding == "rz"    ? Rounding::toward_zero
                  : rounding == "rp"  ? Rounding::up
                  : rounding == "rna" ? Rounding::nearest_away
                                      : Rounding::nearest_even;
  plan.stochastic = rounding == "rs";
  plan.overflow = b.modifiers.has("satfinite") ? Overflow::saturate : Overflow::ieee;
  plan.relu = b.modifiers.has("relu");
  return plan;
}

/// The type of a register that holds `count` elements.
Type container(const Plan& plan, const Element& e) {
  switch (e.step * plan.count) {
    case 8:
      return Type::b8;
    case 16:
      return Type::b16;
    default:
      return Type::b32;
  }
}

/// Scale factors, when there are any; a missing operand without the modifier is what is right.
void place_scale(Binder& b, Plan& plan, std::size_t i) {
  plan.scaled = b.modifiers.has("scaled::n2::ue8m0");
  if (plan.scaled != b.has(i)) b.fail(".scaled::n2::ue8m0 and a scale factor go together");
  if (plan.scaled) b.inst().op[5] = b.in(i, Type::b16);
}

/// NaNs of tf32: the one of .rn and .rz; .rna only cuts the bits off, and its .satfinite takes one
/// unit off whatever is not finite (measured on an H200).
std::uint32_t tf32_nan(const Plan& plan, std::uint32_t bits) {
  if (plan.rounding != Rounding::nearest_away) return 0x7FFFE000;
  const std::uint32_t cut = bits & 0xFFFFE000;
  return plan.overflow == Overflow::saturate ? cut - 0x2000 : cut;
}

Flow to_tf32(Warp& warp, const Inst& inst, LaneMask active) {
  const Plan& plan = info<Plan>(inst);
  const std::uint32_t* a = warp.in32(inst.op[1]);
  std::uint32_t* d = warp.out32(inst.op[0]);
  for_each_lane(active, [&](std::uint32_t lane) {
    const float value = std::bit_cast<float>(a[lane]);
    d[lane] = value != value ? tf32_nan(plan, a[lane]) : encoded(plan, value);
  });
  return Flow::next;
}

void bind_one(Binder& b) {
  Plan plan = plan_of(b, b.modifiers["d"], "f32", 1);
  b.inst().op[0] = b.out(0, container(plan, plan.to));
  b.inst().op[1] = b.in(1, Type::f32);
  b.keep(plan);
  b.run(b.modifiers["d"] == "tf32" ? to_tf32 : from_floats);
}

void bind_floats(Binder& b) {
  Plan plan = plan_of(b, b.modifiers["d"], "f32", 2);
  Inst& inst = b.inst();
  inst.op[0] = b.out(0, container(plan, plan.to));
  inst.op[1] = b.in(1, Type::f32);
  inst.op[2] = b.in(2, Type::f32);
  if (plan.stochastic) {
    inst.op[5] = b.in(3, Type::b32);
  } else {
    place_scale(b, plan, 3);
  }
  const bool simple = plan.rounding == Rounding::nearest_even && !plan.relu && !plan.stochastic &&
                      plan.overflow == Overflow::ieee && !plan.scaled;
  b.keep(plan);
  if (simple && plan.to.format == Format::f16) {
    return b.run(lanewise<NearestPair<F16>, std::uint32_t, float, float>);
  }
  if (simple && plan.to.format == Format::bf16) {
    return b.run(lanewise<NearestPair<Bf16>, std::uint32_t, float, float>);
  }
  b.run(from_floats);
}

void bind_four_floats(Binder& b) {
  Plan plan = plan_of(b, b.modifiers["d"], "f32", 4);
  b.inst().op[0] = b.out(0, container(plan, plan.to));
  const auto sources = b.elements(1);
  if (sources.size() != 4) b.fail(b.operand(1), "four sources are expected", "{a, b, e, f}");
  for (std::size_t i = 0; i < 4; ++i) b.inst().op[i + 1] = b.in(sources[i], Type::f32);
  b.inst().op[5] = b.in(2, Type::b32);
  b.keep(plan);
  b.run(from_floats);
}

void bind_packed(Binder& b) {
  Plan plan = plan_of(b, b.modifiers["d"], b.modifiers["a"], 2);
  b.inst().op[0] = b.out(0, container(plan, plan.to));
  b.inst().op[1] = b.in(1, container(plan, plan.from));
  place_scale(b, plan, 2);
  b.keep(plan);
  b.run(from_packed);
}

/// Saturated integers of `bits` bits, b's lowest, then a's, then the low bits of c.
struct Packing {
  std::int64_t low = 0, high = 0;
  std::uint32_t bits = 0;
};

Flow pack(Warp& warp, const Inst& inst, LaneMask active) {
  const Packing p = info<Packing>(inst);
  const std::uint32_t* a = warp.in32(inst.op[1]);
  const std::uint32_t* b = warp.in32(inst.op[2]);
  const std::uint32_t* c = warp.in32(inst.op[3]);
  std::uint32_t* d = warp.out32(inst.op[0]);
  const auto clamped = [&](std::uint32_t word) {
    const std::int64_t v = static_cast<std::int32_t>(word);
    const std::int64_t r = v < p.low ? p.low : v > p.high ? p.high : v;
    return static_cast<std::uint32_t>(r) & ((1u << p.bits) - 1);
  };
  over_lanes(active, [&](std::uint32_t lane) {
    const std::uint32_t rest = p.bits == 16 ? 0 : c[lane] << 2 * p.bits;
    d[lane] = rest | clamped(a[lane]) << p.bits | clamped(b[lane]);
  });
  return Flow::next;
}

void bind_pack(Binder& b) {
  const bool with_sign = b.modifiers["to"].front() == 's';
  Packing p;
  p.bits = b.modifiers.number("to");
  p.low = with_sign ? -(std::int64_t{1} << (p.bits - 1)) : 0;
  p.high = (std::int64_t{1} << (p.bits - (with_sign ? 1 : 0))) - 1;
  Inst& inst = b.inst();
  inst.op[0] = b.out(0, Type::b32);
  inst.op[1] = b.in(1, Type::s32);
  inst.op[2] = b.in(2, Type::s32);
  inst.op[3] = b.has(3) ? b.in(3, Type::b32) : b.constant(0, LaneWidth::b32);
  b.keep(p);
  b.run(pack);
}

#define LC_SMALL "e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2"

constexpr std::string_view kInferred = "which random bits an element gets is inferred";

constexpr std::array kOps{
    Op{"cvt", "rnd=rn|rz [relu] [satfinite] d=f16|bf16 f32", "d, a", bind_one},
    Op{"cvt", "rnd=rn|rz [relu] [satfinite] d=f16x2|bf16x2 f32", "d, a, b", bind_floats},
    Op{"cvt", "rnd=rs [relu] [satfinite] d=f16x2|bf16x2 f32", "d, a, b, rbits", bind_floats,
       kInferred},
    Op{"cvt", "rnd=rna [satfinite] d=tf32 f32", "d, a", bind_one},
    Op{"cvt", "rnd=rn|rz [relu] [satfinite] d=tf32 f32", "d, a", bind_one},
    Op{"cvt", "rnd=rn satfinite [relu] d=" LC_SMALL " f32", "d, a, b", bind_floats},
    Op{"cvt", "rnd=rn satfinite [relu] d=" LC_SMALL " a=f16x2|bf16x2", "d, a", bind_packed},
    Op{"cvt", "rnd=rn [relu] d=f16x2 a=" LC_SMALL, "d, a", bind_packed},
    Op{"cvt", "rnd=rs satfinite [relu] d=e4m3x4|e5m2x4|e2m1x4|e2m3x4|e3m2x4 f32",
       "d, {a, b, e, f}, rbits", bind_four_floats, kInferred},
    Op{"cvt", "rnd=rz|rp [satfinite] d=ue8m0x2 f32", "d, a, b", bind_floats},
    Op{"cvt", "rnd=rz|rp [satfinite] d=ue8m0x2 a=bf16x2", "d, a", bind_packed},
    Op{"cvt", "rnd=rn d=bf16x2 a=ue8m0x2", "d, a", bind_packed},
    Op{"cvt", "rnd=rn satfinite [relu] [scaled::n2::ue8m0] d=s2f6x2 f32", "d, a, b, scale?",
       bind_floats},
    Op{"cvt", "rnd=rn satfinite [relu] [scaled::n2::ue8m0] d=s2f6x2 a=bf16x2", "d, a, scale?",
       bind_packed},
    Op{"cvt", "rnd=rn [satfinite] [relu] [scaled::n2::ue8m0] d=bf16x2 a=s2f6x2", "d, a, scale?",
       bind_packed},
    Op{"cvt", "pack sat to=u16|s16 s32", "d, a, b", bind_pack},
    Op{"cvt", "pack sat to=u2|s2|u4|s4|u8|s8 s32 b32", "d, a, b, c", bind_pack},
};

#undef LC_SMALL

}  // namespace

std::span<const Op> convert_packed_ops() {
  return kOps;
}

}  // namespace lc::isa
