#include <array>
#include <type_traits>

#include "sim/isa/families.h"
#include "sim/isa/function_binder.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.2: extended precision.  The condition code's carry flag CC.CF is a predicate of the
// function that the text cannot name; a call does not keep it.
namespace lc::isa {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

template <class U>
struct Sum {
  U value;
  bool carry;
};

template <class U>
Sum<U> add(U a, U b, bool carry) {
  const U ab = static_cast<U>(a + b);
  const U all = static_cast<U>(ab + (carry ? 1 : 0));
  return {all, ab < a || all < ab};
}

/// The flag is the borrow.
template <class U>
Sum<U> subtract(U a, U b, bool borrow) {
  const U ab = static_cast<U>(a - b);
  return {static_cast<U>(ab - (borrow ? 1 : 0)), a < b || (borrow && a == b)};
}

struct Add {
  template <class T, class U>
  static Sum<U> eval(U a, U b, U, bool carry) {
    return add(a, b, carry);
  }
};

struct Sub {
  template <class T, class U>
  static Sum<U> eval(U a, U b, U, bool borrow) {
    return subtract(a, b, borrow);
  }
};

struct MadLow {
  template <class T, class U>
  static Sum<U> eval(U a, U b, U c, bool carry) {
    return add(static_cast<U>(a * b), c, carry);
  }
};

struct MadHigh {
  template <class T, class U>
  static Sum<U> eval(U a, U b, U c, bool carry) {
    constexpr int bits = 8 * sizeof(U);
    if constexpr (std::is_signed_v<T>) {
      const SignedWide p = SignedWide{static_cast<T>(a)} * static_cast<T>(b);
      return add(static_cast<U>(p >> bits), c, carry);
    } else {
      return add(static_cast<U>(Wide{a} * b >> bits), c, carry);
    }
  }
};

/// op: d, a, b, c (or b again), the flag in, the flag out.
template <class Sem, class T>
Flow with_carry(Warp& warp, const Inst& inst, LaneMask active) {
  using U = Word<T>;
  U* d = destination<U>(warp, inst.op[0]);
  const U* a = source<U>(warp, inst.op[1]);
  const U* b = source<U>(warp, inst.op[2]);
  const U* c = source<U>(warp, inst.op[3]);
  const LaneMask in = warp.predicate(inst.op[4]);
  LaneMask out = 0;
  for_each_lane(active, [&](std::uint32_t lane) {
    const Sum<U> sum = Sem::template eval<T, U>(a[lane], b[lane], c[lane], (in >> lane & 1) != 0);
    d[lane] = sum.value;
    out |= LaneMask{sum.carry} << lane;
  });
  warp.set_predicate(inst.op[5], active, out);
  return Flow::next;
}

enum class In { no, yes };
enum class Out { no, yes };

template <class Sem, In in, Out out>
void bind(Binder& b) {
  const Type type = b.modifiers.type();
  Inst& inst = b.inst();
  inst.op[0] = b.out(0, type);
  inst.op[1] = b.in(1, type);
  inst.op[2] = b.in(2, type);
  inst.op[3] = b.in(b.has(3) ? 3 : 2, type);
  const Ref flag = b.function().hidden("CC.CF", LaneWidth::predicate);
  inst.op[4] = in == In::yes ? flag : b.constant(0, LaneWidth::predicate);
  inst.op[5] = out == Out::yes ? flag : b.scratch();
  with_integer(b, type, [&]<class T>() {
    if constexpr (sizeof(T) >= 4) b.run(with_carry<Sem, T>);
  });
}

constexpr std::array kOps{
    Op{"add", "cc type=u32|s32|u64|s64", "d, a, b", bind<Add, In::no, Out::yes>},
    Op{"addc", "type=u32|s32|u64|s64", "d, a, b", bind<Add, In::yes, Out::no>},
    Op{"addc", "cc type=u32|s32|u64|s64", "d, a, b", bind<Add, In::yes, Out::yes>},
    Op{"sub", "cc type=u32|s32|u64|s64", "d, a, b", bind<Sub, In::no, Out::yes>},
    Op{"subc", "type=u32|s32|u64|s64", "d, a, b", bind<Sub, In::yes, Out::no>},
    Op{"subc", "cc type=u32|s32|u64|s64", "d, a, b", bind<Sub, In::yes, Out::yes>},
    Op{"mad", "lo cc type=u32|s32|u64|s64", "d, a, b, c", bind<MadLow, In::no, Out::yes>},
    Op{"mad", "hi cc type=u32|s32|u64|s64", "d, a, b, c", bind<MadHigh, In::no, Out::yes>},
    Op{"madc", "lo type=u32|s32|u64|s64", "d, a, b, c", bind<MadLow, In::yes, Out::no>},
    Op{"madc", "hi type=u32|s32|u64|s64", "d, a, b, c", bind<MadHigh, In::yes, Out::no>},
    Op{"madc", "lo cc type=u32|s32|u64|s64", "d, a, b, c", bind<MadLow, In::yes, Out::yes>},
    Op{"madc", "hi cc type=u32|s32|u64|s64", "d, a, b, c", bind<MadHigh, In::yes, Out::yes>},
};

}  // namespace

std::span<const Op> carry_ops() {
  return kOps;
}

}  // namespace lc::isa
