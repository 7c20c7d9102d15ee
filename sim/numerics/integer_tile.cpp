#include <algorithm>
#include <limits>
#include <vector>

#include "sim/numerics/tile_methods.h"

namespace lc::numerics {
namespace {

/// Products added in float at a time: 256 * 255 * 255 < 2^24, so float holds each partial sum.
constexpr std::size_t kExactDepth = 256;

std::uint32_t finish(std::int64_t sum, bool saturate) {
  if (saturate) {
    sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max());
  }
  return static_cast<std::uint32_t>(sum);
}

/// Set bits of each row (A) or column (B) of a b1 tile.
std::vector<std::int64_t> set_bits(const Operand& operand) {
  std::vector<std::int64_t> counts(operand.mn(), 0);
  for (std::size_t mn = 0; mn < operand.mn(); ++mn) {
    for (std::size_t k = 0; k < operand.k(); ++k) counts[mn] += operand.value(mn, k) != 0;
  }
  return counts;
}

/// Exact sums of products, a.mn() rows of b.stride().
std::vector<std::int64_t> product_sums(const Operand& a, const Operand& b,
                                       const TileOptions& options) {
  std::vector<std::int64_t> sums(a.mn() * b.stride(), 0);
  std::vector<float> part(sums.size());
  for (std::size_t k = 0; k < a.k(); k += kExactDepth) {
    const std::size_t end = std::min(k + kExactDepth, a.k());
    std::fill(part.begin(), part.end(), 0.0f);
    if (options.positions == nullptr) {
      plain_product(a, b, k, end, 1.0f, part.data());
    } else {
      for (std::size_t m = 0; m < a.mn(); ++m) {
        plain_row(a, b, m, k, end, positions_of_row(options, a, m), part.data() + m * b.stride());
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<std::int32_t>(part[i]);
  }
  return sums;
}

}  // namespace

/// popc(a xor b) = popc(a) + popc(b) - 2 popc(a and b).
void integer_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                  const TileOptions& options) {
  const std::vector<std::int64_t> sums = product_sums(a, b, options);
  std::vector<std::int64_t> bits_a, bits_b;
  const bool exclusive = rule.kind == Kind::b1 && options.bit_operation == BitOperation::xor_popc;
  if (exclusive) {
    bits_a = set_bits(a);
    bits_b = set_bits(b);
  }
  for (std::size_t m = 0; m < a.mn(); ++m) {
    for (std::size_t n = 0; n < b.mn(); ++n) {
      std::uint32_t& d = cd.words[m * cd.row_stride + n];
      std::int64_t sum = sums[m * b.stride() + n];
      if (exclusive) sum = bits_a[m] + bits_b[n] - 2 * sum;
      if (options.read_c) sum += static_cast<std::int32_t>(d);
      d = finish(sum, options.saturate);
    }
  }
}

}  // namespace lc::numerics
