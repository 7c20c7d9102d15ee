#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/layout/finding.h"
#include "sim/layout/host_device.h"
#include "sim/layout/instruction_descriptor_shapes.h"

namespace lc {

/// Tensor Memory: per CTA 128 lanes of 512 columns of 32-bit cells; an address is
/// lane << 16 | column (PTX ISA 9.0, 9.7.16.1).  Nothing about it was measured by this project.
inline constexpr std::uint32_t kTmemLanes = 128;
inline constexpr std::uint32_t kTmemColumns = 512;

struct TmemCell {
  std::uint32_t cta = 0;  ///< 0: the even CTA of a pair
  std::uint32_t lane = 0;
  std::uint32_t column = 0;

  constexpr bool operator==(const TmemCell&) const = default;
};

/// Where `tcgen05.mma` puts the rows and columns of D (PTX ISA 9.0, 9.7.16.10.5, figures; the
/// maps are those of CuTe's layouts, except C).
enum class DLayout : std::uint8_t { a, b, c, d, e, f, g };

/// A layout in two numbers: a CTA holds `rows` rows, and its N columns are cut into `parts`, which
/// stand side by side in the lanes, each under the next `rows` lanes:
///
///   D, A  128 rows   lanes 0..127: all N               F, C   64 rows  lanes 32 i + 0..15: all N
///   B, E   64 rows   lanes 0..63: first N/2            G      32 rows  lanes 32 i ..: the i-th N/4
///                    lanes 64..127: second N/2
struct DLayoutRow {
  DLayout layout;
  const char* name;
  std::uint32_t m;
  std::uint32_t cta_group;
  std::int8_t weight_stationary;  ///< 0, 1; -1: either
  std::int8_t sparse;             ///< 0, 1; -1: either
  std::uint32_t rows;             ///< rows of D in one CTA
  std::uint32_t parts;            ///< pieces of N
  bool half_lanes;                ///< 16 of every 32 lanes; lane base 0 or 16
};

inline constexpr std::size_t kDLayoutCount = 7;

LC_HD constexpr DLayoutRow d_layout_row(DLayout layout) {
  constexpr DLayoutRow kRows[] = {
      //                m  cta ws  sp rows parts half
      {DLayout::a, "A", 256, 2, 0, -1, 128, 1, false},
      {DLayout::b, "B", 128, 2, 0, 0, 64, 2, false},
      {DLayout::c, "C", 128, 2, 0, 1, 64, 1, true},  // by analogy with F: inferred
      {DLayout::d, "D", 128, 1, -1, -1, 128, 1, false},
      {DLayout::e, "E", 64, 1, 1, -1, 64, 2, false},
      {DLayout::f, "F", 64, 1, 0, -1, 64, 1, true},
      {DLayout::g, "G", 32, 1, 1, -1, 32, 4, false},
  };
  return kRows[static_cast<int>(layout)];
}

/// The layout an instruction uses; none when no instruction has that shape.
constexpr std::optional<DLayout> find_d_layout(std::uint32_t m, std::uint32_t cta_group,
                                               bool weight_stationary, bool sparse) {
  for (std::size_t i = 0; i < kDLayoutCount; ++i) {
    const DLayoutRow row = d_layout_row(static_cast<DLayout>(i));
    if (row.m != m || row.cta_group != cta_group) continue;
    if (row.weight_stationary >= 0 && (row.weight_stationary != 0) != weight_stationary) continue;
    if (row.sparse >= 0 && (row.sparse != 0) != sparse) continue;
    return row.layout;
  }
  return std::nullopt;
}

/// Lane of row `r` of a CTA's rows in part `part`; `lane_base` is that of the operand's address.
LC_HD constexpr std::uint32_t d_lane(const DLayoutRow& row, std::uint32_t r, std::uint32_t part,
                                     std::uint32_t lane_base = 0) {
  if (row.half_lanes) return lane_base + r / 16 * 32 + r % 16;
  return lane_base + r + row.rows * part;
}

/// Cell of D(m, n) relative to column 0.  One element per cell, whatever its type; an f16 stands
/// in bits 15:0 (PTX ISA 9.7.16.10.4.1).
LC_HD constexpr TmemCell d_cell(const DLayoutRow& row, std::uint32_t n_total, std::uint32_t m,
                                std::uint32_t n, std::uint32_t lane_base = 0) {
  const std::uint32_t width = n_total / row.parts;
  return {m / row.rows, d_lane(row, m % row.rows, n / width, lane_base), n % width};
}

/// Columns D takes.
LC_HD constexpr std::uint32_t d_columns(const DLayoutRow& row, std::uint32_t n_total) {
  return n_total / row.parts;
}

namespace tmem_rules {
inline constexpr Rule kCtaGroup{"tmem.cta-group", Severity::error, "cta_group",
                                "a CTA group is 1 or 2 CTAs, not {value}"};
inline constexpr Rule kWsPair{"tmem.ws-pair", Severity::error, "ws",
                              ".ws instructions exist for cta_group::1 only"};
inline constexpr Rule kM{"tmem.m", Severity::error, "m",
                         "no instruction has M = {value} here: cta_group::1 takes 64 and 128, "
                         ".ws 32, 64 and 128, cta_group::2 128 and 256"};
inline constexpr Rule kN{"tmem.n", Severity::error, "n",
                         "no instruction has N = {value} here: cta_group::1 takes 8 .. 256 in "
                         "steps of 8, cta_group::2 16 .. 256 in steps of 16, .ws 64, 128 and, "
                         "with a dense A, 256"};
inline constexpr Rule kLaneBase{"tmem.lane-base", Severity::error, "lane_base",
                                "the lane of the address must be 0 here, or 0 or 16 for the "
                                "layouts C and F that use half the lanes; got {value}"};
inline constexpr Rule kLayoutC{"tmem.layout-c", Severity::warning, "sparse",
                               "layout C (M = 128, cta_group::2, sparse A) is inferred from "
                               "layout F: the ISA shows it as a picture only"};
}  // namespace tmem_rules

/// What can be wrong with a D tile.  Without a kind the widest rules for N apply, those of kinds
/// f16, tf32 and f8f6f4; kind i8 takes fewer values.
constexpr Findings check_d_tile(std::uint32_t m, std::uint32_t n, std::uint32_t cta_group,
                                bool weight_stationary, bool sparse, std::uint32_t lane_base = 0) {
  namespace r = tmem_rules;
  Findings out;
  if (cta_group != 1 && cta_group != 2) {
    out.add(r::kCtaGroup, cta_group);
    return out;
  }
  if (cta_group == 2 && weight_stationary) {
    out.add(r::kWsPair);
    return out;
  }
  const auto layout = find_d_layout(m, cta_group, weight_stationary, sparse);
  if (!layout) {
    out.add(r::kM, m);
    return out;
  }
  const MmaTarget target{static_cast<int>(cta_group), weight_stationary};
  if (!judge_shape({MmaKind::f16, sparse, m, n, false}, target).legal()) out.add(r::kN, n);
  const bool half = d_layout_row(*layout).half_lanes;
  if (lane_base != 0 && !(half && lane_base == 16)) out.add(r::kLaneBase, lane_base);
  if (*layout == DLayout::c) out.add(r::kLayoutC);
  return out;
}

}  // namespace lc
