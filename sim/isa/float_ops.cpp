#include <array>
#include <limits>

#include "sim/isa/families.h"
#include "sim/isa/float_extreme.h"
#include "sim/isa/float_semantics.h"
#include "sim/numerics/simd_clones.h"

// PTX ISA 9.7.3 and 9.7.5: f32, f64 and f32x2.  What the ISA calls approximate is in
// approximate_ops.cpp.
namespace lc::isa {
namespace {

/// fma.rn without .sat, the commonest of all: built for wider vectors and their fused multiply-add.
LC_SIMD_CLONES void fuse(std::uint32_t* d, const std::uint32_t* a, const std::uint32_t* b,
                         const std::uint32_t* c, std::uint32_t count) {
  LC_LANES_INDEPENDENT
  for (std::uint32_t i = 0; i < count; ++i) {
    const float r = __builtin_fmaf(std::bit_cast<float>(a[i]), std::bit_cast<float>(b[i]),
                                   std::bit_cast<float>(c[i]));
    d[i] = r != r ? kNanF32 : std::bit_cast<std::uint32_t>(r);
  }
}

LC_INLINE_INTO_CLONES std::uint32_t without_subnormal(std::uint32_t bits) {
  return (bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits;
}

LC_SIMD_CLONES void fuse_flushed(std::uint32_t* d, const std::uint32_t* a, const std::uint32_t* b,
                                 const std::uint32_t* c, std::uint32_t count) {
  LC_LANES_INDEPENDENT
  for (std::uint32_t i = 0; i < count; ++i) {
    const float x = std::bit_cast<float>(without_subnormal(a[i]));
    const float y = std::bit_cast<float>(without_subnormal(b[i]));
    const float z = std::bit_cast<float>(without_subnormal(c[i]));
    const float r = __builtin_fmaf(x, y, z);
    const float scaled = __builtin_fmaf(x * kScale, y, z * kScale);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(r);
    const bool small = __builtin_fabsf(scaled) < 0x1p-62f;
    d[i] = r != r ? kNanF32 : small ? bits & 0x80000000 : bits;
  }
}

template <bool Ftz, std::uint32_t PerLane>
Flow fma_nearest(Warp& warp, const Inst& inst, LaneMask active) {
  constexpr auto compute = Ftz ? fuse_flushed : fuse;
  std::uint32_t* d = warp.out32(inst.op[0]);
  const std::uint32_t* a = warp.in32(inst.op[1]);
  const std::uint32_t* b = warp.in32(inst.op[2]);
  const std::uint32_t* c = warp.in32(inst.op[3]);
  if (active == kAllLanes) {
    compute(d, a, b, c, kWarpLanes * PerLane);
    return Flow::next;
  }
  std::uint32_t all[kWarpLanes * PerLane];
  compute(all, a, b, c, kWarpLanes * PerLane);
  for_each_lane(active, [&](std::uint32_t lane) {
    for (std::uint32_t i = 0; i < PerLane; ++i) d[lane * PerLane + i] = all[lane * PerLane + i];
  });
  return Flow::next;
}

/// Places d, a, … of the instruction's type and finds the handler for its rounding.
template <FloatOp Op, std::size_t Sources>
void bind_float(Binder& b) {
  const Type type = b.modifiers.type();
  b.inst().op[0] = b.out(0, type);
  for (std::size_t i = 1; i <= Sources; ++i) b.inst().op[i] = b.in(i, type);
  const bool ftz = b.modifiers.has("ftz"), sat = b.modifiers.has("sat");
  const std::string_view rounding = b.modifiers["rnd"];
  if (!rounding.empty() && rounding != "rn") {
    b.keep(directed_rounding(rounding));
    return b.run(directed_float_handler(Op, type, ftz, sat));
  }
  if (Op == FloatOp::fma && type != Type::f64 && !sat) {
    if (type == Type::f32x2) return b.run(ftz ? fma_nearest<true, 2> : fma_nearest<false, 2>);
    return b.run(ftz ? fma_nearest<true, 1> : fma_nearest<false, 1>);
  }
  b.run(float_handler<AsIs>(Op, type, ftz, sat));
}

template <FloatOp Op>
void bind_mixed(Binder& b) {
  const Type half = b.modifiers.type("a");
  if (Op == FloatOp::fma) {
    place(b, Type::f32, {half, half, Type::f32});
  } else {
    place(b, Type::f32, {half, Type::f32});
  }
  const bool sat = b.modifiers.has("sat");
  const std::string_view rounding = b.modifiers["rnd"];
  if (!rounding.empty() && rounding != "rn") {
    b.keep(directed_rounding(rounding));
    return b.run(directed_mixed_handler(Op, half, sat));
  }
  b.run(mixed_handler<AsIs>(Op, half, sat));
}

template <class Sem>
struct OfThree {
  template <class T>
  static T eval(T a, T b, T c) {
    return Sem::eval(Sem::eval(a, b), c);
  }
};

template <class Sem, class... A>
machine::Handler flushing(bool ftz) {
  return ftz ? lanewise<Finished<Sem, true, false>, float, A...>
             : lanewise<Finished<Sem, false, false>, float, A...>;
}

template <bool Largest, bool Nan>
void bind_extreme_f32(Binder& b) {
  using Sem = Extreme<Largest, Nan>;
  const bool ftz = b.modifiers.has("ftz"), abs = b.modifiers.has("abs");
  if (b.has(3)) {
    place(b, Type::f32, {Type::f32, Type::f32, Type::f32});
    using Three = OfThree<Sem>;
    return b.run(abs ? flushing<OfMagnitudes<Three>, float, float, float>(ftz)
                     : flushing<Three, float, float, float>(ftz));
  }
  place(b, Type::f32, {Type::f32, Type::f32});
  b.run(abs ? flushing<XorSign<Sem>, float, float>(ftz) : flushing<Sem, float, float>(ftz));
}

template <bool Largest>
void bind_extreme(Binder& b) {
  if (b.modifiers.has("NaN")) return bind_extreme_f32<Largest, true>(b);
  bind_extreme_f32<Largest, false>(b);
}

template <bool Largest>
void bind_extreme_f64(Binder& b) {
  place(b, Type::f64, {Type::f64, Type::f64});
  b.run(lanewise<Extreme<Largest, false>, double, double, double>);
}

/// NaNs become the one NaN of f32, or pass through f64's adder: quiet, with their own sign
/// (measured on an H200; the ISA leaves it open).
float nan_of(float a) {
  return canonical(a);
}
double nan_of(double a) {
  return std::bit_cast<double>(bits_of(a) | std::uint64_t{1} << 51);
}

struct Neg {
  template <class T>
  static T eval(T a) {
    return a != a ? nan_of(a) : std::bit_cast<T>(bits_of(a) ^ Layout<T>::sign);
  }
};

struct Abs {
  template <class T>
  static T eval(T a) {
    return a != a ? nan_of(a) : magnitude(a);
  }
};

template <class Sem>
struct Flushing {
  static float eval(float a) { return Sem::eval(flushed(a)); }
};

struct Copysign {
  template <class T>
  static T eval(T a, T b) {
    return std::bit_cast<T>((bits_of(a) & Layout<T>::sign) | bits_of(magnitude(b)));
  }
};

template <class Sem>
void bind_sign(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type});
  if (type == Type::f64) return b.run(lanewise<Sem, double, double>);
  b.run(b.modifiers.has("ftz") ? lanewise<Flushing<Sem>, float, float>
                               : lanewise<Sem, float, float>);
}

void bind_copysign(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, type});
  b.run(type == Type::f64 ? lanewise<Copysign, double, double, double>
                          : lanewise<Copysign, float, float, float>);
}

