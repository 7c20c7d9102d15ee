#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/layout/element.h"
#include "sim/layout/spelling.h"

namespace lc {

/// The kinds of `tcgen05.mma` (PTX ISA 9.0, 9.7.16.10).  The kind belongs to the instruction, not
/// to its descriptor: the same 32 bits say different things under different kinds.
enum class MmaKind : std::uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };

inline constexpr std::size_t kMmaKindCount = 7;

struct MmaKindRow {
  MmaKind kind;
  const char* name;
  std::uint8_t container_bits;  ///< bits one element of A takes in memory
  bool block_scaled;            ///< has scale factors; D is always f32
  bool transpose;               ///< A and B may be MN-major (PTX ISA table 51)
  bool negate;                  ///< A and B may be negated (PTX ISA table 51)
  bool saturate;                ///< the result may be clamped
  bool weight_stationary;       ///< has a .ws form
};

constexpr MmaKindRow mma_kind_row(MmaKind kind) {
  constexpr MmaKindRow kRows[] = {
      // kind              name       bits scaled transp negate satur  ws
      {MmaKind::f16, "f16", 16, false, true, true, false, true},
      {MmaKind::tf32, "tf32", 32, false, true, true, false, true},
      {MmaKind::f8f6f4, "f8f6f4", 8, false, true, true, false, true},
      {MmaKind::i8, "i8", 8, false, true, false, true, true},
      {MmaKind::mxf8f6f4, "mxf8f6f4", 8, true, true, true, false, false},
      {MmaKind::mxf4, "mxf4", 4, true, false, true, false, false},
      {MmaKind::mxf4nvf4, "mxf4nvf4", 4, true, false, true, false, false},
  };
  return kRows[static_cast<int>(kind)];
}

constexpr std::array<Spelled<MmaKind>, kMmaKindCount> spellings(MmaKind) {
  std::array<Spelled<MmaKind>, kMmaKindCount> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MmaKindRow row = mma_kind_row(static_cast<MmaKind>(i));
    rows[i] = {row.kind, row.name};
  }
  return rows;
}

/// True for the two kinds whose operands are packed e2m1 pairs.
constexpr bool is_mxf4(MmaKind kind) {
  return kind == MmaKind::mxf4 || kind == MmaKind::mxf4nvf4;
}

/// K of one instruction: 32 stored bytes of A; a sparse A stands for twice as many elements
/// (PTX ISA table 39).  `k96` is the 48-byte form of the mxf4 kinds, sm_103a only.
constexpr std::uint32_t mma_k(MmaKind kind, bool sparse, bool k96 = false) {
  if (k96) return 96;
  return 256u / mma_kind_row(kind).container_bits * (sparse ? 2u : 1u);
}

/// Types of the accumulator D.  Values are the descriptor's codes.
enum class Accumulator : std::uint8_t { f16 = 0, f32 = 1, s32 = 2 };

constexpr std::array<Spelled<Accumulator>, 3> spellings(Accumulator) {
  return {{{Accumulator::f16, "f16"}, {Accumulator::f32, "f32"}, {Accumulator::s32, "s32"}}};
}

/// Types of scale factors.  Values are the descriptor's codes.
enum class ScaleType : std::uint8_t { ue4m3 = 0, ue8m0 = 1 };

constexpr std::array<Spelled<ScaleType>, 2> spellings(ScaleType) {
  return {{{ScaleType::ue4m3, "ue4m3"}, {ScaleType::ue8m0, "ue8m0"}}};
}

/// A set of kinds as bits.
constexpr std::uint8_t kind_bit(MmaKind kind) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
}

template <class... Kinds>
constexpr std::uint8_t kind_set(Kinds... kinds) {
  return static_cast<std::uint8_t>((0u | ... | kind_bit(kinds)));
}

/// The code of an operand element in the A and B fields (PTX ISA tables 42 to 44).
struct ElementCode {
  Element element;
  std::uint8_t kinds;
  std::uint8_t code;
};

inline constexpr ElementCode kElementCodes[] = {
    {Element::f16, kind_set(MmaKind::f16), 0},
    {Element::bf16, kind_set(MmaKind::f16), 1},
    {Element::tf32, kind_set(MmaKind::tf32), 2},
    {Element::e4m3, kind_set(MmaKind::f8f6f4, MmaKind::mxf8f6f4), 0},
    {Element::e5m2, kind_set(MmaKind::f8f6f4, MmaKind::mxf8f6f4), 1},
    {Element::e2m3, kind_set(MmaKind::f8f6f4, MmaKind::mxf8f6f4), 3},
    {Element::e3m2, kind_set(MmaKind::f8f6f4, MmaKind::mxf8f6f4), 4},
    {Element::e2m1, kind_set(MmaKind::f8f6f4, MmaKind::mxf8f6f4), 5},
    {Element::u8, kind_set(MmaKind::i8), 0},
    {Element::i8, kind_set(MmaKind::i8), 1},
    {Element::e2m1, kind_set(MmaKind::mxf4, MmaKind::mxf4nvf4), 1},
};

constexpr std::optional<std::uint8_t> element_code(MmaKind kind, Element element) {
  for (const ElementCode& row : kElementCodes) {
    if (row.element == element && (row.kinds & kind_bit(kind)) != 0) return row.code;
  }
  return std::nullopt;
}

constexpr std::optional<Element> element_of_code(MmaKind kind, std::uint64_t code) {
  for (const ElementCode& row : kElementCodes) {
    if (row.code == code && (row.kinds & kind_bit(kind)) != 0) return row.element;
  }
  return std::nullopt;
}

/// Which accumulators a kind can have (PTX ISA table 39).
constexpr bool accumulator_is_legal(MmaKind kind, Accumulator d) {
  switch (d) {
    case Accumulator::f16:
      return kind == MmaKind::f16 || kind == MmaKind::f8f6f4;
    case Accumulator::f32:
      return kind != MmaKind::i8;
    case Accumulator::s32:
      return kind == MmaKind::i8;
  }
  return false;
}

/// Which scale types a kind can have (PTX ISA table 57).
constexpr bool scale_type_is_legal(MmaKind kind, ScaleType type) {
  if (!mma_kind_row(kind).block_scaled) return false;
  return type == ScaleType::ue8m0 || kind == MmaKind::mxf4nvf4;
}

}  // namespace lc
