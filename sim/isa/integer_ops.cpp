#include <array>
#include <limits>
#include <type_traits>

#include "sim/isa/families.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.1: sums, differences, quotients, extremes.  Products are in integer_mul_ops.cpp,
// carries in carry_ops.cpp.
namespace lc::isa {
namespace {

struct Add {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>(wrapping(a) + wrapping(b));
  }
};

struct Sub {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>(wrapping(a) - wrapping(b));
  }
};

std::int32_t clamped(std::int64_t v) {
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(v < low ? low : v > high ? high : v);
}

struct AddSat {
  static std::int32_t eval(std::int32_t a, std::int32_t b) { return clamped(std::int64_t{a} + b); }
};

struct SubSat {
  static std::int32_t eval(std::int32_t a, std::int32_t b) { return clamped(std::int64_t{a} - b); }
};

struct Min {
  template <class T>
  static T eval(T a, T b) {
    return b < a ? b : a;
  }
};

struct Max {
  template <class T>
  static T eval(T a, T b) {
    return a < b ? b : a;
  }
};

/// .relu: negative results become 0.
template <class Sem>
struct Relu {
  template <class T>
  static T eval(T a, T b) {
    const T r = Sem::eval(a, b);
    return r < 0 ? T{0} : r;
  }
};

/// A divisor of 0 gives all ones (the ISA leaves it open; measured on an H200), MININT / -1 wraps.
struct Div {
  template <class T>
  static T eval(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(0 - wrapping(a));
    }
    return static_cast<T>(a / b);
  }
};

/// Rounds towards zero; a divisor of 0 gives all ones (measured on an H200).
struct Rem {
  template <class T>
  static T eval(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};

struct Abs {
  template <class T>
  static T eval(T a) {
    return a < 0 ? static_cast<T>(0 - wrapping(a)) : a;
  }
};

struct Neg {
  template <class T>
  static T eval(T a) {
    return static_cast<T>(0 - wrapping(a));
  }
};

/// d = c + |a - b|
struct Sad {
  template <class T>
  static T eval(T a, T b, T c) {
    const Word<T> difference = a < b ? wrapping(b) - wrapping(a) : wrapping(a) - wrapping(b);
    return static_cast<T>(wrapping(c) + difference);
  }
};

template <class Sem>
void bind_unary(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type});
  with_integer(b, type, [&]<class T>() { b.run(lanewise<Sem, T, T>); });
}

template <class Sem>
void bind_binary(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, type});
  with_integer(b, type, [&]<class T>() { b.run(lanewise<Sem, T, T, T>); });
}

template <class Sem>
void bind_ternary(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, type, type});
  with_integer(b, type, [&]<class T>() { b.run(lanewise<Sem, T, T, T, T>); });
}

template <class Sem>
void bind_s32(Binder& b) {
  place(b, Type::s32, {Type::s32, Type::s32});
  b.run(lanewise<Sem, std::int32_t, std::int32_t, std::int32_t>);
}

template <class Sem>
void bind_pair(Binder& b) {
  place(b, Type::b32, {Type::b32, Type::b32});
  using U = std::uint32_t;
  if (b.modifiers.type() == Type::s16x2) {
    b.run(lanewise<Halves<Sem, std::int16_t>, U, U, U>);
  } else {
    b.run(lanewise<Halves<Sem, std::uint16_t>, U, U, U>);
  }
}

template <class Sem>
void bind_relu_pair(Binder& b) {
  place(b, Type::b32, {Type::b32, Type::b32});
  using U = std::uint32_t;
  b.run(lanewise<Halves<Relu<Sem>, std::int16_t>, U, U, U>);
}

constexpr std::string_view kAny = "type=u16|u32|u64|s16|s32|s64";
constexpr std::string_view kSigned = "type=s16|s32|s64";
constexpr std::string_view kPairs = "type=u16x2|s16x2";

constexpr std::array kOps{
    Op{"add", kAny, "d, a, b", bind_binary<Add>},
    Op{"add", "sat type=s32", "d, a, b", bind_s32<AddSat>},
    Op{"add", kPairs, "d, a, b", bind_pair<Add>},
    Op{"sub", kAny, "d, a, b", bind_binary<Sub>},
    Op{"sub", "sat type=s32", "d, a, b", bind_s32<SubSat>},
    Op{"sub", kPairs, "d, a, b", bind_pair<Sub>},
    Op{"div", kAny, "d, a, b", bind_binary<Div>, "a divisor of 0 gives all ones"},
    Op{"rem", kAny, "d, a, b", bind_binary<Rem>, "a divisor of 0 gives all ones"},
    Op{"abs", kSigned, "d, a", bind_unary<Abs>},
    Op{"neg", kSigned, "d, a", bind_unary<Neg>},
    Op{"sad", kAny, "d, a, b, c", bind_ternary<Sad>},
    Op{"min", kAny, "d, a, b", bind_binary<Min>},
    Op{"min", "relu type=s32", "d, a, b", bind_s32<Relu<Min>>},
    Op{"min", kPairs, "d, a, b", bind_pair<Min>},
    Op{"min", "relu type=s16x2", "d, a, b", bind_relu_pair<Min>},
    Op{"max", kAny, "d, a, b", bind_binary<Max>},
    Op{"max", "relu type=s32", "d, a, b", bind_s32<Relu<Max>>},
    Op{"max", kPairs, "d, a, b", bind_pair<Max>},
    Op{"max", "relu type=s16x2", "d, a, b", bind_relu_pair<Max>},
};

}  // namespace

std::span<const Op> integer_ops() {
  return kOps;
}

}  // namespace lc::isa
