#include "sim/numerics/exact_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "sim/numerics/accumulator.h"
#include "sim/numerics/simd_clones.h"

namespace lc::numerics {
namespace {

/// Rows of A multiplied together, so that each row of B is loaded once for all of them.
constexpr std::size_t kRows = 4;

/// Columns handled at a time.
constexpr std::size_t kColumns = 32;

template <std::size_t kHeight, std::size_t kWidth>
LC_INLINE_INTO_CLONES void product_block(const float* a, std::size_t a_stride, const float* b,
                                         std::size_t b_stride, std::size_t k, float sign,
                                         float* sums, std::size_t sums_stride) {
  float acc[kHeight][kWidth];
  for (std::size_t i = 0; i < kHeight; ++i) {
    for (std::size_t j = 0; j < kWidth; ++j) acc[i][j] = sums[i * sums_stride + j];
  }
  for (std::size_t x = 0; x < k; ++x) {
    const float* row = b + x * b_stride;
    for (std::size_t i = 0; i < kHeight; ++i) {
      const float factor = sign * a[i * a_stride + x];
      for (std::size_t j = 0; j < kWidth; ++j) acc[i][j] += factor * row[j];
    }
  }
  for (std::size_t i = 0; i < kHeight; ++i) {
    for (std::size_t j = 0; j < kWidth; ++j) sums[i * sums_stride + j] = acc[i][j];
  }
}

template <std::size_t kHeight>
LC_INLINE_INTO_CLONES void product_rows(const float* a, std::size_t a_stride, const float* b,
                                        std::size_t b_stride, std::size_t n, std::size_t k,
                                        float sign, float* sums, std::size_t sums_stride) {
  std::size_t j = 0;
  for (; j + kColumns <= n; j += kColumns) {
    product_block<kHeight, kColumns>(a, a_stride, b + j, b_stride, k, sign, sums + j, sums_stride);
  }
  for (; j < n; j += 8) {
    product_block<kHeight, 8>(a, a_stride, b + j, b_stride, k, sign, sums + j, sums_stride);
  }
}

LC_SIMD_CLONES
float load_row(Format d, const std::uint32_t* words, std::size_t n, float* values) {
  std::int32_t largest = 0;
  for (std::size_t j = 0; j < n; ++j) {
    // An f16 infinity or NaN becomes at least 2^16, which no finite f16 reaches.
    const float v = d == Format::f32 ? std::bit_cast<float>(words[j]) : f16_value(words[j]);
    values[j] = v + 0.0f;  // -0 becomes +0
    largest = std::max(largest, std::bit_cast<std::int32_t>(v) & 0x7fffffff);
  }
  return std::bit_cast<float>(largest);
}

/// Whether all values are multiples of 1 / inverse_unit; their quotients must be within 2^24.
LC_SIMD_CLONES
bool are_multiples(const float* values, std::size_t n, float inverse_unit) {
  std::int32_t off = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const float quotient = values[j] * inverse_unit;
    off |= static_cast<float>(static_cast<std::int32_t>(quotient)) != quotient ? 1 : 0;
  }
  return off == 0;
}

LC_SIMD_CLONES
void store_row(Format d, const float* values, std::size_t n, std::uint32_t* words) {
  if (d == Format::f32) {
    for (std::size_t j = 0; j < n; ++j) words[j] = std::bit_cast<std::uint32_t>(values[j]);
    return;
  }
  for (std::size_t j = 0; j < n; ++j) words[j] = f16_nearest(values[j]);
}

int exponent_of(float positive) {
  return static_cast<int>(std::bit_cast<std::uint32_t>(positive) >> 23) - 127;
}

/// The unit 2^q of the proof, or nothing where no q serves.
bool find_unit(const DotRule& rule, const Range& a, const Range& b, std::size_t k, float c_max,
               int& q) {
  const bool product = !a.all_zero() && !b.all_zero();
  const double bound =
      (product ? static_cast<double>(k) * a.max_magnitude * b.max_magnitude : 0.0) + c_max;
  int w = 0;  // bound <= 2^w
  std::frexp(bound, &w);
  const int bits = rule.d == Format::f32 ? rule.fraction_bits + 1 : 24;
  const int c_smallest = format_row(rule.d).min_exponent();
  int top = c_max == 0 ? kNoExponent : std::max(exponent_of(c_max), c_smallest);
  if (product) top = std::max(top, a.max_exponent + b.max_exponent);
  q = std::max({w - bits, top - rule.window, -126});
  if (w > 126 || q > 126) return false;
  return !product || a.min_unit + b.min_unit >= q;
}

}  // namespace

LC_SIMD_CLONES
void plain_product(const Operand& a, const Operand& b, std::size_t k_begin, std::size_t k_end,
                   float sign, float* sums) {
  const std::size_t n = b.stride(), k = k_end - k_begin;
  const float* first_b = b.values() + k_begin * n;
  const float* row = a.values() + k_begin;
  std::size_t i = 0;
  for (; i + kRows <= a.mn(); i += kRows, row += kRows * a.stride()) {
    product_rows<kRows>(row, a.stride(), first_b, n, n, k, sign, sums + i * n, n);
  }
  for (; i < a.mn(); ++i, row += a.stride()) {
    product_rows<1>(row, a.stride(), first_b, n, n, k, sign, sums + i * n, n);
  }
}

LC_SIMD_CLONES
void plain_row(const Operand& a, const Operand& b, std::size_t m, std::size_t k_begin,
               std::size_t k_end, const std::uint16_t* position, float* sums) {
  const std::size_t n = b.stride();
  for (std::size_t k = k_begin; k < k_end; ++k) {
    const float factor = a.values()[m * a.stride() + k];
    const float* row = b.values() + position[k] * n;
    for (std::size_t j = 0; j < n; ++j) sums[j] += factor * row[j];
  }
}

bool exact_product(const DotRule& rule, const Operand& a, const Operand& b, float sign, bool read_c,
                   Accumulators cd) {
  const std::size_t m = a.mn(), n = b.mn(), stride = b.stride();
  int q = 0;
  if (!find_unit(rule, a.range(), b.range(), a.k(), 0.0f, q)) return false;
  std::vector<float> sums(m * stride, 0.0f);
  if (read_c) {
    float c_max = 0;
    const float limit = rule.d == Format::f32 ? 0x1p126f : 65504.0f;
    for (std::size_t i = 0; i < m; ++i) {
      c_max = std::max(c_max, load_row(rule.d, cd.words + i * cd.row_stride, n, &sums[i * stride]));
      if (!(c_max <= limit)) return false;
    }
    if (!find_unit(rule, a.range(), b.range(), a.k(), c_max, q)) return false;
    const float inverse_unit = static_cast<float>(power_of_two(-q));
    for (std::size_t i = 0; i < m; ++i) {
      if (!are_multiples(&sums[i * stride], n, inverse_unit)) return false;
    }
  }
  plain_product(a, b, 0, a.k(), sign, sums.data());
  for (std::size_t i = 0; i < m; ++i) {
    store_row(rule.d, &sums[i * stride], n, cd.words + i * cd.row_stride);
  }
  return true;
}

}  // namespace lc::numerics
