#include <array>

#include "sim/isa/families.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.8: logic and shifts.
namespace lc::isa {
namespace {

struct And {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct Or {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct Xor {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

struct Not {
  template <class T>
  static T eval(T a) {
    return static_cast<T>(~a);
  }
};

/// C's !a
struct Cnot {
  template <class T>
  static T eval(T a) {
    return a == 0 ? T{1} : T{0};
  }
};

/// Amounts are 32 bits wide and not taken modulo the width: from the width on, all bits are out.
struct Shl {
  template <class T>
  static T eval(T a, std::uint32_t n) {
    constexpr std::uint32_t bits = 8 * sizeof(T);
    return n < bits ? static_cast<T>(wrapping(a) << n) : T{0};
  }
};

struct Shr {
  template <class T>
  static T eval(T a, std::uint32_t n) {
    constexpr std::uint32_t last = 8 * sizeof(T) - 1;
    return static_cast<T>(static_cast<T>(a >> (n < last ? n : last)) >> (n > last ? 1 : 0));
  }
};

/// The 64 bits b:a, shifted by n <= 32.
struct FunnelLeft {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
    const std::uint64_t whole = std::uint64_t{b} << 32 | a;
    return static_cast<std::uint32_t>((whole << n) >> 32);
  }
};

struct FunnelRight {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) >> n);
  }
};

template <class Sem>
struct Clamped {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
    return Sem::eval(a, b, n < 32 ? n : 32);
  }
};

template <class Sem>
struct Wrapped {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
    return Sem::eval(a, b, n & 31);
  }
};

/// Bit i of the result is bit a[i] b[i] c[i] of the table.
std::uint32_t looked_up(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto chosen = [&](std::uint32_t entry) { return 0 - (table >> entry & 1); };
  const auto by_c = [&](std::uint32_t entry) {
    return (c & chosen(entry + 1)) | (~c & chosen(entry));
  };
  return (a & ((b & by_c(6)) | (~b & by_c(4)))) | (~a & ((b & by_c(2)) | (~b & by_c(0))));
}

struct Lookup {
  std::uint32_t table = 0;
  bool combine_or = false;
};

/// Only fills d; returns the lanes in which it is not 0.
LaneMask look_up(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint32_t table = info<Lookup>(inst).table;
  std::uint32_t* d = warp.out32(inst.op[0]);
  const std::uint32_t* a = warp.in32(inst.op[1]);
  const std::uint32_t* b = warp.in32(inst.op[2]);
  const std::uint32_t* c = warp.in32(inst.op[3]);
  LaneMask nonzero = 0;
  over_lanes(active, [&](std::uint32_t lane) {
    const std::uint32_t r = looked_up(table, a[lane], b[lane], c[lane]);
    d[lane] = r;
    nonzero |= LaneMask{r != 0} << lane;
  });
  return nonzero;
}

Flow lop3(Warp& warp, const Inst& inst, LaneMask active) {
  look_up(warp, inst, active);
  return Flow::next;
}

/// p = (d != 0) and|or q
Flow lop3_predicate(Warp& warp, const Inst& inst, LaneMask active) {
  const LaneMask nonzero = look_up(warp, inst, active);
  const LaneMask q = warp.predicate(inst.op[5]);
  const LaneMask p = info<Lookup>(inst).combine_or ? nonzero | q : nonzero & q;
  warp.set_predicate(inst.op[4], active, p);
  return Flow::next;
}

void place_lop3(Binder& b, const ptx::Operand& d, bool combine_or) {
  Inst& inst = b.inst();
  inst.op[0] = b.out(d, Type::b32);
  for (std::size_t i = 1; i <= 3; ++i) inst.op[i] = b.in(i, Type::b32);
  b.keep(Lookup{static_cast<std::uint32_t>(b.immediate_in(4, 0, 255)), combine_or});
}

void bind_lop3(Binder& b) {
  place_lop3(b, b.operand(0), false);
  b.run(lop3);
}

void bind_lop3_predicate(Binder& b) {
  const ptx::Operand* p = b.second_of(0);
  if (p == nullptr) b.fail(b.operand(0), "the form is d|p", "_|p when only the predicate is used");
  place_lop3(b, b.first_of(0), b.modifiers.has("or"));
  b.inst().op[4] = b.out_predicate(*p);
  b.inst().op[5] = b.predicate(5);
  b.run(lop3_predicate);
}

template <class Sem>
Flow on_predicates(Warp& warp, const Inst& inst, LaneMask active) {
  const LaneMask a = warp.predicate(inst.op[1]);
  warp.set_predicate(inst.op[0], active, Sem::eval(a, warp.predicate(inst.op[2])));
  return Flow::next;
}

template <class Sem>
void bind_logic(Binder& b) {
  const Type type = b.modifiers.type();
  if (type == Type::pred) {
    b.inst().op = {b.out_predicate(0), b.predicate(1), b.predicate(2)};
    return b.run(on_predicates<Sem>);
  }
  place(b, type, {type, type});
  with_integer(b, type, [&]<class T>() { b.run(lanewise<Sem, T, T, T>); });
}

void bind_not(Binder& b) {
  const Type type = b.modifiers.type();
  if (type == Type::pred) {
    // !a, said as an exclusive or with true.
    b.inst().op = {b.out_predicate(0), b.predicate(1), b.always()};
    return b.run(on_predicates<Xor>);
  }
  place(b, type, {type});
  with_integer(b, type, [&]<class T>() { b.run(lanewise<Not, T, T>); });
}

void bind_cnot(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type});
  with_integer(b, type, [&]<class T>() { b.run(lanewise<Cnot, T, T>); });
}

template <class Sem>
void bind_shift(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, Type::u32});
  with_integer(b, type, [&]<class T>() { b.run(lanewise<Sem, T, T, std::uint32_t>); });
}

template <class Sem>
void bind_funnel(Binder& b) {
  place(b, Type::b32, {Type::b32, Type::b32, Type::u32});
  using U = std::uint32_t;
  b.run(b.modifiers.has("wrap") ? lanewise<Wrapped<Sem>, U, U, U, U>
                                : lanewise<Clamped<Sem>, U, U, U, U>);
}

constexpr std::array kOps{
    Op{"and", "type=pred|b16|b32|b64", "d, a, b", bind_logic<And>},
    Op{"or", "type=pred|b16|b32|b64", "d, a, b", bind_logic<Or>},
    Op{"xor", "type=pred|b16|b32|b64", "d, a, b", bind_logic<Xor>},
    Op{"not", "type=pred|b16|b32|b64", "d, a", bind_not},
    Op{"cnot", "type=b16|b32|b64", "d, a", bind_cnot},
    Op{"lop3", "b32", "d, a, b, c, immLut", bind_lop3},
    Op{"lop3", "or|and b32", "d|p, a, b, c, immLut, q", bind_lop3_predicate},
    Op{"shl", "type=b16|b32|b64", "d, a, b", bind_shift<Shl>},
    Op{"shr", "type=b16|b32|b64|u16|u32|u64|s16|s32|s64", "d, a, b", bind_shift<Shr>},
    Op{"shf", "l clamp|wrap b32", "d, a, b, c", bind_funnel<FunnelLeft>},
    Op{"shf", "r clamp|wrap b32", "d, a, b, c", bind_funnel<FunnelRight>},
};

}  // namespace

std::span<const Op> logic_ops() {
  return kOps;
}

}  // namespace lc::isa
