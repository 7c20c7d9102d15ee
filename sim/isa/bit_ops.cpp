#include <array>
#include <bit>
#include <string_view>
#include <type_traits>

#include "sim/isa/families.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.1 and 9.7.9.7: bits, bit fields, bytes.
namespace lc::isa {
namespace {

struct Popc {
  template <class T>
  static std::uint32_t eval(T a) {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};

struct Clz {
  template <class T>
  static std::uint32_t eval(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};

struct Brev {
  template <class T>
  static T eval(T a) {
    T r = 0;
    for (std::size_t i = 0; i < 8 * sizeof(T); ++i, a >>= 1) r = r << 1 | (a & 1);
    return r;
  }
};

/// Position of the highest bit that is no sign; none: all ones.
struct Bfind {
  template <class T>
  static std::uint32_t eval(T a) {
    const auto bits = static_cast<Word<T>>(a < 0 ? ~a : a);
    return static_cast<std::uint32_t>(std::bit_width(bits)) - 1;
  }
};

/// … and how far it is from the top.
struct BfindShift {
  template <class T>
  static std::uint32_t eval(T a) {
    const std::uint32_t at = Bfind::eval(a);
    return at == 0xFFFFFFFF ? at : static_cast<std::uint32_t>(8 * sizeof(T)) - 1 - at;
  }
};

/// `length` ones at the bottom.
template <class T>
constexpr T ones(std::uint32_t length) {
  return length >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
}

/// A position or length: 8 bits in the 32-bit forms.  The 64-bit forms of an H200 take numbers of
/// 256 and more for what they are (the ISA leaves them open).
template <class T>
constexpr std::uint32_t in_range(std::uint32_t n) {
  return sizeof(T) == 8 ? (n < 255 ? n : 255) : n & 0xFF;
}

struct Bfe {
  template <class T>
  static T eval(T a, std::uint32_t b, std::uint32_t c) {
    using U = Word<T>;
    constexpr std::uint32_t top = 8 * sizeof(T) - 1;
    const std::uint32_t at = in_range<T>(b), length = in_range<T>(c);
    const auto bits = static_cast<U>(a);
    const std::uint32_t sign_at = at + length == 0 ? 0 : at + length - 1;
    const bool sign =
        std::is_signed_v<T> && length != 0 && (bits >> (sign_at < top ? sign_at : top) & 1) != 0;
    const std::uint32_t there = at > top ? 0 : (length < top + 1 - at ? length : top + 1 - at);
    const U field = at > top ? U{0} : static_cast<U>(bits >> at & ones<U>(there));
    return static_cast<T>(sign ? field | static_cast<U>(~ones<U>(there)) : field);
  }
};

struct Bfi {
  template <class T>
  static T eval(T a, T b, std::uint32_t c, std::uint32_t d) {
    constexpr std::uint32_t bits = 8 * sizeof(T);
    const std::uint32_t at = in_range<T>(c), length = in_range<T>(d);
    if (at >= bits) return b;
    const T mask = static_cast<T>(ones<T>(length) << at);
    return static_cast<T>((b & ~mask) | (static_cast<T>(a << at) & mask));
  }
};

/// Takes the low `b` bits of a; 32 and more: `.clamp` takes all, `.wrap` counts modulo 32.
template <bool Wrap>
struct Szext {
  template <class T>
  static T eval(T a, std::uint32_t b) {
    if (!Wrap && b >= 32) return a;
    const std::uint32_t n = b & 31;
    if (n == 0) return 0;
    return static_cast<T>(static_cast<T>(wrapping(a) << (32 - n)) >> (32 - n));
  }
};

/// Ones from bit a on, b of them.
template <bool Wrap>
struct Bmsk {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b) {
    if (!Wrap && a >= 32) return 0;
    const std::uint32_t length = Wrap ? b & 31 : b;
    return ones<std::uint32_t>(length) << (a & 31);
  }
};

/// The n-th set bit from `base` on, upwards for n > 0, downwards for n < 0; 0: base itself.
struct Fns {
  static std::uint32_t eval(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
    const auto is_set = [&](std::int64_t at) { return (mask >> (at & 31) & 1) != 0; };
    if (n == 0) return base < 32 && is_set(base) ? base : 0xFFFFFFFF;
    std::int64_t left = n > 0 ? n : -std::int64_t{n};
    const int step = n > 0 ? 1 : -1;
    for (std::int64_t at = base; at >= 0 && at < 32; at += step) {
      if (is_set(at) && --left == 0) return static_cast<std::uint32_t>(at);
    }
    return 0xFFFFFFFF;
  }
};

std::uint32_t byte_of(std::uint32_t a, std::uint32_t b, std::uint32_t index) {
  return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) >> 8 * (index & 7)) & 0xFF;
}

/// Four selectors of 4 bits; the highest bit of one replicates the sign of the byte.
struct Prmt {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t d = 0;
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t selector = c >> 4 * i & 0xF;
      std::uint32_t byte = byte_of(a, b, selector);
      if (selector & 8) byte = (byte & 0x80) != 0 ? 0xFF : 0;
      d |= byte << 8 * i;
    }
    return d;
  }
};

