#include <array>
#include <limits>
#include <type_traits>

#include "sim/isa/families.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.1: products.
namespace lc::isa {
namespace {

__extension__ using Wide128 = unsigned __int128;
__extension__ using Signed128 = __int128;

/// A type of twice the width, with the same sign.
template <class T>
struct Doubled;
template <>
struct Doubled<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct Doubled<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct Doubled<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct Doubled<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct Doubled<std::uint64_t> {
  using type = Wide128;
};
template <>
struct Doubled<std::int64_t> {
  using type = Signed128;
};
template <class T>
using Twice = typename Doubled<T>::type;

template <class T>
Twice<T> product(T a, T b) {
  return static_cast<Twice<T>>(static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b));
}

struct Low {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>(wrapping(a) * wrapping(b));
  }
};

struct High {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>(product(a, b) >> (8 * sizeof(T)));
  }
};

struct WideProduct {
  template <class T>
  static Twice<T> eval(T a, T b) {
    return product(a, b);
  }
};

/// The low 24 bits of a 32-bit register, with the sign of its type.
template <class T>
Twice<T> low_24(T a) {
  return static_cast<Twice<T>>(static_cast<T>(wrapping(a) << 8) >> 8);
}

struct Low24 {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>(low_24(a) * low_24(b));
  }
};

struct High24 {
  template <class T>
  static T eval(T a, T b) {
    return static_cast<T>((low_24(a) * low_24(b)) >> 16);
  }
};

/// d = product + c
template <class Sem>
struct ThenAdd {
  template <class T, class C>
  static C eval(T a, T b, C c) {
    return static_cast<C>(wrapping(static_cast<C>(Sem::eval(a, b))) + wrapping(c));
  }
};

template <class Sem>
struct ThenAddSat {
  static std::int32_t eval(std::int32_t a, std::int32_t b, std::int32_t c) {
    const std::int64_t sum = std::int64_t{Sem::eval(a, b)} + c;
    constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(sum < low ? low : sum > high ? high : sum);
  }
};

Type doubled(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    default:
      return Type::s64;
  }
}

template <class Sem>
void bind_mul(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, type});
  with_integer(b, type, [&]<class T>() {
    if constexpr (sizeof(T) > 1) b.run(lanewise<Sem, T, T, T>);
  });
}

template <class Sem>
void bind_mad(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, type, type});
  with_integer(b, type, [&]<class T>() {
    if constexpr (sizeof(T) > 1) b.run(lanewise<ThenAdd<Sem>, T, T, T, T>);
  });
}

void bind_mul_wide(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, doubled(type), {type, type});
  with_integer(b, type, [&]<class T>() {
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) b.run(lanewise<WideProduct, Twice<T>, T, T>);
  });
}

void bind_mad_wide(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, doubled(type), {type, type, doubled(type)});
  with_integer(b, type, [&]<class T>() {
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
      b.run(lanewise<ThenAdd<WideProduct>, Twice<T>, T, T, Twice<T>>);
    }
  });
}

template <class Sem>
void bind_mul24(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, type});
  if (type == Type::u32) {
    b.run(lanewise<Sem, std::uint32_t, std::uint32_t, std::uint32_t>);
  } else {
    b.run(lanewise<Sem, std::int32_t, std::int32_t, std::int32_t>);
  }
}

template <class Sem>
void bind_mad24(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, type, type});
  using U = std::uint32_t;
  using S = std::int32_t;
  if (type == Type::u32) {
    b.run(lanewise<ThenAdd<Sem>, U, U, U, U>);
  } else {
    b.run(lanewise<ThenAdd<Sem>, S, S, S, S>);
  }
}

template <class Sem>
void bind_mad_sat(Binder& b) {
  place(b, Type::s32, {Type::s32, Type::s32, Type::s32});
  using S = std::int32_t;
  b.run(lanewise<ThenAddSat<Sem>, S, S, S, S>);
}

/// Sums of products of bytes or halves; A and B are the types of an element of a and b.
template <class A, class B>
struct Dot4 {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int i = 0; i < 32; i += 8) {
      c += static_cast<std::uint32_t>(static_cast<A>(a >> i) * static_cast<B>(b >> i));
    }
    return c;
  }
};

template <class A, class B, int Shift>
struct Dot2 {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int i = 0; i < 2; ++i) {
      c += static_cast<std::uint32_t>(static_cast<A>(a >> 16 * i) *
                                      static_cast<B>(b >> (Shift + 8 * i)));
    }
    return c;
  }
};

template <template <class, class> class Dot, class UnsignedA, class SignedA>
void bind_dot(Binder& b) {
  const Type a_type = b.modifiers.type("a"), b_type = b.modifiers.type("b");
  place(b, Type::b32, {a_type, b_type, Type::b32});
  using U = std::uint32_t;
  const bool a_signed = a_type == Type::s32, b_signed = b_type == Type::s32;
  if (a_signed) {
    b.run(b_signed ? lanewise<Dot<SignedA, std::int8_t>, U, U, U, U>
                   : lanewise<Dot<SignedA, std::uint8_t>, U, U, U, U>);
  } else {
    b.run(b_signed ? lanewise<Dot<UnsignedA, std::int8_t>, U, U, U, U>
                   : lanewise<Dot<UnsignedA, std::uint8_t>, U, U, U, U>);
  }
}

template <class A, class B>
using Dot2Low = Dot2<A, B, 0>;
template <class A, class B>
using Dot2High = Dot2<A, B, 16>;

constexpr std::array kOps{
    Op{"mul", "lo type=u16|u32|u64|s16|s32|s64", "d, a, b", bind_mul<Low>},
    Op{"mul", "hi type=u16|u32|u64|s16|s32|s64", "d, a, b", bind_mul<High>},
    Op{"mul", "wide type=u16|u32|s16|s32", "d, a, b", bind_mul_wide},
    Op{"mad", "lo type=u16|u32|u64|s16|s32|s64", "d, a, b, c", bind_mad<Low>},
    Op{"mad", "hi type=u16|u32|u64|s16|s32|s64", "d, a, b, c", bind_mad<High>},
    Op{"mad", "wide type=u16|u32|s16|s32", "d, a, b, c", bind_mad_wide},
    Op{"mad", "hi sat type=s32", "d, a, b, c", bind_mad_sat<High>},
    Op{"mul24", "lo type=u32|s32", "d, a, b", bind_mul24<Low24>},
    Op{"mul24", "hi type=u32|s32", "d, a, b", bind_mul24<High24>},
    Op{"mad24", "lo type=u32|s32", "d, a, b, c", bind_mad24<Low24>},
    Op{"mad24", "hi type=u32|s32", "d, a, b, c", bind_mad24<High24>},
    Op{"mad24", "hi sat type=s32", "d, a, b, c", bind_mad_sat<High24>},
    Op{"dp4a", "a=u32|s32 b=u32|s32", "d, a, b, c", bind_dot<Dot4, std::uint8_t, std::int8_t>},
    Op{"dp2a", "lo a=u32|s32 b=u32|s32", "d, a, b, c",
       bind_dot<Dot2Low, std::uint16_t, std::int16_t>},
    Op{"dp2a", "hi a=u32|s32 b=u32|s32", "d, a, b, c",
       bind_dot<Dot2High, std::uint16_t, std::int16_t>},
};

}  // namespace

std::span<const Op> integer_mul_ops() {
  return kOps;
}

}  // namespace lc::isa
