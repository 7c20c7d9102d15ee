#include <bit>
#include <cmath>
#include <vector>

#include "sim/numerics/minifloat.h"
#include "sim/numerics/tile_methods.h"

namespace lc::numerics {
namespace {

/// c + y, rounded to nearest even, NaN always the canonical one.
std::uint32_t add_nearest(Format d, std::uint32_t c, std::uint32_t y) {
  if (d == Format::f16) {
    return encode(d, to_double(d, c) + to_double(d, y), Rounding::nearest_even);
  }
  const float sum = std::bit_cast<float>(c) + std::bit_cast<float>(y);
  return std::isnan(sum) ? format_row(d).canonical_nan : std::bit_cast<std::uint32_t>(sum);
}

}  // namespace

/// mma.sync with fp8 operands on sm_90 is a program of the compiler: unpack to f16, two f16
/// instructions, one addition (docs/arithmetic.md).
///
///   X = rule(k mod 4 in {0, 1}, no C);  Y = rule(k mod 4 in {2, 3}, C = X);  D = C + Y
void fp8_as_f16_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                     const TileOptions& options) {
  const std::size_t rows = a.mn(), columns = b.mn();
  std::vector<std::uint32_t> y(rows * columns, 0);
  TileOptions step = options;
  std::vector<std::uint16_t> positions(options.positions == nullptr ? 0 : rows * a.k() / 2);
  for (const bool upper : {false, true}) {
    step.read_c = upper;
    if (options.positions == nullptr) {
      window_tile(rule, a.half_of_quads(upper), b.half_of_quads(upper), {y.data(), columns}, step);
      continue;
    }
    // A sparse A is halved; each half still chooses among all of B.
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] = options.positions[i / 2 * 4 + i % 2 + (upper ? 2 : 0)];
    }
    step.positions = positions.data();
    window_tile(rule, a.half_of_quads(upper), b.as_f16(), {y.data(), columns}, step);
  }
  for (std::size_t m = 0; m < rows; ++m) {
    for (std::size_t n = 0; n < columns; ++n) {
      std::uint32_t& d = cd.words[m * cd.row_stride + n];
      d = add_nearest(rule.d, options.read_c ? d : 0, y[m * columns + n]);
    }
  }
}

}  // namespace lc::numerics
