#include <array>
#include <string_view>
#include <type_traits>

#include "sim/isa/conversion.h"
#include "sim/isa/families.h"
#include "sim/isa/float_number.h"
#include "sim/isa/function_binder.h"
#include "sim/isa/half.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.9.21: cvt of single numbers.  Packed formats are in convert_packed_ops.cpp.
//
// The common conversions have loops of their own; the others go through conversion.h.
namespace lc::isa {
namespace {

using numerics::Rounding;

Rounding rounding_named(std::string_view name) {
  if (name.starts_with("rz")) return Rounding::toward_zero;
  if (name.starts_with("rm")) return Rounding::down;
  if (name.starts_with("rp")) return Rounding::up;
  return Rounding::nearest_even;
}

/// Registers may be wider than the types: the source's low bits count, the result is extended with
/// its sign or zeros to the width of its register.
struct Plan {
  Conversion conversion;
  bool wide_source = false, wide_destination = false;  ///< 64-bit lanes
  bool extends_sign = false;
  std::uint32_t destination_bits = 32;
  std::uint64_t register_mask = 0;
};

std::uint64_t in_register(const Plan& plan, std::uint64_t bits) {
  if (plan.extends_sign && (bits >> (plan.destination_bits - 1) & 1) != 0) {
    bits |= ~((std::uint64_t{2} << (plan.destination_bits - 1)) - 1);
  }
  return bits & plan.register_mask;
}

Flow convert(Warp& warp, const Inst& inst, LaneMask active) {
  const Plan& plan = info<Plan>(inst);
  for_each_lane(active, [&](std::uint32_t lane) {
    const std::uint64_t bits =
        plan.wide_source ? warp.in64(inst.op[1])[lane] : warp.in32(inst.op[1])[lane];
    const std::uint64_t result = in_register(plan, converted(plan.conversion, bits));
    if (plan.wide_destination) {
      warp.out64(inst.op[0])[lane] = result;
    } else {
      warp.out32(inst.op[0])[lane] = static_cast<std::uint32_t>(result);
    }
  });
  return Flow::next;
}

/// Integers from integers: A's low bits, extended by A's sign, then cut to D's register.  R is the
/// lane of the register that is read.
template <class D, class A>
struct Resize {
  template <class R>
  static D eval(R a) {
    return static_cast<D>(static_cast<A>(a));
  }
};

template <class D>
struct FromInteger {
  template <class A>
  static D eval(A a) {
    return static_cast<D>(a);
  }
};

template <class H>
struct ToHalf {
  static std::uint16_t eval(float a) { return nearest<H>(a).bits; }
};

/// NaNs of f16 become the one NaN of f32, those of bf16 keep their bits (measured on an H200).
template <class H>
struct FromHalf {
  static float eval(std::uint16_t a) {
    const float f = to_float(H{a});
    return std::is_same_v<H, F16> ? canonical(f) : f;
  }
};

template <class D, class A>
machine::Handler resize(bool wide_source) {
  return wide_source ? lanewise<Resize<D, A>, D, std::uint64_t>
                     : lanewise<Resize<D, A>, D, std::uint32_t>;
}

/// The loop for integers whose result fills its lanes; nullptr: none.
template <class D>
machine::Handler resize(Type source, bool wide) {
  switch (source) {
    case Type::u8:
      return resize<D, std::uint8_t>(wide);
    case Type::s8:
      return resize<D, std::int8_t>(wide);
    case Type::u16:
      return resize<D, std::uint16_t>(wide);
    case Type::s16:
      return resize<D, std::int16_t>(wide);
    case Type::u32:
      return resize<D, std::uint32_t>(wide);
    case Type::s32:
      return resize<D, std::int32_t>(wide);
    case Type::u64:
    case Type::s64:
      return wide ? resize<D, std::uint64_t>(true) : nullptr;
    default:
      return nullptr;
  }
}

machine::Handler resize(const Plan& plan) {
  const Conversion& c = plan.conversion;
  if (c.sat) return nullptr;
  if (plan.wide_destination) {
    // Results of fewer than 64 bits that are extended take the general way.
    return plan.destination_bits == 64 ? resize<std::uint64_t>(c.source, plan.wide_source)
                                       : nullptr;
  }
  if (plan.extends_sign) return nullptr;
  switch (plan.destination_bits) {
    case 8:
      return resize<std::uint8_t>(c.source, plan.wide_source);
    case 16:
      return resize<std::uint16_t>(c.source, plan.wide_source);
    case 32:
      return resize<std::uint32_t>(c.source, plan.wide_source);
    default:
      return nullptr;
  }
}

/// The loop for a common conversion with a float; nullptr: none.
machine::Handler common(const Plan& plan) {
  const Conversion& c = plan.conversion;
  if (c.sat || c.ftz || c.integral || c.rounding != Rounding::nearest_even) return nullptr;
  struct Row {
    Type destination, source;
    machine::Handler handler;
  };
  static constexpr Row rows[] = {
      {Type::f32, Type::f16, lanewise<FromHalf<F16>, float, std::uint16_t>},
      {Type::f32, Type::bf16, lanewise<FromHalf<Bf16>, float, std::uint16_t>},
      {Type::f16, Type::f32, lanewise<ToHalf<F16>, std::uint16_t, float>},
      {Type::bf16, Type::f32, lanewise<ToHalf<Bf16>, std::uint16_t, float>},
      {Type::f32, Type::s32, lanewise<FromInteger<float>, float, std::int32_t>},
      {Type::f32, Type::u32, lanewise<FromInteger<float>, float, std::uint32_t>},
      {Type::f64, Type::s32, lanewise<FromInteger<double>, double, std::int32_t>},
      {Type::f64, Type::u32, lanewise<FromInteger<double>, double, std::uint32_t>},
  };
  for (const Row& row : rows) {
    if (row.destination == c.destination && row.source == c.source) return row.handler;
  }
  return nullptr;
}

bool is_float(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64;
}

bool is_signed(Type t) {
  return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64;
}

void bind(Binder& b) {
  Plan plan;
  Conversion& c = plan.conversion;
  c.destination = b.modifiers.type("d");
  c.source = b.modifiers.type("a");
  const std::string_view rounding = b.modifiers["rnd"];
  c.integral = rounding.size() == 3;
  c.rounding = rounding_named(rounding);
  c.ftz = b.modifiers.has("ftz");
  c.sat = b.modifiers.has("sat");
  const Sized d = b.sized_out(b.operand(0), c.destination);
  const Sized a = b.sized_in(b.operand(1), c.source);
  plan.destination_bits = ptx::row_of(c.destination).bits;
  plan.wide_source = a.width == LaneWidth::b64;
  plan.wide_destination = d.width == LaneWidth::b64;
  if (plan.destination_bits > 8 * static_cast<std::uint32_t>(d.width) ||
      ptx::row_of(c.source).bits > 8 * static_cast<std::uint32_t>(a.width)) {
    b.fail("a register is narrower than the type it stands for");
  }
  std::uint32_t register_bits = 8 * static_cast<std::uint32_t>(d.width);
  if (b.operand(0).kind == ptx::Operand::Kind::reg) {
    register_bits = b.function().bits_at(b.operand(0).index);
  }
  plan.register_mask =
      register_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << register_bits) - 1;
  plan.extends_sign = is_signed(c.destination) && register_bits > plan.destination_bits;
  b.inst().op[0] = d.ref;
  b.inst().op[1] = a.ref;
  machine::Handler handler = nullptr;
  const bool floats = is_float(c.destination) || is_float(c.source);
  if (!floats) {
    handler = resize(plan);
  } else if (plan.wide_source == (ptx::row_of(c.source).bits == 64) &&
             plan.wide_destination == (plan.destination_bits == 64)) {
    handler = common(plan);
  }
  b.keep(plan);
  b.run(handler != nullptr ? handler : convert);
}

/// Without a rounding modifier: only where nothing is lost.
void bind_exact(Binder& b) {
  const Type d = b.modifiers.type("d"), a = b.modifiers.type("a");
  const bool widens = ptx::row_of(d).bits > ptx::row_of(a).bits || d == a;
  if (!widens) b.fail("this conversion rounds", "one of .rn, .rz, .rm, .rp");
  bind(b);
}

/// A whole number in the same format.
void bind_integral(Binder& b) {
  if (b.modifiers["d"] != b.modifiers["a"]) {
    b.fail("rounding to a whole number keeps the type", "one of .rn, .rz, .rm, .rp");
  }
  bind(b);
}

#define LC_INTEGERS "u8|s8|u16|s16|u32|s32|u64|s64"
#define LC_FLOATS "f16|bf16|f32|f64"

constexpr std::array kOps{
    Op{"cvt", "[sat] d=" LC_INTEGERS " a=" LC_INTEGERS, "d, a", bind},
    Op{"cvt", "rnd=rni|rzi|rmi|rpi [ftz] [sat] d=" LC_INTEGERS " a=" LC_FLOATS, "d, a", bind},
    Op{"cvt", "rnd=rn|rz|rm|rp [ftz] [sat] d=" LC_FLOATS " a=" LC_INTEGERS, "d, a", bind},
    Op{"cvt", "rnd=rn|rz|rm|rp [ftz] [sat] d=" LC_FLOATS " a=" LC_FLOATS, "d, a", bind},
    Op{"cvt", "[ftz] [sat] d=" LC_FLOATS " a=" LC_FLOATS, "d, a", bind_exact},
    Op{"cvt", "rnd=rni|rzi|rmi|rpi [ftz] [sat] d=" LC_FLOATS " a=" LC_FLOATS, "d, a",
       bind_integral},
};

#undef LC_INTEGERS
#undef LC_FLOATS

}  // namespace

std::span<const Op> convert_ops() {
  return kOps;
}

}  // namespace lc::isa
