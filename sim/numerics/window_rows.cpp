#include "sim/numerics/window_rows.h"

#include <algorithm>

#include "sim/numerics/simd_clones.h"

namespace lc::numerics {
namespace {

/// Products added in 32 bits before the sum is moved on: 8 * 2^27 and a C term below 2^26 fit.
constexpr std::size_t kGroup = 8;

/// 2^exponent; for arguments that give a normal number.
template <class T>
LC_INLINE_INTO_CLONES T exact_power(std::int32_t exponent);
template <>
LC_INLINE_INTO_CLONES float exact_power<float>(std::int32_t exponent) {
  return std::bit_cast<float>((exponent + 127) << 23);
}
template <>
LC_INLINE_INTO_CLONES double exact_power<double>(std::int32_t exponent) {
  return power_of_two(exponent);
}

/// Largest exponent of each column's terms into `e`, which starts with the exponents of C.
template <int kWidth, class T>
LC_INLINE_INTO_CLONES void largest_exponents(const RowTerms<T>& row, std::size_t column,
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
template <int kWidth, class T>
LC_INLINE_INTO_CLONES void add_cut_products(const RowTerms<T>& row, std::size_t column,
                                            const T* scale, std::int32_t* cut, double* sum) {
  for (std::size_t first = 0; first < row.k; first += kGroup) {
    for (std::size_t i = first; i < std::min(first + kGroup, row.k); ++i) {
      const T a = row.a[i];
      if (a == 0) continue;
      const std::size_t k = row.position == nullptr ? i : row.position[i];
      const T* b = row.b + k * row.b_stride + column;
      for (int j = 0; j < kWidth; ++j) cut[j] += static_cast<std::int32_t>(a * b[j] * scale[j]);
    }
    for (int j = 0; j < kWidth; ++j) {
      sum[j] += cut[j];
      cut[j] = 0;
    }
  }
}

template <int kWidth, class T>
LC_INLINE_INTO_CLONES void window_columns(const DotRule& rule, const RowTerms<T>& row,
                                          const AccumulatorBlock& c, int c_shift,
                                          std::size_t column, std::uint32_t* d) {
  constexpr bool kWide = sizeof(T) == 8;
  constexpr std::int16_t kFloor = kWide ? kFloorExponent : kNarrowLow;
  std::int16_t e[kWidth];
  for (int j = 0; j < kWidth; ++j) {
    const std::int16_t ec = static_cast<std::int16_t>(c.exponent[column + j] + c_shift);
    e[j] = ec > kFloor ? ec : kFloor;
  }
  largest_exponents<kWidth>(row, column, e);
  T scale[kWidth];
  std::int32_t cut[kWidth];
  double sum[kWidth];
  const T c_factor = exact_power<T>(c_shift);
  for (int j = 0; j < kWidth; ++j) {
    scale[j] = exact_power<T>(rule.window - e[j]);
    cut[j] = static_cast<std::int32_t>(c.value[column + j] * c_factor * scale[j]);
    sum[j] = 0;
  }
  add_cut_products<kWidth>(row, column, scale, cut, sum);
  for (int j = 0; j < kWidth; ++j) {
    const double value = sum[j] * power_of_two(e[j] - rule.window);
    d[column + j] = kWide ? finish_any(rule.d, rule.fraction_bits, value)
                          : finish_normal(rule.d, rule.fraction_bits, value);
  }
}

/// Takes the number of columns as a constant where it can.
template <class T>
LC_INLINE_INTO_CLONES void window_row(const DotRule& rule, const RowTerms<T>& row,
                                      const AccumulatorBlock& c, int c_shift, std::size_t n,
                                      std::uint32_t* d) {
  if (n == kBlock) return window_columns<kBlock>(rule, row, c, c_shift, 0, d);
  for (std::size_t column = 0; column < n; column += 8) {
    window_columns<8>(rule, row, c, c_shift, column, d);
  }
}

}  // namespace

LC_SIMD_CLONES
void window_row_narrow(const DotRule& rule, const RowTerms<float>& row, const AccumulatorBlock& c,
                       std::size_t n, std::uint32_t* d) {
  window_row(rule, row, c, 0, n, d);
}

LC_SIMD_CLONES
void window_row_wide(const DotRule& rule, const RowTerms<double>& row, const AccumulatorBlock& c,
                     int c_shift, std::size_t n, std::uint32_t* d) {
  window_row(rule, row, c, c_shift, n, d);
}

}  // namespace lc::numerics