enum class Property : std::uint8_t { finite, infinite, number, notanumber, normal, subnormal };

/// Zeros count as normal.
template <class T>
bool has_property(Word<T> bits, Property property) {
  using L = Layout<T>;
  const Word<T> m = bits & ~L::sign;
  switch (property) {
    case Property::finite:
      return m < L::infinity;
    case Property::infinite:
      return m == L::infinity;
    case Property::number:
      return m <= L::infinity;
    case Property::notanumber:
      return m > L::infinity;
    case Property::normal:
      return m == 0 || (m >= L::normal && m < L::infinity);
    case Property::subnormal:
      return m != 0 && m < L::normal;
  }
  return false;
}

template <class T>
Flow testp(Warp& warp, const Inst& inst, LaneMask active) {
  const Property property = info<Property>(inst);
  const Word<T>* a = source<T>(warp, inst.op[1]);
  LaneMask has = 0;
  for_each_lane(active, [&](std::uint32_t lane) {
    has |= LaneMask{has_property<T>(a[lane], property)} << lane;
  });
  warp.set_predicate(inst.op[0], active, has);
  return Flow::next;
}

void bind_testp(Binder& b) {
  constexpr std::string_view names[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
  const Type type = b.modifiers.type();
  b.inst().op = {b.out_predicate(0), b.in(1, type)};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (b.modifiers["property"] == names[i]) b.keep(static_cast<Property>(i));
  }
  b.run(type == Type::f64 ? testp<double> : testp<float>);
}

#define LC_ROUNDED "rnd=rn|rz|rm|rp "

