#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/layout/element.h"
#include "sim/layout/finding.h"
#include "sim/layout/operand.h"
#include "sim/layout/operand_rules.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/smem_descriptor_rules.h"
#include "sim/layout/tensor_map.h"

namespace lc {

/// Which atom (or core matrix) follows in memory: the next one along MN, or the next along K.
enum class AtomOrder : std::uint8_t { mn_first, k_first };
constexpr std::array<Spelled<AtomOrder>, 2> spellings(AtomOrder) {
  return {{{AtomOrder::mn_first, "mn_first"}, {AtomOrder::k_first, "k_first"}}};
}

/// A tile as it stands packed in shared memory: whole atoms, no gaps.
struct OperandTile {
  Arch arch = Arch::sm_90;
  Element element = Element::f16;
  Container container = Container::packed;
  Major major = Major::k;
  Swizzle swizzle = Swizzle::none;
  AtomOrder order = AtomOrder::mn_first;
  std::uint64_t mn = 0, k = 0;
  std::uint64_t start_address = 0;
};

namespace tile_rule {
inline constexpr Rule kMnNotGroups{"operand.mn-not-8-rows", Severity::error, "mn",
                                   "mn = {value} is not a multiple of 8 rows"};
inline constexpr Rule kKNotStep{
    "operand.k-not-instruction-k", Severity::error, "k",
    "k = {value} is not a multiple of the instruction's K of {limit} elements (32 bytes)"};
inline constexpr Rule kMnNotCells{
    "operand.mn-not-whole-cells", Severity::error, "mn",
    "mn = {value} is not a multiple of the {limit} elements of a 16-byte cell"};
inline constexpr Rule kPartialAtomK{
    "operand.partial-atom", Severity::warning, "k",
    "k = {value} does not fill whole atoms of {limit} elements: rows keep the pitch of the swizzle "
    "span, so the tile must be stored as if padded; a narrower swizzle would need no padding"};
inline constexpr Rule kPartialAtomMn{
    "operand.partial-atom", Severity::warning, "mn",
    "mn = {value} does not fill whole atoms of {limit} elements: the tile in memory must be whole "
    "atoms wide, and no descriptor starts in the middle of an atom; a narrower swizzle would fit"};
inline constexpr Rule kPhase{
    "operand.start-off-atom", Severity::warning, "start_address",
    "start {value} is not aligned to the {limit}-byte atom: right as described for data written "
    "by TMA (absolute address bits, base offset 0); data written relative to the tile's own start "
    "needs base offset (start >> 7) & 7"};
inline constexpr Rule kPastWindow{
    "operand.past-window", Severity::error, "start_address",
    "the tile ends at {value}, past the largest shared memory of a CTA ({limit})"};
inline constexpr Rule kStepTooLarge{
    "operand.step-too-large", Severity::error, "mn",
    "a step of {value} bytes between atoms does not fit a descriptor field (less than {limit})"};
}  // namespace tile_rule

/// Geometry of a packed tile, in bytes.  "Contiguous" is the axis of `major`.
struct TileGeometry {
  std::uint64_t atom_elements = 0;  ///< along the contiguous axis
  std::uint64_t atom_rows = 8;      ///< along the other axis
  std::uint64_t atom_bytes = 0;
  std::uint64_t column_atoms = 0;  ///< atoms along the contiguous axis
  std::uint64_t row_groups = 0;    ///< atoms along the other axis
  std::uint64_t column_step = 0;   ///< bytes to the next atom along the contiguous axis
  std::uint64_t group_step = 0;    ///< bytes to the next atom along the other axis
  std::uint64_t footprint = 0;
  std::uint64_t slice_k = 0;  ///< elements of K in one instruction (32 bytes)
};

constexpr TileGeometry tile_geometry(const OperandTile& t) {
  const std::uint64_t bits = stored_bits(t.element, t.container);
  const SwizzleRow row = swizzle_row(t.swizzle);
  const bool k_major = t.major == Major::k;
  TileGeometry g;
  g.atom_rows = !k_major && t.swizzle == Swizzle::b128_32b ? 4 : 8;
  g.atom_elements = row.span * 8 / bits;
  g.atom_bytes = g.atom_rows * row.span;
  const std::uint64_t contiguous = k_major ? t.k : t.mn, strided = k_major ? t.mn : t.k;
  g.column_atoms = (contiguous + g.atom_elements - 1) / g.atom_elements;
  g.row_groups = (strided + g.atom_rows - 1) / g.atom_rows;
  const bool columns_first = (t.order == AtomOrder::k_first) == k_major;
  g.column_step = columns_first ? g.atom_bytes : g.row_groups * g.atom_bytes;
  g.group_step = columns_first ? g.column_atoms * g.atom_bytes : g.atom_bytes;
  g.footprint = g.column_atoms * g.row_groups * g.atom_bytes;
  g.slice_k = 256 / bits;
  return g;
}

/// Number of 32-byte K steps, and so of descriptors, of a tile.
constexpr std::uint64_t slice_count(const OperandTile& t) {
  return t.k / tile_geometry(t).slice_k;
}

/// The descriptor of K slice `i` (PTX ISA 9.7.16.5; CuTe and DeepGEMM advance the same way).
/// An LBO the hardware ignores is written as field 1, a step that does not occur as 0.
constexpr SmemDescriptor slice_descriptor(const OperandTile& t, std::uint64_t i) {
  const TileGeometry g = tile_geometry(t);
  const bool k_major = t.major == Major::k, plain = t.swizzle == Swizzle::none;
  SmemDescriptor d;
  d.swizzle = t.swizzle;
  const std::uint64_t column = g.column_atoms > 1 ? g.column_step : 0;
  const std::uint64_t group = g.row_groups > 1 ? g.group_step : 0;
  const bool group_is_lbo = plain && !k_major;
  d.stride_byte_offset = group_is_lbo ? column : group;
  d.leading_byte_offset = group_is_lbo ? group : column;
  if (k_major && !plain) d.leading_byte_offset = 16;
  const std::uint64_t byte = i * 32;
  const std::uint64_t span = swizzle_row(t.swizzle).span;
  const std::uint64_t advance = k_major ? byte / span * g.column_step + byte % span
                                        : i * (g.slice_k / g.atom_rows) * g.group_step;
  d.start_address = t.start_address + advance;
  return d;
}

/// Rules of the whole tile.  mn and k must be at least 1 and at most 65536.
constexpr Findings check_tile(const OperandTile& t) {
  using namespace tile_rule;
  Findings out = check_operand_mode(t.arch, t.element, t.container, t.major, t.swizzle);
  const std::uint32_t bits = stored_bits(t.element, t.container);
  const TileGeometry g = tile_geometry(t);
  if (g.atom_elements == 0 || 256 % bits != 0) return out;
  const bool k_major = t.major == Major::k;
  if (k_major && t.mn % 8 != 0) out.add(kMnNotGroups, static_cast<std::int64_t>(t.mn));
  const std::uint64_t cell = 128 / bits;
  if (!k_major && t.mn % cell != 0) {
    out.add(kMnNotCells, static_cast<std::int64_t>(t.mn), static_cast<std::int64_t>(cell));
  }
  if (t.k % g.slice_k != 0) {
    out.add(kKNotStep, static_cast<std::int64_t>(t.k), static_cast<std::int64_t>(g.slice_k));
  }
  if ((k_major ? t.k : t.mn) % g.atom_elements != 0) {
    out.add(k_major ? kPartialAtomK : kPartialAtomMn,
            static_cast<std::int64_t>(k_major ? t.k : t.mn),
            static_cast<std::int64_t>(g.atom_elements));
  }
  if (t.start_address % 16 != 0) out.add_hex(smem_rule::kStartUnaligned, t.start_address);
  const SwizzleRow row = swizzle_row(t.swizzle);
  if (t.start_address % row.period != 0 && t.start_address % 16 == 0) {
    out.add_hex(kPhase, t.start_address, row.period);
  }
  for (const std::uint64_t step :
       {g.column_atoms > 1 ? g.column_step : 0, g.row_groups > 1 ? g.group_step : 0}) {
    if (step >= kSmemFieldLimit &&
        !(k_major && t.swizzle != Swizzle::none && step == g.column_step)) {
      out.add_hex(kStepTooLarge, step, kSmemFieldLimit);
    }
  }
  if (t.start_address + g.footprint > kSmemWindowEnd) {
    out.add_hex(kPastWindow, t.start_address + g.footprint, kSmemWindowEnd);
  }
  return out;
}

/// The tensor-map type that carries an element to shared memory.
constexpr DataType tma_data_type(Element element, Container container) {
  switch (element) {
    case Element::f16:
      return DataType::f16;
    case Element::bf16:
      return DataType::bf16;
    case Element::tf32:
      return DataType::tf32;
    case Element::f32:
      return DataType::f32;
    case Element::e4m3:
    case Element::e5m2:
    case Element::i8:
    case Element::u8:
      return DataType::u8;
    case Element::e2m3:
    case Element::e3m2:
      return DataType::u6x16_align16b;
    case Element::e2m1:
      return container == Container::byte ? DataType::u4x16_align16b : DataType::u4x16_align8b;
  }
  return DataType::u8;
}

/// The tensor map whose one box fills the tile, read from a matrix in global memory that is
/// contiguous along `major` with rows of `pitch_bytes` bytes.  A tile of several atoms is cut into
/// up to four dimensions: within the atom, rows of one group, atoms, row groups.  The caller checks
/// the map: a box of more than 256 in one dimension has to be split.
constexpr TensorMap tile_tensor_map(const OperandTile& t, std::uint64_t global_address,
                                    std::uint64_t pitch_bytes) {
  const TileGeometry g = tile_geometry(t);
  const bool k_major = t.major == Major::k;
  const std::uint64_t contiguous = k_major ? t.k : t.mn, strided = k_major ? t.mn : t.k;
  const std::uint64_t span = swizzle_row(t.swizzle).span;
  const std::uint64_t row_bytes =
      span * element_format(t.element).bits / stored_bits(t.element, t.container);
  TensorMap m;
  m.data_type = tma_data_type(t.element, t.container);
  m.global_address = global_address;
  m.swizzle = t.swizzle;
  m.box_dim[0] = m.global_dim[0] = std::min(g.atom_elements, contiguous);
  int rank = 1;
  const auto add = [&](std::uint64_t extent, std::uint64_t stride) {
    m.global_dim[rank] = m.box_dim[rank] = extent;
    m.global_stride[rank - 1] = stride;
    ++rank;
  };
  const bool columns_first = (t.order == AtomOrder::k_first) == k_major;
  if (g.column_atoms == 1) {
    add(strided, pitch_bytes);
  } else if (!columns_first || g.row_groups == 1) {
    add(strided, pitch_bytes);
    add(g.column_atoms, row_bytes);
  } else {
    add(g.atom_rows, pitch_bytes);
    add(g.column_atoms, row_bytes);
    add(g.row_groups, g.atom_rows * pitch_bytes);
  }
  m.rank = rank;
  return m;
}

}  // namespace lc
