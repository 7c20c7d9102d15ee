#include "sim/numerics/exact_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "sim/numerics/accumulator.h"
#include "sim/numerics/simd_clones.h"

namespace lc::numerics {
namespace {

/// Rows of B added at once, so that each sum is loaded and stored once for all of them.
constexpr std::size_t kDepth = 8;

/// sums[j] += sum over kDepth rows of factors[i] * b[i][j].
LC_INLINE_INTO_CLONES void add_rows(const float* factors, const float* __restrict b,
                                    std::size_t stride, std::size_t n, float* __restrict sums) {
  static_assert(kDepth == 8);
  const float f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];
  const float f4 = factors[4], f5 = factors[5], f6 = factors[6], f7 = factors[7];
  for (std::size_t j = 0; j < n; ++j) {
    const float* c = b + j;
    const float low = f0 * c[0] + f1 * c[stride] + f2 * c[2 * stride] + f3 * c[3 * stride];
    c += 4 * stride;
    const float high = f4 * c[0] + f5 * c[stride] + f6 * c[2 * stride] + f7 * c[3 * stride];
    sums[j] += low + high;
  }
}

/// Rows of A multiplied at once, so that each row of B is loaded once for all of them.
constexpr std::size_t kRows = 4;

/// sums[r][j] += sum over 4 rows of a[r][i] * b[i][j], for kRows rows of A and of the sums.
LC_INLINE_INTO_CLONES void add_block(const float* a, std::size_t a_stride, float sign,
                                     const float* __restrict b, std::size_t n,
                                     float* __restrict sums) {
  static_assert(kRows == 4);
  float f[4][4];
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t i = 0; i < 4; ++i) f[r][i] = sign * a[r * a_stride + i];
  }
  for (std::size_t j = 0; j < n; ++j) {
    const float b0 = b[j], b1 = b[n + j], b2 = b[2 * n + j], b3 = b[3 * n + j];
    sums[j] += f[0][0] * b0 + f[0][1] * b1 + (f[0][2] * b2 + f[0][3] * b3);
    sums[n + j] += f[1][0] * b0 + f[1][1] * b1 + (f[1][2] * b2 + f[1][3] * b3);
    sums[2 * n + j] += f[2][0] * b0 + f[2][1] * b1 + (f[2][2] * b2 + f[2][3] * b3);
    sums[3 * n + j] += f[3][0] * b0 + f[3][1] * b1 + (f[3][2] * b2 + f[3][3] * b3);
  }
}

LC_INLINE_INTO_CLONES void add_row(float factor, const float* __restrict b, std::size_t n,
                                   float* __restrict sums) {
  for (std::size_t j = 0; j < n; ++j) sums[j] += factor * b[j];
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
  const std::size_t n = b.stride();
  std::size_t m = 0;
  for (; (k_end - k_begin) % 4 == 0 && m + kRows <= a.mn(); m += kRows) {
    for (std::size_t k = k_begin; k < k_end; k += 4) {
      add_block(a.values() + m * a.stride() + k, a.stride(), sign, b.values() + k * n, n,
                sums + m * n);
    }
  }
  for (; m < a.mn(); ++m) {
    const float* row = a.values() + m * a.stride();
    float factors[kDepth];
    std::size_t k = k_begin;
    for (; k + kDepth <= k_end; k += kDepth) {
      for (std::size_t i = 0; i < kDepth; ++i) factors[i] = sign * row[k + i];
      add_rows(factors, b.values() + k * n, n, n, sums + m * n);
    }
    for (; k < k_end; ++k) add_row(sign * row[k], b.values() + k * n, n, sums + m * n);
  }
}

LC_SIMD_CLONES
void plain_row(const Operand& a, const Operand& b, std::size_t m, std::size_t k_begin,
               std::size_t k_end, const std::uint16_t* position, float* sums) {
  const std::size_t n = b.stride();
  for (std::size_t k = k_begin; k < k_end; ++k) {
    add_row(a.values()[m * a.stride() + k], b.values() + position[k] * n, n, sums);
  }
}

bool exact_product(const DotRule& rule, const Operand& a, const Operand& b, float sign, bool read_c,
                   Accumulators cd) {
  if (a.has_specials() || b.has_specials() || a.has_scales() || b.has_scales()) return false;
  const std::size_t m = a.mn(), n = b.mn(), stride = b.stride();
  int q = 0;
  if (!find_unit(rule, a.range(), b.range(), a.k(), 0.0f, q)) return false;
  std::vector<float> sums(m * stride, 0.0f);
  if (read_c) {
    float c_max = 0;
    const float limit = rule.d == Format::f32 ? 0x1p126f : 65504.0f;
    for (std::size_t i = 0; i < m; ++i) {
      const float row_max = load_row(rule.d, cd.words + i * cd.row_stride, n, &sums[i * stride]);
      if (!(row_max <= limit)) return false;  // infinity and NaN too
      c_max = std::max(c_max, row_max);
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
