#pragma once

#include <cstdint>

#include "sim/layout/finding.h"
#include "sim/layout/host_device.h"
#include "sim/layout/instruction_descriptor_types.h"
#include "sim/layout/tmem.h"

namespace lc {

/// Where the A operand stands in Tensor Memory (`[a-tmem]`, K-major only).
struct TmemBits {
  std::uint32_t cta = 0;
  std::uint32_t lane = 0;
  std::uint32_t column = 0;
  std::uint32_t bit = 0;  ///< lowest bit of the element's container in its cell

  constexpr bool operator==(const TmemBits&) const = default;
};

/// Every row of A is read once for each part of N, so it must be present under each part: layout B
/// (and E) needs two copies, G four.  B is as CuTe does it; E and G follow the same logic:
/// inferred.
LC_HD constexpr std::uint32_t a_copies(const DLayoutRow& row) {
  return row.parts;
}

/// A(m, k): elements of a row fill columns from the lowest bit up.  Elements of 8-bit kinds take a
/// byte each, those of mxf4 and mxf4nvf4 half a byte, the even one low (PTX ISA 9.7.16.10.4).
/// For a sparse A, k counts stored elements.
LC_HD constexpr TmemBits a_bits(const DLayoutRow& row, std::uint32_t container_bits,
                                std::uint32_t m, std::uint32_t k, std::uint32_t copy,
                                std::uint32_t lane_base = 0) {
  const std::uint32_t bit = k * container_bits;
  return {m / row.rows, d_lane(row, m % row.rows, copy, lane_base), bit / 32, bit % 32};
}

/// Bits of a narrow element inside its byte: 4-bit codes at 5:2, 6-bit codes at 6:1 (DSL
/// documentation; the ISA has one figure per type; not measured).
LC_HD constexpr std::uint32_t a_code_shift(Element element) {
  switch (element) {
    case Element::e2m1:
      return 2;
    case Element::e2m3:
      return 1;
    case Element::e3m2:
      return 1;
    default:
      return 0;
  }
}

/// Scale factors: bytes, four to a cell, the same in every sub-partition that reads them.
struct TmemByte {
  std::uint32_t lane = 0;
  std::uint32_t column = 0;
  std::uint32_t byte = 0;

