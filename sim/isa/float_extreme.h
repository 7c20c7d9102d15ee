#pragma once

#include <bit>
#include <cstdint>

#include "sim/isa/float_number.h"
#include "sim/isa/lanewise.h"

// Signs and extremes of floating-point numbers (PTX ISA 9.7.3.11, 9.7.4.7), shared by f32, f64 and
// the halves, which are compared as floats.
namespace lc::isa {

template <class T>
struct Layout;
template <>
struct Layout<float> {
  static constexpr std::uint32_t sign = 0x80000000, infinity = 0x7F800000, normal = 0x00800000;
};
template <>
struct Layout<double> {
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63,
                                 infinity = std::uint64_t{0x7FF} << 52,
                                 normal = std::uint64_t{1} << 52;
};

template <class T>
Word<T> bits_of(T value) {
  return std::bit_cast<Word<T>>(value);
}

/// -0 is less than +0; a NaN loses, or wins with .NaN.
template <bool Largest, bool Nan>
struct Extreme {
  template <class T>
  static T eval(T a, T b) {
    const bool a_first = Largest ? a > b : a < b;
    const Word<T> tie = Largest ? bits_of(a) & bits_of(b) : bits_of(a) | bits_of(b);
    T r = a == b ? std::bit_cast<T>(tie) : a_first ? a : b;
    if (Nan) return canonical(a != a ? a : b != b ? b : r);
    r = b != b ? a : r;
    return canonical(a != a ? b : r);
  }
};

template <class T>
T magnitude(T a) {
  return std::bit_cast<T>(bits_of(a) & ~Layout<T>::sign);
}

template <class Sem>
struct OfMagnitudes {
  template <class... T>
  static auto eval(T... a) {
    return Sem::eval(magnitude(a)...);
  }
};

/// .xorsign.abs: the extreme of the magnitudes with the product of the signs, unless it is NaN.
template <class Sem>
struct XorSign {
  template <class T>
  static T eval(T a, T b) {
    const T r = Sem::eval(magnitude(a), magnitude(b));
    const Word<T> sign = (bits_of(a) ^ bits_of(b)) & Layout<T>::sign;
    return r != r ? r : std::bit_cast<T>(bits_of(r) | sign);
  }
};

}  // namespace lc::isa