constexpr std::array kOps{
    Op{"add", "[rnd=rn|rz|rm|rp] [ftz] [sat] type=f32", "d, a, b", bind_float<FloatOp::add, 2>},
    Op{"add", "[rnd=rn|rz|rm|rp] [ftz] type=f32x2", "d, a, b", bind_float<FloatOp::add, 2>},
    Op{"add", "[rnd=rn|rz|rm|rp] type=f64", "d, a, b", bind_float<FloatOp::add, 2>},
    Op{"add", "[rnd=rn|rz|rm|rp] [sat] f32 a=f16|bf16", "d, a, c", bind_mixed<FloatOp::add>},
    Op{"sub", "[rnd=rn|rz|rm|rp] [ftz] [sat] type=f32", "d, a, b", bind_float<FloatOp::sub, 2>},
    Op{"sub", "[rnd=rn|rz|rm|rp] [ftz] type=f32x2", "d, a, b", bind_float<FloatOp::sub, 2>},
    Op{"sub", "[rnd=rn|rz|rm|rp] type=f64", "d, a, b", bind_float<FloatOp::sub, 2>},
    Op{"sub", "[rnd=rn|rz|rm|rp] [sat] f32 a=f16|bf16", "d, a, c", bind_mixed<FloatOp::sub>},
    Op{"mul", "[rnd=rn|rz|rm|rp] [ftz] [sat] type=f32", "d, a, b", bind_float<FloatOp::mul, 2>},
    Op{"mul", "[rnd=rn|rz|rm|rp] [ftz] type=f32x2", "d, a, b", bind_float<FloatOp::mul, 2>},
    Op{"mul", "[rnd=rn|rz|rm|rp] type=f64", "d, a, b", bind_float<FloatOp::mul, 2>},
    Op{"fma", LC_ROUNDED "[ftz] [sat] type=f32", "d, a, b, c", bind_float<FloatOp::fma, 3>},
    Op{"fma", LC_ROUNDED "[ftz] type=f32x2", "d, a, b, c", bind_float<FloatOp::fma, 3>},
    Op{"fma", LC_ROUNDED "type=f64", "d, a, b, c", bind_float<FloatOp::fma, 3>},
    Op{"fma", LC_ROUNDED "[sat] f32 a=f16|bf16", "d, a, b, c", bind_mixed<FloatOp::fma>},
    Op{"mad", LC_ROUNDED "[ftz] [sat] type=f32", "d, a, b, c", bind_float<FloatOp::fma, 3>},
    Op{"mad", LC_ROUNDED "type=f64", "d, a, b, c", bind_float<FloatOp::fma, 3>},
    Op{"div", LC_ROUNDED "[ftz] type=f32", "d, a, b", bind_float<FloatOp::div, 2>},
    Op{"div", LC_ROUNDED "type=f64", "d, a, b", bind_float<FloatOp::div, 2>},
    Op{"rcp", LC_ROUNDED "[ftz] type=f32", "d, a", bind_float<FloatOp::rcp, 1>},
    Op{"rcp", LC_ROUNDED "type=f64", "d, a", bind_float<FloatOp::rcp, 1>},
    Op{"sqrt", LC_ROUNDED "[ftz] type=f32", "d, a", bind_float<FloatOp::sqrt, 1>},
    Op{"sqrt", LC_ROUNDED "type=f64", "d, a", bind_float<FloatOp::sqrt, 1>},
    Op{"min", "[ftz] [NaN] f32", "d, a, b, c?", bind_extreme<false>},
    Op{"min", "[ftz] [NaN] xorsign abs f32", "d, a, b", bind_extreme<false>},
    Op{"min", "[ftz] [NaN] abs f32", "d, a, b, c", bind_extreme<false>},
    Op{"min", "f64", "d, a, b", bind_extreme_f64<false>},
    Op{"max", "[ftz] [NaN] f32", "d, a, b, c?", bind_extreme<true>},
    Op{"max", "[ftz] [NaN] xorsign abs f32", "d, a, b", bind_extreme<true>},
    Op{"max", "[ftz] [NaN] abs f32", "d, a, b, c", bind_extreme<true>},
    Op{"max", "f64", "d, a, b", bind_extreme_f64<true>},
    Op{"abs", "[ftz] type=f32", "d, a", bind_sign<Abs>},
    Op{"abs", "type=f64", "d, a", bind_sign<Abs>},
    Op{"neg", "[ftz] type=f32", "d, a", bind_sign<Neg>},
    Op{"neg", "type=f64", "d, a", bind_sign<Neg>},
    Op{"copysign", "type=f32|f64", "d, a, b", bind_copysign},
    Op{"testp", "property=finite|infinite|number|notanumber|normal|subnormal type=f32|f64", "p, a",
       bind_testp},
};

#undef LC_ROUNDED

}  // namespace

std::span<const Op> float_ops() {
  return kOps;
}

}  // namespace lc::isa
