#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/isa/half.h"
#include "sim/numerics/minifloat.h"

// a * b + c of halves, rounded once.
namespace lc::isa {

/// Drops the last 29 bits of the mantissa and leaves a trace of them in the bit above: the float
/// rounds on to fewer bits as the double would have.
inline float sticky_float(double value) {
  constexpr std::uint64_t rest = (std::uint64_t{1} << 29) - 1;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sticky = (bits & rest) != 0 ? std::uint64_t{1} << 29 : 0;
  return static_cast<float>(std::bit_cast<double>((bits | sticky) & ~rest));
}

/// The product has 22 bits.  Where the sum does not fit in a double, the smaller part is far below
/// half a unit of the other, so that rounding it away changes nothing.
inline F16 fused(F16 a, F16 b, F16 c) {
  return nearest_f16(sticky_float(double{to_float(a)} * to_float(b) + to_float(c)));
}

/// a + b, where inexact the neighbour whose last bit is 1: rounds on to fewer bits as the exact sum
/// would.
inline double sum_to_odd(double a, double b) {
  const double s = a + b;
  const double part = s - a;
  const double error = (a - (s - part)) + (b - part);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(s);
  if (!std::isfinite(s) || error == 0 || (bits & 1) != 0) return s;
  return std::bit_cast<double>((error > 0) == (s > 0) ? bits + 1 : bits - 1);
}

/// The product has 16 bits, but the exponents of product and addend may be hundreds apart.
inline Bf16 fused(Bf16 a, Bf16 b, Bf16 c) {
  const double sum = sum_to_odd(double{to_float(a)} * to_float(b), to_float(c));
  return {static_cast<std::uint16_t>(
      numerics::encode(numerics::Format::bf16, sum, numerics::Rounding::nearest_even))};
}

}  // namespace lc::isa
