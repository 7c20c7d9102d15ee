#pragma once

#include <cstdint>

#include "sim/numerics/minifloat.h"
#include "sim/ptx/types.h"

// cvt between single numbers (PTX ISA 9.7.9.21), as a function of bits: every pair of the integer
// types and f16, bf16, f32, f64, with every rounding.
namespace lc::isa {

struct Conversion {
  ptx::Type destination = ptx::Type::none;
  ptx::Type source = ptx::Type::none;
  numerics::Rounding rounding = numerics::Rounding::nearest_even;
  bool integral = false;  ///< .rni, .rzi, .rmi, .rpi: to a whole number
  bool ftz = false;       ///< f32 operands and results
  bool sat = false;
};

/// The destination's bits at the bottom of the word, zero-extended.
std::uint64_t converted(const Conversion& conversion, std::uint64_t bits);

/// A whole number, rounded to the 53 bits of a double.
double to_double(bool negative, std::uint64_t magnitude, numerics::Rounding rounding);

/// .rs: rounds up in magnitude when the fraction that is cut off and `random`, a fraction of
/// `random_bits` bits, carry out (PTX ISA: "Stochastic rounding").  `overflow` as in encode.
std::uint32_t encode_stochastic(numerics::Format format, double value, std::uint32_t random,
                                int random_bits, numerics::Overflow overflow);

}  // namespace lc::isa
