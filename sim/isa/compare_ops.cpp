#include <array>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "sim/isa/families.h"
#include "sim/isa/float_number.h"
#include "sim/isa/half.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.6 and 9.7.7: comparison and selection.
namespace lc::isa {
namespace {

struct Eq {
  template <class T>
  static bool eval(T a, T b) {
    return a == b;
  }
};
struct Lt {
  template <class T>
  static bool eval(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool eval(T a, T b) {
    return a <= b;
  }
};
/// Both are numbers.
struct Num {
  template <class T>
  static bool eval(T a, T b) {
    return a == a && b == b;
  }
};

template <class Sem>
struct Swapped {
  template <class T>
  static bool eval(T a, T b) {
    return Sem::eval(b, a);
  }
};
using Gt = Swapped<Lt>;
using Ge = Swapped<Le>;

/// Numbers that differ: false for NaN, unlike C's !=.
struct Ne {
  template <class T>
  static bool eval(T a, T b) {
    return Num::eval(a, b) && a != b;
  }
};

/// … or one is NaN.
template <class Sem>
struct Or {
  template <class T>
  static bool eval(T a, T b) {
    return Sem::eval(a, b) || !Num::eval(a, b);
  }
};
struct Nan {
  template <class T>
  static bool eval(T a, T b) {
    return !Num::eval(a, b);
  }
};

/// How lanes of a register are read: T the type, Shift where a half of a pair stands.
template <class T, int Shift = 0, bool Ftz = false>
struct Lanes {
  using Storage = std::conditional_t<kIsHalf<T>, std::uint32_t, T>;
  static auto value(Word<Storage> w) {
    if constexpr (std::is_same_v<T, F16>) {
      const auto bits = static_cast<std::uint16_t>(w >> Shift);
      const bool flush = Ftz && (bits & 0x7C00) == 0;
      return to_float(F16{static_cast<std::uint16_t>(flush ? bits & 0x8000 : bits)});
    } else if constexpr (std::is_same_v<T, Bf16>) {
      return to_float(Bf16{static_cast<std::uint16_t>(w >> Shift)});
    } else {
      return flushed_if<Ftz>(from_word<T>(w));
    }
  }
};

/// Bit n is the truth of byte n, 0 or 1.
LaneMask mask_of(const std::uint8_t (&truth)[kWarpLanes]) {
  LaneMask mask = 0;
  for (std::uint32_t i = 0; i < kWarpLanes; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, truth + i, 8);
    mask |= static_cast<LaneMask>(eight * 0x0102040810204080 >> 56) << i;
  }
  return mask;
}

template <class Sem, class From>
LaneMask compare(const Warp& warp, Ref a_ref, Ref b_ref) {
  const auto* a = source<typename From::Storage>(warp, a_ref);
  const auto* b = source<typename From::Storage>(warp, b_ref);
  std::uint8_t truth[kWarpLanes];
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    truth[lane] = Sem::eval(From::value(a[lane]), From::value(b[lane])) ? 1 : 0;
  }
  return mask_of(truth);
}

using Comparison = LaneMask (*)(const Warp&, Ref, Ref);

template <class From>
Comparison comparison(std::string_view name) {
  struct Row {
    std::string_view name;
    Comparison compare;
  };
  static constexpr Row common[] = {
      {"eq", compare<Eq, From>}, {"ne", compare<Ne, From>}, {"lt", compare<Lt, From>},
      {"le", compare<Le, From>}, {"gt", compare<Gt, From>}, {"ge", compare<Ge, From>},
      {"lo", compare<Lt, From>}, {"ls", compare<Le, From>}, {"hi", compare<Gt, From>},
      {"hs", compare<Ge, From>},
  };
  for (const Row& row : common) {
    if (row.name == name) return row.compare;
  }
  using Value = decltype(From::value({}));
  if constexpr (std::is_floating_point_v<Value>) {
    static constexpr Row unordered[] = {
        {"equ", compare<Or<Eq>, From>}, {"neu", compare<Or<Ne>, From>},
        {"ltu", compare<Or<Lt>, From>}, {"leu", compare<Or<Le>, From>},
        {"gtu", compare<Or<Gt>, From>}, {"geu", compare<Or<Ge>, From>},
        {"num", compare<Num, From>},    {"nan", compare<Nan, From>},
    };
    for (const Row& row : unordered) {
      if (row.name == name) return row.compare;
    }
  }
  return nullptr;
}

enum class Combine : std::uint8_t { none, and_, or_, xor_ };

LaneMask combined(Combine how, LaneMask t, LaneMask c) {
  switch (how) {
    case Combine::and_:
      return t & c;
    case Combine::or_:
      return t | c;
    case Combine::xor_:
      return t ^ c;
    case Combine::none:
      break;
  }
  return t;
}

/// op: d or p, a, b, c, q.
struct Plan {
  Comparison low = nullptr;
  Comparison high = nullptr;  ///< of pairs of halves
  Combine combine = Combine::none;
  std::uint32_t truth = 0;  ///< what `set` writes
};

Flow setp(Warp& warp, const Inst& inst, LaneMask active) {
  const Plan& plan = info<Plan>(inst);
  const LaneMask t = plan.low(warp, inst.op[1], inst.op[2]);
  const LaneMask other = plan.high != nullptr ? plan.high(warp, inst.op[1], inst.op[2]) : ~t;
  const LaneMask c = warp.predicate(inst.op[3]);
  warp.set_predicate(inst.op[0], active, combined(plan.combine, t, c));
  warp.set_predicate(inst.op[4], active, combined(plan.combine, other, c));
  return Flow::next;
}

Flow setp_plain(Warp& warp, const Inst& inst, LaneMask active) {
  warp.set_predicate(inst.op[0], active, info<Plan>(inst).low(warp, inst.op[1], inst.op[2]));
  return Flow::next;
}

Flow set(Warp& warp, const Inst& inst, LaneMask active) {
  const Plan& plan = info<Plan>(inst);
  const LaneMask c = warp.predicate(inst.op[3]);
  const LaneMask low = combined(plan.combine, plan.low(warp, inst.op[1], inst.op[2]), c);
  const LaneMask high =
      plan.high == nullptr ? 0 : combined(plan.combine, plan.high(warp, inst.op[1], inst.op[2]), c);
  std::uint32_t* d = warp.out32(inst.op[0]);
  over_lanes(active, [&](std::uint32_t lane) {
    d[lane] = (low >> lane & 1 ? plan.truth : 0) | (high >> lane & 1 ? plan.truth << 16 : 0);
  });
  return Flow::next;
}

template <class T, bool Ftz>
void choose(Binder& b, Plan& plan, bool pairs) {
  plan.low = comparison<Lanes<T, 0, Ftz>>(b.modifiers["cmp"]);
  if constexpr (kIsHalf<T>) {
    if (pairs) plan.high = comparison<Lanes<T, 16, Ftz>>(b.modifiers["cmp"]);
  }
}

/// Places a, b and c and finds the comparison.
Plan plan_of(Binder& b) {
  const Type type = b.modifiers.type();
  Inst& inst = b.inst();
  Plan plan;
  inst.op[1] = b.in(1, type);
  inst.op[2] = b.in(2, type);
  inst.op[3] = b.always();
  const std::string_view combine = b.modifiers["combine"];
  if (b.has(3) == combine.empty()) {
    b.fail(combine.empty() ? "a fourth operand needs .and, .or or .xor"
                           : "." + std::string(combine) + " needs a predicate after the operands");
  }
  if (b.has(3)) {
    plan.combine = combine == "and"  ? Combine::and_
                   : combine == "or" ? Combine::or_
                                     : Combine::xor_;
    inst.op[3] = b.predicate(3);
  }
  const bool ftz = b.modifiers.has("ftz");
  switch (type) {
    case Type::f32:
      ftz ? choose<float, true>(b, plan, false) : choose<float, false>(b, plan, false);
      break;
    case Type::f64:
      choose<double, false>(b, plan, false);
      break;
    case Type::f16:
    case Type::f16x2:
      ftz ? choose<F16, true>(b, plan, type == Type::f16x2)
          : choose<F16, false>(b, plan, type == Type::f16x2);
      break;
    case Type::bf16:
    case Type::bf16x2:
      choose<Bf16, false>(b, plan, type == Type::bf16x2);
      break;
    default:
      with_integer(b, type, [&]<class T>() {
        if constexpr (sizeof(T) > 1) choose<T, false>(b, plan, false);
      });
  }
  return plan;
}

void bind_setp(Binder& b) {
  const Plan plan = plan_of(b);
  const ptx::Operand* q = b.second_of(0);
  b.inst().op[0] = b.out_predicate(b.first_of(0));
  b.inst().op[4] = q == nullptr ? b.scratch() : b.out_predicate(*q);
  const bool plain = q == nullptr && plan.combine == Combine::none;
  b.keep(plan);
  b.run(plain ? setp_plain : setp);
}

void bind_set(Binder& b) {
  const Type d = b.modifiers.type("d");
  Plan plan = plan_of(b);
  b.inst().op[0] = b.out(0, d);
  switch (d) {
    case Type::f32:
      plan.truth = 0x3F800000;
      break;
    case Type::f16:
    case Type::f16x2:
      plan.truth = F16::kOne;
      break;
    case Type::bf16:
    case Type::bf16x2:
      plan.truth = Bf16::kOne;
      break;
    case Type::u16:
    case Type::s16:
      plan.truth = 0xFFFF;
      break;
    default:
      plan.truth = plan.high == nullptr ? 0xFFFFFFFF : 0xFFFF;
  }
  b.keep(plan);
  b.run(set);
}

template <class T>
Flow selp(Warp& warp, const Inst& inst, LaneMask active) {
  T* d = destination<T>(warp, inst.op[0]);
  const T* a = source<T>(warp, inst.op[1]);
  const T* b = source<T>(warp, inst.op[2]);
  const LaneMask c = warp.predicate(inst.op[3]);
  over_lanes(active, [&](std::uint32_t lane) { d[lane] = c >> lane & 1 ? a[lane] : b[lane]; });
  return Flow::next;
}

void bind_selp(Binder& b) {
  const Type type = b.modifiers.type();
  b.inst().op = {b.out(0, type), b.in(1, type), b.in(2, type), b.predicate(3)};
  b.run(lane_width(type) == LaneWidth::b64 ? selp<std::uint64_t> : selp<std::uint32_t>);
}

/// d = c >= 0 ? a : b; a NaN chooses b.
template <bool Ftz>
struct Slct {
  template <class T, class C>
  static T eval(T a, T b, C c) {
    return flushed_if<Ftz>(c) >= 0 ? a : b;
  }
};

void bind_slct(Binder& b) {
  const Type type = b.modifiers.type("d"), by = b.modifiers.type();
  place(b, type, {type, type, by});
  const bool ftz = b.modifiers.has("ftz");
  const auto choose_handler = [&]<class T>() {
    b.run(by == Type::s32 ? lanewise<Slct<false>, T, T, T, std::int32_t>
          : ftz           ? lanewise<Slct<true>, T, T, T, float>
                          : lanewise<Slct<false>, T, T, T, float>);
  };
  with_bits(b, type, choose_handler);
}

#define LC_COMBINE "[combine=and|or|xor] "
#define LC_FLOAT_CMP "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan " LC_COMBINE
#define LC_UNSIGNED_CMP "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs " LC_COMBINE
#define LC_SIGNED_CMP "cmp=eq|ne|lt|le|gt|ge " LC_COMBINE
#define LC_BITS_CMP "cmp=eq|ne " LC_COMBINE

constexpr std::string_view kSetpForm = "p|q, a, b, c?";
constexpr std::string_view kSetForm = "d, a, b, c?";
constexpr std::string_view kSelectable = "type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64";

constexpr std::array kOps{
    Op{"setp", LC_SIGNED_CMP "type=s16|s32|s64", kSetpForm, bind_setp},
    Op{"setp", LC_UNSIGNED_CMP "type=u16|u32|u64", kSetpForm, bind_setp},
    Op{"setp", LC_BITS_CMP "type=b16|b32|b64", kSetpForm, bind_setp},
    Op{"setp", LC_FLOAT_CMP "[ftz] type=f32|f16|f16x2", kSetpForm, bind_setp},
    Op{"setp", LC_FLOAT_CMP "type=f64|bf16|bf16x2", kSetpForm, bind_setp},
    Op{"set", LC_SIGNED_CMP "d=u32|s32|f32|f16|bf16 type=s16|s32|s64", kSetForm, bind_set},
    Op{"set", LC_UNSIGNED_CMP "d=u32|s32|f32|f16|bf16 type=u16|u32|u64", kSetForm, bind_set},
    Op{"set", LC_BITS_CMP "d=u32|s32|f32|f16|bf16 type=b16|b32|b64", kSetForm, bind_set},
    Op{"set", LC_FLOAT_CMP "[ftz] d=u32|s32|f32|f16|bf16 type=f32|f64", kSetForm, bind_set},
    Op{"set", LC_FLOAT_CMP "[ftz] d=u16|s16|u32|s32|f16|bf16 type=f16|bf16", kSetForm, bind_set},
    Op{"set", LC_FLOAT_CMP "[ftz] d=u32|s32|f16x2 type=f16x2", kSetForm, bind_set},
    Op{"set", LC_FLOAT_CMP "d=u32|s32|bf16x2 type=bf16x2", kSetForm, bind_set},
    Op{"selp", kSelectable, "d, a, b, c", bind_selp},
    Op{"slct", "d=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 type=s32", "d, a, b, c", bind_slct},
    Op{"slct", "[ftz] d=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 type=f32", "d, a, b, c",
       bind_slct},
};

}  // namespace

std::span<const Op> compare_ops() {
  return kOps;
}

}  // namespace lc::isa