struct PrmtMode {
  std::string_view name;
  std::uint16_t selectors[4];  ///< by the low bits of c
};

constexpr PrmtMode kPrmtModes[] = {
    {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
};

template <int Mode>
struct PrmtIn {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return Prmt::eval(a, b, kPrmtModes[Mode].selectors[c & 3]);
  }
};

template <class Sem>
void bind_count(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, Type::u32, {type});
  with_integer(b, type, [&]<class T>() {
    if constexpr (std::is_unsigned_v<T>) b.run(lanewise<Sem, std::uint32_t, T>);
  });
}

template <class Sem>
void bind_find(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, Type::u32, {type});
  with_integer(b, type, [&]<class T>() {
    if constexpr (sizeof(T) >= 4) b.run(lanewise<Sem, std::uint32_t, T>);
  });
}

void bind_brev(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type});
  if (type == Type::b32) {
    b.run(lanewise<Brev, std::uint32_t, std::uint32_t>);
  } else {
    b.run(lanewise<Brev, std::uint64_t, std::uint64_t>);
  }
}

void bind_bfe(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, Type::u32, Type::u32});
  using U = std::uint32_t;
  with_integer(b, type, [&]<class T>() {
    if constexpr (sizeof(T) >= 4) b.run(lanewise<Bfe, T, T, U, U>);
  });
}

void bind_bfi(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, type, Type::u32, Type::u32});
  using U = std::uint32_t;
  if (type == Type::b32) {
    b.run(lanewise<Bfi, U, U, U, U, U>);
  } else {
    b.run(lanewise<Bfi, std::uint64_t, std::uint64_t, std::uint64_t, U, U>);
  }
}

template <bool Wrap>
void bind_szext(Binder& b) {
  const Type type = b.modifiers.type();
  place(b, type, {type, Type::u32});
  if (type == Type::s32) {
    b.run(lanewise<Szext<Wrap>, std::int32_t, std::int32_t, std::uint32_t>);
  } else {
    b.run(lanewise<Szext<Wrap>, std::uint32_t, std::uint32_t, std::uint32_t>);
  }
}

template <bool Wrap>
void bind_bmsk(Binder& b) {
  place(b, Type::b32, {Type::b32, Type::b32});
  b.run(lanewise<Bmsk<Wrap>, std::uint32_t, std::uint32_t, std::uint32_t>);
}

void bind_fns(Binder& b) {
  place(b, Type::b32, {Type::b32, Type::b32, Type::s32});
  b.run(lanewise<Fns, std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>);
}

void bind_prmt(Binder& b) {
  place(b, Type::b32, {Type::b32, Type::b32, Type::b32});
  using U = std::uint32_t;
  constexpr machine::Handler handlers[] = {
      lanewise<PrmtIn<0>, U, U, U, U>, lanewise<PrmtIn<1>, U, U, U, U>,
      lanewise<PrmtIn<2>, U, U, U, U>, lanewise<PrmtIn<3>, U, U, U, U>,
      lanewise<PrmtIn<4>, U, U, U, U>, lanewise<PrmtIn<5>, U, U, U, U>,
  };
  b.run(lanewise<Prmt, U, U, U, U>);
  for (std::size_t i = 0; i < std::size(kPrmtModes); ++i) {
    if (b.modifiers["mode"] == kPrmtModes[i].name) b.run(handlers[i]);
  }
}

constexpr std::array kOps{
    Op{"popc", "type=b32|b64", "d, a", bind_count<Popc>},
    Op{"clz", "type=b32|b64", "d, a", bind_count<Clz>},
    Op{"brev", "type=b32|b64", "d, a", bind_brev},
    Op{"bfind", "type=u32|u64|s32|s64", "d, a", bind_find<Bfind>},
    Op{"bfind", "shiftamt type=u32|u64|s32|s64", "d, a", bind_find<BfindShift>},
    Op{"bfe", "type=u32|u64|s32|s64", "d, a, b, c", bind_bfe},
    Op{"bfi", "type=b32|b64", "d, a, b, c, e", bind_bfi},
    Op{"szext", "clamp type=u32|s32", "d, a, b", bind_szext<false>},
    Op{"szext", "wrap type=u32|s32", "d, a, b", bind_szext<true>},
    Op{"bmsk", "clamp b32", "d, a, b", bind_bmsk<false>},
    Op{"bmsk", "wrap b32", "d, a, b", bind_bmsk<true>},
    Op{"fns", "b32", "d, mask, base, offset", bind_fns},
    Op{"prmt", "b32 [mode=f4e|b4e|rc8|ecl|ecr|rc16]", "d, a, b, c", bind_prmt},
};

}  // namespace

std::span<const Op> bit_ops() {
  return kOps;
}

}  // namespace lc::isa
