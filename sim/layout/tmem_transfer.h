#pragma once

#include <array>
#include <cstdint>

#include "sim/layout/finding.h"
#include "sim/layout/host_device.h"
#include "sim/layout/spelling.h"
#include "sim/layout/tmem.h"

namespace lc {

/// Shapes of `tcgen05.ld` and `tcgen05.st` (PTX ISA 9.0, 9.7.16.2.3; the maps are those of CuTe's
/// 148 copy operations).
enum class TmemShape : std::uint8_t { s32x32b, s16x64b, s16x128b, s16x256b, s16x32bx2 };

inline constexpr std::size_t kTmemShapeCount = 5;

struct TmemShapeRow {
  TmemShape shape;
  const char* name;
  std::uint32_t lanes;      ///< lanes one warp touches
  std::uint32_t registers;  ///< per thread, for .x1
  std::uint32_t columns;    ///< for .x1, without pack; of each half for 16x32bx2
  std::uint32_t max_num;
};

LC_HD constexpr TmemShapeRow tmem_shape_row(TmemShape shape) {
  constexpr TmemShapeRow kRows[] = {
      {TmemShape::s32x32b, "32x32b", 32, 1, 1, 128},
      {TmemShape::s16x64b, "16x64b", 16, 1, 2, 128},
      {TmemShape::s16x128b, "16x128b", 16, 2, 4, 64},
      {TmemShape::s16x256b, "16x256b", 16, 4, 8, 32},
      {TmemShape::s16x32bx2, "16x32bx2", 16, 1, 1, 128},
  };
  return kRows[static_cast<int>(shape)];
}

constexpr std::array<Spelled<TmemShape>, kTmemShapeCount> spellings(TmemShape) {
  std::array<Spelled<TmemShape>, kTmemShapeCount> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TmemShapeRow row = tmem_shape_row(static_cast<TmemShape>(i));
    rows[i] = {row.shape, row.name};
  }
  return rows;
}

struct TmemOffset {
  std::uint32_t lane = 0;
  std::uint32_t column = 0;

  constexpr bool operator==(const TmemOffset&) const = default;
};

/// What register `r` of thread `t` reads, relative to the address (for threads 16..31 of 16x32bx2:
/// to the address plus the half split offset).
LC_HD constexpr TmemOffset tmem_fragment(TmemShape shape, std::uint32_t t, std::uint32_t r) {
  switch (shape) {
    case TmemShape::s32x32b:
      return {t, r};
    case TmemShape::s16x64b:
      return {t / 4 + 8 * (t & 1), (t >> 1 & 1) + 2 * r};
    case TmemShape::s16x128b:
      return {t / 4 + 8 * (r & 1), t % 4 + 4 * (r >> 1)};
    case TmemShape::s16x256b:
      return {t / 4 + 8 * (r >> 1 & 1), 2 * (t % 4) + (r & 1) + 8 * (r >> 2)};
    case TmemShape::s16x32bx2:
      return {t % 16, r};
  }
  return {};
}

/// One warp's load or store.
struct TmemTransfer {
  TmemShape shape = TmemShape::s32x32b;
  std::uint32_t num = 1;                ///< N of .xN
  bool pack = false;                    ///< .pack::16b of a load, .unpack::16b of a store
  std::uint32_t half_split_offset = 0;  ///< 16x32bx2: added to the address for threads 16..31
  std::uint32_t address = 0;            ///< lane << 16 | column
  std::uint32_t warp = 0;               ///< index in the CTA; it reaches lanes 32 (warp % 4) ..

  LC_HD constexpr std::uint32_t registers() const { return tmem_shape_row(shape).registers * num; }
  LC_HD constexpr std::uint32_t halves() const { return pack ? 2 : 1; }
};

/// The address a thread starts from: plain 32-bit addition.
LC_HD constexpr std::uint32_t tmem_thread_address(const TmemTransfer& x, std::uint32_t thread) {
  const bool second = x.shape == TmemShape::s16x32bx2 && thread >= 16;
  return second ? x.address + x.half_split_offset : x.address;
}

