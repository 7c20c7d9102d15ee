#include "sim/numerics/window_rows.h"

#include <algorithm>

#include "sim/numerics/simd_clones.h"

namespace lc::numerics {
namespace {

/// Products added in 32 bits before the sum is moved on: 8 * 2^27 and a C term below 2^26 fit.
constexpr std::size_t kGroup = 8;

/// Largest exponent of each column's terms into `e`, which starts with the exponents of C.
template <int kWidth>
LC_INLINE_INTO_CLONES void largest_exponents(const RowTerms& row, std::size_t column,
                                             std::int16_t* e) {
  for (std::size_t i = 0; i < row.k; ++i) {
    const std::int16_t ea = row.a_exponent[i];
    if (ea == kNoExponent) continue;
    const std::size_t k = row.position == nullptr ? i : row.position[i];
    const std::int16_t* eb = row.b_exponent + k * row.b_stride + column;
    for (int j = 0; j < kWidth; ++j) {
      const std::int16_t sum = static_cast<std::int16_t>(ea + eb[j]);
      e[j] = sum > e[j] ? sum : e[j];
    }
  }
}

/// Adds the cut products to `sum`; `cut` starts with the cut C.
template <int kWidth>
LC_INLINE_INTO_CLONES void add_cut_products(const RowTerms& row, std::size_t column,
                                            const double* scale, std::int32_t* cut, double* sum) {
  for (std::size_t first = 0; first < row.k; first += kGroup) {
    for (std::size_t i = first; i < std::min(first + kGroup, row.k); ++i) {
      const double a = row.a[i];
      if (a == 0) continue;
      const std::size_t k = row.position == nullptr ? i : row.position[i];
      const double* b = row.b + k * row.b_stride + column;
      for (int j = 0; j < kWidth; ++j) cut[j] += static_cast<std::int32_t>(a * b[j] * scale[j]);
    }
    for (int j = 0; j < kWidth; ++j) {
      sum[j] += cut[j];
      cut[j] = 0;
    }
  }
}

template <int kWidth>
LC_INLINE_INTO_CLONES void window_columns(const DotRule& rule, const RowTerms& row,
                                          const AccumulatorBlock& c, int c_shift,
                                          std::size_t column, std::uint32_t* d) {
  constexpr std::int16_t kFloor = kFloorExponent;
  std::int16_t e[kWidth];
  for (int j = 0; j < kWidth; ++j) {
    const std::int16_t ec = static_cast<std::int16_t>(c.exponent[column + j] + c_shift);
    e[j] = ec > kFloor ? ec : kFloor;
  }
  largest_exponents<kWidth>(row, column, e);
  std::int32_t cut[kWidth];
  double scale[kWidth], sum[kWidth];
  const double c_factor = power_of_two(c_shift);
  for (int j = 0; j < kWidth; ++j) {
    scale[j] = power_of_two(rule.window - e[j]);
    cut[j] = static_cast<std::int32_t>(c.value[column + j] * c_factor * scale[j]);
    sum[j] = 0;
  }
  add_cut_products<kWidth>(row, column, scale, cut, sum);
  std::uint64_t extreme = 0;
  for (int j = 0; j < kWidth; ++j) {
    sum[j] *= power_of_two(e[j] - rule.window);
    d[column + j] = finish_normal(rule.d, rule.fraction_bits, sum[j]);
    extreme |= is_extreme(sum[j]);
  }
  if (extreme == 0) return;
  for (int j = 0; j < kWidth; ++j) d[column + j] = finish_any(rule.d, rule.fraction_bits, sum[j]);
}

}  // namespace

LC_SIMD_CLONES
void window_row(const DotRule& rule, const RowTerms& row, const AccumulatorBlock& c, int c_shift,
                std::size_t n, std::uint32_t* d) {
  if (n == kBlock) return window_columns<kBlock>(rule, row, c, c_shift, 0, d);
  for (std::size_t column = 0; column < n; column += 8) {
    window_columns<8>(rule, row, c, c_shift, column, d);
  }
}

}  // namespace lc::numerics