  constexpr bool operator==(const TmemByte&) const = default;
};

/// Elements along K under one scale factor (PTX ISA tables 56 and 57).  Kind mxf4nvf4 with ue8m0
/// may have 32 (2X, what this returns) or 16 (4X).
constexpr std::uint32_t scale_block(MmaKind kind, ScaleType type) {
  return kind == MmaKind::mxf4nvf4 && type == ScaleType::ue4m3 ? 16 : 32;
}

/// How scale factors are spread over the 128 lanes.
enum class ScaleSpread : std::uint8_t {
  four_by_one,  ///< 32 rows per column, in all four sub-partitions: SFA, and SFB of layouts A and D
  two_by_two    ///< SFB of layout B: half of N in lanes 0..63, the other in 64..127
};

LC_HD constexpr std::uint32_t scale_copies(ScaleSpread spread) {
  return spread == ScaleSpread::four_by_one ? 4 : 2;
}

/// Rows that share lanes.
LC_HD constexpr std::uint32_t scale_rows(ScaleSpread spread, std::uint32_t mn_total) {
  return spread == ScaleSpread::four_by_one ? mn_total : mn_total / 2;
}

/// Columns of one group of four scale factors per row.  A group is what the hardware reads;
/// placing further groups along K after it is CuTe's packing, software is free to differ.
LC_HD constexpr std::uint32_t scale_group_columns(ScaleSpread spread, std::uint32_t mn_total) {
  return (scale_rows(spread, mn_total) + 127) / 128 * 4;
}

/// Scale factor `block` of row `mn`.
LC_HD constexpr TmemByte scale_byte(ScaleSpread spread, std::uint32_t mn_total, std::uint32_t mn,
                                    std::uint32_t block, std::uint32_t copy) {
  const std::uint32_t rows = scale_rows(spread, mn_total);
  const std::uint32_t half = mn / rows, r = mn % rows;
  const std::uint32_t lane = half * 64 + copy * 32 + r % 32;
  return {lane, r / 32 + block / 4 * scale_group_columns(spread, mn_total), block % 4};
}

namespace tmem_rules {
inline constexpr Rule kAKind{"tmem.a-m-kind", Severity::error, "m",
                             "block-scaled kinds take M = 128 with cta_group::1, 128 or 256 with "
                             "cta_group::2, and have no .ws; got {value}"};
inline constexpr Rule kAStep{"tmem.a-k-step", Severity::warning, "k",
                             "K = {value} is not a whole number of instructions of {limit} stored "
                             "elements"};
inline constexpr Rule kAColumns{"tmem.a-columns", Severity::error, "k",
                                "a row of {value} columns does not fit the {limit} of Tensor "
                                "Memory"};
inline constexpr Rule kAReplicated{
    "tmem.a-ws-copies", Severity::warning, "m",
    "that .ws reads A from {value} copies of its rows is inferred from the layout of D"};
inline constexpr Rule kSfKind{"tmem.sf-kind", Severity::error, "kind",
                              "only kinds mxf8f6f4, mxf4 and mxf4nvf4 have scale factors"};
inline constexpr Rule kSfType{"tmem.sf-type", Severity::error, "scale_type",
                              "only kind mxf4nvf4 takes ue4m3 scale factors"};
inline constexpr Rule kSfRows{"tmem.sf-rows", Severity::error, "mn",
                              "one instruction has 1 .. {limit} rows of scale factors here, not "
                              "{value}"};
inline constexpr Rule kSfHalves{"tmem.sf-halves", Severity::error, "mn",
                                "layout B splits N in two equal halves: {value} is odd"};
inline constexpr Rule kSfStep{"tmem.sf-k-step", Severity::warning, "k",
                              "K = {value} is not a whole number of instructions of {limit} "
                              "elements"};
inline constexpr Rule kSfColumns{"tmem.sf-columns", Severity::error, "k",
                                 "scale factors up to column {value} do not fit the {limit} "
                                 "columns of Tensor Memory"};
inline constexpr Rule kSfTwo{
    "tmem.sf-vector-size", Severity::note, "scale_type",
    "mxf4nvf4 with ue8m0 is shown with 32 elements per factor (2X); with 4X it is 16"};
}  // namespace tmem_rules

constexpr Findings check_a_tile(MmaKind kind, std::uint32_t m, std::uint32_t k,
                                std::uint32_t cta_group, bool weight_stationary, bool sparse,
                                std::uint32_t lane_base = 0) {
  namespace r = tmem_rules;
  const MmaKindRow row = mma_kind_row(kind);
  const std::uint32_t some_n = 128;  // legal for every M
  Findings out = check_d_tile(m, some_n, cta_group, weight_stationary, sparse, lane_base);
  if (out.has_error()) return out;
  const MmaTarget target{static_cast<int>(cta_group), weight_stationary};
  if (!judge_shape({kind, sparse, m, some_n, false}, target).legal()) {
    out.add(r::kAKind, m);
    return out;
  }
  const std::uint64_t columns = (std::uint64_t{k} * row.container_bits + 31) / 32;
  if (columns > kTmemColumns) {
    out.add(r::kAColumns, static_cast<std::int64_t>(columns), kTmemColumns);
  }
  const std::uint32_t step = mma_k(kind, false);
  if (k == 0 || k % step != 0) out.add(r::kAStep, k, step);
  const auto layout = find_d_layout(m, cta_group, weight_stationary, sparse);
  const std::uint32_t copies = a_copies(d_layout_row(*layout));
  if (weight_stationary && copies > 1) out.add(r::kAReplicated, copies);
  return out;
}

constexpr Findings check_scale_tile(MmaKind kind, ScaleType type, std::uint32_t block,
                                    ScaleSpread spread, std::uint32_t mn, std::uint32_t k) {
  namespace r = tmem_rules;
  Findings out;
  if (!mma_kind_row(kind).block_scaled) {
    out.add(r::kSfKind);
    return out;
  }
  if (!scale_type_is_legal(kind, type)) out.add(r::kSfType);
  if (mn == 0 || mn > 256) {
    out.add(r::kSfRows, mn, 256);
    return out;
  }
  if (spread == ScaleSpread::two_by_two && mn % 2 != 0) out.add(r::kSfHalves, mn);
  const std::uint64_t blocks = (std::uint64_t{k} + block - 1) / block;
  const std::uint64_t columns = (blocks + 3) / 4 * scale_group_columns(spread, mn);
  if (columns > kTmemColumns) {
    out.add(r::kSfColumns, static_cast<std::int64_t>(columns - 1), kTmemColumns);
  }
  const std::uint32_t step = mma_k(kind, false);
  if (k == 0 || k % step != 0) out.add(r::kSfStep, k, step);
  if (kind == MmaKind::mxf4nvf4 && type == ScaleType::ue8m0 && block == 32) out.add(r::kSfTwo);
  return out;
}

}  // namespace lc