/// Lane and column of a register.  With pack, half 0 is the register's low 16 bits and half 1 its
/// high ones; each is the low 16 bits of its cell.  Only the low five bits of the address's lane
/// count, the warp says the rest (PTX ISA 9.7.16.8; DSL documentation).  Not cut to the 128 x 512
/// cells: see `check_tmem_transfer`.
LC_HD constexpr TmemOffset tmem_cell(const TmemTransfer& x, std::uint32_t thread, std::uint32_t reg,
                                     std::uint32_t half = 0) {
  const std::uint32_t from = tmem_thread_address(x, thread);
  const TmemOffset o = tmem_fragment(x.shape, thread, reg);
  const std::uint32_t column = x.pack ? 2 * o.column + half : o.column;
  return {x.warp % 4 * 32 + (from >> 16 & 31) + o.lane, (from & 0xFFFF) + column};
}

namespace tmem_rules {
inline constexpr Rule kNum{"tmem.num", Severity::error, "num",
                           "the shape comes as .x1, .x2, .x4 .. .x{limit}, not .x{value}"};
inline constexpr Rule kSplitShape{"tmem.split-shape", Severity::error, "half_split_offset",
                                  "only shape 16x32bx2 has a half split offset"};
inline constexpr Rule kSplitOverlap{
    "tmem.split-overlap", Severity::note, "half_split_offset",
    "the two halves of the warp share cells: their columns overlap in the same lanes"};
inline constexpr Rule kTransferLanes{
    "tmem.transfer-lanes", Severity::error, "address",
    "lane {value} lies outside the warp's 32 lanes (the last is {limit})"};
inline constexpr Rule kTransferColumns{
    "tmem.transfer-columns", Severity::error, "address",
    "column {value} lies outside Tensor Memory (the last is {limit})"};
inline constexpr Rule kTransferBase{
    "tmem.transfer-base", Severity::error, "address",
    "shape 32x32b takes all lanes of the warp: the lane of its address is a multiple of 32, not "
    "{value}"};
inline constexpr Rule kTransferBase16{
    "tmem.transfer-base-16", Severity::warning, "address",
    "16-lane shapes start at lane 0 or 16 of the warp's 32, not {value}: inferred"};
inline constexpr Rule kSubPartition{
    "tmem.sub-partition", Severity::warning, "address",
    "the address names lanes {value} .., but the warp reaches lanes {limit} .. only"};
}  // namespace tmem_rules

namespace tmem_checks {

/// A thread's cells must stay inside the warp's lanes and the columns.
constexpr void corner(const TmemTransfer& x, std::uint32_t thread, Findings& out) {
  namespace r = tmem_rules;
  const TmemShapeRow row = tmem_shape_row(x.shape);
  const std::uint32_t from = tmem_thread_address(x, thread);
  const std::uint32_t base = from >> 16 & 31, first = x.warp % 4 * 32;
  if (row.lanes == 32) {
    if (base != 0) out.add(r::kTransferBase, base);
  } else if (base + row.lanes > 32) {
    out.add(r::kTransferLanes, first + base + row.lanes - 1, first + 31);
  } else if (base % 16 != 0) {
    out.add(r::kTransferBase16, base);
  }
  const std::uint32_t last = (from & 0xFFFF) + row.columns * x.num * x.halves() - 1;
  if (last >= kTmemColumns) out.add(r::kTransferColumns, last, kTmemColumns - 1);
  const std::uint32_t named = from >> 21 & 3;
  if (named != 0 && named != x.warp % 4) out.add(r::kSubPartition, 32 * named, first);
}

}  // namespace tmem_checks

constexpr Findings check_tmem_transfer(const TmemTransfer& x) {
  namespace r = tmem_rules;
  Findings out;
  const TmemShapeRow row = tmem_shape_row(x.shape);
  if (x.num == 0 || x.num > row.max_num || (x.num & (x.num - 1)) != 0) {
    out.add(r::kNum, x.num, row.max_num);
    return out;
  }
  tmem_checks::corner(x, 0, out);
  if (x.shape != TmemShape::s16x32bx2) {
    if (x.half_split_offset != 0) out.add(r::kSplitShape);
    return out;
  }
  if (x.half_split_offset == 0) {
    out.add(r::kSplitOverlap);
    return out;
  }
  tmem_checks::corner(x, 16, out);
  const std::uint32_t columns = row.columns * x.num * x.halves();
  const std::uint32_t a = x.address & 0xFFFF, b = tmem_thread_address(x, 16) & 0xFFFF;
  const bool same_lanes = ((x.address ^ tmem_thread_address(x, 16)) >> 16 & 31) == 0;
  if (same_lanes && (a > b ? a - b : b - a) < columns) out.add(r::kSplitOverlap);
  return out;
}

