#pragma once

#include <cstdint>
#include <span>

#include "sim/numerics/dot_rule.h"
#include "sim/numerics/exact_product.h"
#include "sim/numerics/operand.h"

/// The tensor core's D = A * B + C, bit for bit.
///
///   const DotRule* rule = find_dot_rule(Family::wgmma, Kind::f16, Format::bf16, Format::bf16,
///                                       Format::f32);
///   Operand a, b;                                        // decoded once per tile
///   a.decode<std::uint16_t>(Format::bf16, Side::a, 64, 16, a_codes);   // [m][k]
///   b.decode<std::uint16_t>(Format::bf16, Side::b, 128, 16, b_codes);  // [n][k]
///   fused_tile(*rule, a, b, {d_words, 128}, {});         // D words hold C before
///
/// One call is one instruction: K must be the instruction's own, because it rounds once per call.
namespace lc::numerics {

enum class BitOperation : std::uint8_t { and_popc, xor_popc };

/// Which code computes floating-point tiles.  Both give the same words.
enum class Path : std::uint8_t {
  automatic,  ///< the plain product where exact_product.h proves it, else the rounding one
  rounding    ///< always the one that rounds
};

struct TileOptions {
  bool negate_a = false;
  bool negate_b = false;
  bool read_c = true;     ///< scale-d, enable-input-d: false leaves C out
  bool saturate = false;  ///< .satfinite of integer kinds
  int c_shift = 0;        ///< scale-input-d: C is multiplied by 2^-c_shift first
  BitOperation bit_operation = BitOperation::and_popc;
  /// Sparse A: for each m and stored k, the k of B that it meets, a.k() numbers per row; null:
  /// dense. Made from metadata by sparse.h.
  const std::uint16_t* positions = nullptr;
  Path path = Path::automatic;
};

/// Replaces C, a.mn() rows of b.mn() words, by D.  f16 words stand in the low halves.
void fused_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                const TileOptions& options);

/// One element of D: the tile of one row and one column.
std::uint32_t fused_dot(const DotRule& rule, Format a_format, std::span<const std::uint32_t> a,
                        Format b_format, std::span<const std::uint32_t> b, std::uint32_t c,
                        const TileOptions& options = {});

}  // namespace lc::numerics
