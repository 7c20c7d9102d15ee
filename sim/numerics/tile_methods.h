#pragma once

#include <optional>

#include "sim/numerics/fused_tile.h"

/// The methods of dot_rule.h, each for a whole tile.  fused_tile() chooses among them.
namespace lc::numerics {

void window_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                 const TileOptions& options);
void fp8_as_f16_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                     const TileOptions& options);
void groups_of_16_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                       const TileOptions& options);
void integer_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                  const TileOptions& options);

/// D where a term is NaN or infinite; nothing where all terms are finite.  `c` is not read unless
/// `options.read_c`.
std::optional<std::uint32_t> special_result(const DotRule& rule, const Operand& a, const Operand& b,
                                            std::size_t m, std::size_t n, std::uint32_t c,
                                            const TileOptions& options);

/// The positions of row m, or null for a dense A.
inline const std::uint16_t* positions_of_row(const TileOptions& options, const Operand& a,
                                             std::size_t m) {
  return options.positions == nullptr ? nullptr : options.positions + m * a.k();
}

/// -1 where exactly one operand is negated.
inline float product_sign(const TileOptions& options) {
  return options.negate_a != options.negate_b ? -1.0f : 1.0f;
}

}  // namespace lc::numerics
