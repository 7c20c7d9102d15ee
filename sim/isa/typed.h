#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "sim/isa/lanewise.h"

// From the types in an instruction's modifiers to the C++ types its handler is made of.
namespace lc::isa {

/// Calls `f.template operator()<T>()` with the C++ type of an integer type; bit types count as
/// unsigned.
template <class F>
void with_integer(Binder& b, Type type, F&& f) {
  switch (type) {
    case Type::b8:
    case Type::u8:
      return f.template operator()<std::uint8_t>();
    case Type::s8:
      return f.template operator()<std::int8_t>();
    case Type::b16:
    case Type::u16:
      return f.template operator()<std::uint16_t>();
    case Type::s16:
      return f.template operator()<std::int16_t>();
    case Type::b32:
    case Type::u32:
      return f.template operator()<std::uint32_t>();
    case Type::s32:
      return f.template operator()<std::int32_t>();
    case Type::b64:
    case Type::u64:
      return f.template operator()<std::uint64_t>();
    case Type::s64:
      return f.template operator()<std::int64_t>();
    default:
      b.fail("an integer type is expected");
  }
}

/// The same for the types that only differ in width: 16, 32 or 64 bits.
template <class F>
void with_bits(Binder& b, Type type, F&& f) {
  switch (ptx::row_of(type).bits) {
    case 16:
      return f.template operator()<std::uint16_t>();
    case 32:
      return f.template operator()<std::uint32_t>();
    case 64:
      return f.template operator()<std::uint64_t>();
    default:
      b.fail("a type of 16, 32 or 64 bits is expected");
  }
}

/// Operands in the order of the text: the destination, then the sources.
inline void place(Binder& b, Type destination, std::initializer_list<Type> sources) {
  b.inst().op[0] = b.out(0, destination);
  std::size_t i = 1;
  for (const Type source : sources) {
    b.inst().op[i] = b.in(i, source);
    ++i;
  }
}

/// Two halves of a 32-bit register, each computed by `Sem` in T, a 16-bit type.
template <class Sem, class T>
struct Halves {
  template <class... A>
  static std::uint32_t eval(A... a) {
    const auto half = [&](int shift) {
      const T r = Sem::eval(static_cast<T>(a >> shift)...);
      return static_cast<std::uint32_t>(static_cast<std::uint16_t>(r));
    };
    return half(0) | half(16) << 16;
  }
};

/// Unsigned arithmetic wraps, whatever the width: what narrow and signed types compute in.
template <class T>
Word<T> wrapping(T value) {
  return static_cast<Word<T>>(value);
}

}  // namespace lc::isa