/// Shapes of `tcgen05.cp`, shared memory to Tensor Memory (PTX ISA 9.0, 9.7.16.9).  Rows come from
/// a K-major shared-memory descriptor.
enum class TmemCopyShape : std::uint8_t {
  c128x256b,
  c128x128b,
  c4x256b,
  c64x128b_02_13,
  c64x128b_01_23,
  c32x128b
};

inline constexpr std::size_t kTmemCopyShapeCount = 6;

struct TmemCopyRow {
  TmemCopyShape shape;
  const char* name;  ///< with the multicast it needs
  std::uint32_t rows;
  std::uint32_t bytes;   ///< of one row
  std::uint32_t copies;  ///< places every byte goes to
};

LC_HD constexpr TmemCopyRow tmem_copy_row(TmemCopyShape shape) {
  constexpr TmemCopyRow kRows[] = {
      {TmemCopyShape::c128x256b, "128x256b", 128, 32, 1},
      {TmemCopyShape::c128x128b, "128x128b", 128, 16, 1},
      {TmemCopyShape::c4x256b, "4x256b", 4, 32, 1},
      {TmemCopyShape::c64x128b_02_13, "64x128b.warpx2::02_13", 64, 16, 2},
      {TmemCopyShape::c64x128b_01_23, "64x128b.warpx2::01_23", 64, 16, 2},
      {TmemCopyShape::c32x128b, "32x128b.warpx4", 32, 16, 4},
  };
  return kRows[static_cast<int>(shape)];
}

constexpr std::array<Spelled<TmemCopyShape>, kTmemCopyShapeCount> spellings(TmemCopyShape) {
  std::array<Spelled<TmemCopyShape>, kTmemCopyShapeCount> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TmemCopyRow row = tmem_copy_row(static_cast<TmemCopyShape>(i));
    rows[i] = {row.shape, row.name};
  }
  return rows;
}

/// Lane of a row, relative to the address.  That both warps of a warpx2 pair get the same rows is
/// how CuTe reads it; the ISA's sentence can be read the other way round: uncertain.
LC_HD constexpr std::uint32_t tmem_copy_lane(TmemCopyShape shape, std::uint32_t row,
                                             std::uint32_t copy) {
  switch (shape) {
    case TmemCopyShape::c128x256b:
    case TmemCopyShape::c128x128b:
      return row;
    case TmemCopyShape::c4x256b:
      return 32 * row;
    case TmemCopyShape::c64x128b_02_13:
      return row + 64 * copy;
    case TmemCopyShape::c64x128b_01_23:
      return row % 32 + 64 * (row / 32) + 32 * copy;
    case TmemCopyShape::c32x128b:
      return row + 32 * copy;
  }
  return 0;
}

/// Byte `byte` of a row goes to this column, relative to the address, at bits 8 (byte % 4) ...
LC_HD constexpr std::uint32_t tmem_copy_column(std::uint32_t byte) {
  return byte / 4;
}

/// Decompression on the way (`.b8x16.b6x16_p32`, `.b8x16.b4x16_p64`): a 16-byte chunk holds 16
/// packed codes and padding, each code becomes one byte of Tensor Memory.
enum class TmemDecompression : std::uint8_t { none, b6x16_p32, b4x16_p64 };

struct TmemUnpacking {
  std::uint32_t bits;   ///< of one code; code i starts at bit bits * i of the chunk
  std::uint32_t shift;  ///< where the code stands in its byte (DSL documentation; not measured)
};

LC_HD constexpr TmemUnpacking tmem_unpacking(TmemDecompression format) {
  switch (format) {
    case TmemDecompression::none:
      return {8, 0};
    case TmemDecompression::b6x16_p32:
      return {6, 1};
    case TmemDecompression::b4x16_p64:
      return {4, 2};
  }
  return {};
}

}  // namespace lc
