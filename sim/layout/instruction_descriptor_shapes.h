#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/layout/instruction_descriptor.h"

namespace lc {

/// Which values of N a form of the instruction takes.
struct NRange {
  std::uint32_t first, last;
  std::uint32_t step;           ///< up to 32
  std::uint32_t step_above_32;  ///< beyond
  bool powers_of_two;           ///< 64, 128, 256 only
  const char* text;
};

/// How the instruction is issued.  The descriptor does not say; where the asker does not either,
/// a shape is legal when some way of issuing it is.
struct MmaTarget {
  std::optional<int> cta_group;  ///< 1 or 2
  std::optional<bool> weight_stationary;
};

/// One line of PTX ISA 9.0 table 39: the shapes of one way to issue a kind.  M and N are those of
/// the whole pair for cta_group::2.
struct MmaShapeRow {
  const char* name;
  std::uint8_t kinds;
  int cta_group;
  bool weight_stationary;
  std::uint32_t m_dense;   ///< sum of the legal M; each is a distinct power of two
  std::uint32_t m_sparse;  ///< the same for a sparse A
  NRange n;

  constexpr bool takes_m(std::uint32_t m, bool sparse) const {
    const std::uint32_t legal = sparse ? m_sparse : m_dense;
    return m != 0 && (m & (m - 1)) == 0 && (m & legal) != 0;
  }
  constexpr bool takes_n(std::uint32_t value, bool sparse) const {
    if (value < n.first || value > n.last) return false;
    if (n.powers_of_two) return (value & (value - 1)) == 0 && !(sparse && value == 256);
    return value % (value <= 32 ? n.step : n.step_above_32) == 0;
  }
  constexpr bool fits(const MmaTarget& target) const {
    return target.cta_group.value_or(cta_group) == cta_group &&
           target.weight_stationary.value_or(weight_stationary) == weight_stationary;
  }
};

namespace shape_rows {
inline constexpr NRange kStep8{8, 256, 8, 8, false, "8, 16, 24 .. 256"};
inline constexpr NRange kStep8Then16{8, 256, 8, 16, false, "8, 16, 24, 32, 48, 64 .. 256"};
inline constexpr NRange kStep16{16, 256, 16, 16, false, "16, 32, 48 .. 256"};
inline constexpr NRange kStep32{32, 256, 32, 32, false, "32, 64, 96 .. 256"};
inline constexpr NRange kPowers{64, 256, 1, 1, true, "64, 128 and, dense only, 256"};

inline constexpr std::uint8_t kFloats = kind_set(MmaKind::f16, MmaKind::tf32, MmaKind::f8f6f4);
inline constexpr std::uint8_t kI8 = kind_set(MmaKind::i8);
inline constexpr std::uint8_t kScaled =
    kind_set(MmaKind::mxf8f6f4, MmaKind::mxf4, MmaKind::mxf4nvf4);
}  // namespace shape_rows

inline constexpr std::array<MmaShapeRow, 7> kMmaShapes = {{
    {"cta_group::1", shape_rows::kFloats, 1, false, 64 + 128, 64 + 128, shape_rows::kStep8},
    {"cta_group::2", shape_rows::kFloats, 2, false, 128 + 256, 128 + 256, shape_rows::kStep16},
    {"cta_group::1", shape_rows::kI8, 1, false, 64 + 128, 64 + 128, shape_rows::kStep8Then16},
    {"cta_group::2", shape_rows::kI8, 2, false, 128 + 256, 128 + 256, shape_rows::kStep32},
    {".ws, cta_group::1", static_cast<std::uint8_t>(shape_rows::kFloats | shape_rows::kI8), 1, true,
     32 + 64 + 128, 32 + 64 + 128, shape_rows::kPowers},
    {"cta_group::1", shape_rows::kScaled, 1, false, 128, 128, shape_rows::kStep8},
    {"cta_group::2", shape_rows::kScaled, 2, false, 128 + 256, 256, shape_rows::kStep16},
}};

/// What about a shape decides whether it is legal.
struct MmaShape {
  MmaKind kind = MmaKind::f16;
  bool sparse = false;
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  bool transposed_byte_b = false;  ///< B is MN-major and kept in bytes (PTX ISA table 52)
};

constexpr MmaShape shape_of(const InstructionDescriptor& x) {
  const bool bytes = mma_kind_row(x.kind).container_bits == 8;
  return {x.kind, x.sparse, x.m, x.n, bytes && x.b_major == Major::mn};
}

/// A transposed 8-bit B needs N in steps of 16 (cta_group::1) or 32 (cta_group::2): table 52.
constexpr std::uint32_t transposed_byte_n_step(int cta_group) {
  return cta_group == 2 ? 32 : 16;
}

/// What became of a shape under the rows that fit the target.
struct ShapeVerdict {
  std::uint32_t rows = 0;  ///< bit i: row i of kMmaShapes takes the shape
  bool any_row = false;    ///< the kind can be issued that way at all
  bool any_m = false;
  bool any_n = false;                    ///< M and N fit, before the rule for a transposed 8-bit B
  const MmaShapeRow* nearest = nullptr;  ///< a row that takes M, else a row that fits the target

  constexpr bool legal() const { return rows != 0; }
};

constexpr ShapeVerdict judge_shape(const MmaShape& shape, const MmaTarget& target = {}) {
  ShapeVerdict verdict;
  for (std::size_t i = 0; i < kMmaShapes.size(); ++i) {
    const MmaShapeRow& row = kMmaShapes[i];
    if ((row.kinds & kind_bit(shape.kind)) == 0 || !row.fits(target)) continue;
    if (!verdict.any_row) verdict.nearest = &row;
    verdict.any_row = true;
    if (!row.takes_m(shape.m, shape.sparse)) continue;
    if (!verdict.any_m) verdict.nearest = &row;
    verdict.any_m = true;
    if (!row.takes_n(shape.n, shape.sparse)) continue;
    if (!verdict.any_n) verdict.nearest = &row;
    verdict.any_n = true;
    if (shape.transposed_byte_b && shape.n % transposed_byte_n_step(row.cta_group) != 0) continue;
    verdict.rows |= 1u << i;
  }
  return verdict;
}

}  // namespace lc
