#pragma once

#include <cstdint>

#include "sim/numerics/dot_rule.h"
#include "sim/numerics/operand.h"

/// Tiles for which no rule rounds: then a plain product gives the identical words, faster.
///
/// Proof.  Let every product and every C be a multiple of u = 2^q, and K * max|a| * max|b| + max|C|
/// <= 2^w * u, with w = 24, the bits of a float.  Then
///  1. every partial sum, in any order, is a multiple of u not above 2^24 * u, so float holds it:
///  float
///     addition, multiplication and FMA are exact throughout (q >= -126 and a bound below 2^127
///     keep clear of subnormal numbers and infinity);
///  2. the tensor core cuts terms at 2^(E - window).  With E - window <= q it cuts nothing, and its
///     sum is the exact one;
///  3. the result has at most w bits above u.  An f32 result with 23 fraction bits holds it as it
///  is;
///     one with 13 does if we demand w = 14; an f16 result is rounded once, from the exact sum, by
///     both.
/// Zero: the tensor core returns +0; a float sum that starts with +0 never becomes -0.
namespace lc::numerics {

/// C and D words, row by row.
struct Accumulators {
  std::uint32_t* words;
  std::size_t row_stride;
};

/// Multiplies if the proof holds for these tiles; false, and nothing written, if it does not.
/// `sign` is -1 where exactly one operand is negated; C is read unless `read_c` is false.
bool exact_product(const DotRule& rule, const Operand& a, const Operand& b, float sign, bool read_c,
                   Accumulators cd);

/// Adds sign * A * B over k_begin <= k < k_end to `sums`, which has a.mn() rows of b.stride()
/// floats; in plain float arithmetic, in any order.
void plain_product(const Operand& a, const Operand& b, std::size_t k_begin, std::size_t k_end,
                   float sign, float* sums);

/// The same for row m of a sparse A, whose element k meets row position[k] of B.
void plain_row(const Operand& a, const Operand& b, std::size_t m, std::size_t k_begin,
               std::size_t k_end, const std::uint16_t* position, float* sums);

}  // namespace lc::numerics
