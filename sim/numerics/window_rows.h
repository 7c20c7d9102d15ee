#pragma once

#include <cstdint>

#include "sim/numerics/accumulator.h"
#include "sim/numerics/dot_rule.h"

/// The window rule for one row of D, many columns at a time (docs/arithmetic.md).
///
/// For each column: E is the largest exponent; each product is scaled by 2^(window - E), which
/// makes it smaller than 2^(window + 2), and converted to an integer, which cuts toward zero; the
/// integers are added.  Every step but the cut is exact.
namespace lc::numerics {

/// One row of A against B.  `T` is float where its exponents allow, else double.
template <class T>
struct RowTerms {
  const T* a;
  const std::int16_t* a_exponent;
  std::size_t k;
  const std::uint16_t* position;  ///< which k of B each element meets; null: its own
  const T* b;
  const std::int16_t* b_exponent;
  std::size_t b_stride;
};

/// Exponents for which float holds every product, every scale 2^(window - E) and every sum as a
/// normal number: a product has at most 22 bits, so 2^-100 products end above 2^-149.
inline constexpr int kNarrowLow = -100, kNarrowHigh = 100;

/// The words D of `n` columns, n a multiple of 8 and at most kBlock.  `window` at most 25.
/// Float: all exponents of products and of C must lie in [kNarrowLow, kNarrowHigh].
void window_row_narrow(const DotRule& rule, const RowTerms<float>& row, const AccumulatorBlock& c,
                       std::size_t n, std::uint32_t* d);

/// The same for any exponents; C times 2^c_shift.
void window_row_wide(const DotRule& rule, const RowTerms<double>& row, const AccumulatorBlock& c,
                     int c_shift, std::size_t n, std::uint32_t* d);

}  // namespace lc::numerics
