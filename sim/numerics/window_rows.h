#pragma once

#include <cstdint>

#include "sim/numerics/accumulator.h"
#include "sim/numerics/dot_rule.h"

/// The window rule for one row of D, many columns at a time (docs/arithmetic.md).
///
/// For each column: E is the largest exponent; each product is scaled by 2^(window - E), which
/// makes it smaller than 2^(window + 2), and converted to an integer, which cuts toward zero; the
/// integers are added.  Every step but the cut is exact: double holds products of 22 bits with
/// exponents from -506 to 538, which is what the formats and their scale factors can give.
namespace lc::numerics {

/// One row of A against B, scale factors multiplied in.
struct RowTerms {
  const double* a;
  const std::int16_t* a_exponent;
  std::size_t k;
  const std::uint16_t* position;  ///< which k of B each element meets; null: its own
  const double* b;
  const std::int16_t* b_exponent;
  std::size_t b_stride;
};

/// The words D of `n` columns, n a multiple of 8 and at most kBlock; C counts times 2^c_shift.  The
/// rule's window is at most 25.
void window_row(const DotRule& rule, const RowTerms& row, const AccumulatorBlock& c, int c_shift,
                std::size_t n, std::uint32_t* d);

}  // namespace lc::numerics
