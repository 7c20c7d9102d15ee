#pragma once

#include <array>
#include <cstdint>

#include "sim/numerics/dot_rule.h"

/// Which elements of B a sparse A meets (PTX ISA 9.0, "Sparse matrix storage").  Metadata is one
/// nibble per group of logical elements; the legal ones name two different places in order.
///
///   2:4 (f16, f8f6f4, i8 kinds)  4 elements: bits 1:0 the first stored one's place, 3:2 the
///   second's 1:2 (tf32)                   2 elements: 0xE the upper one is stored, 0x4 the lower
///   4:8 (mxf4 kinds)             8 elements in 4 pairs: the two stored pairs
namespace lc::numerics {

struct SparseForm {
  std::uint8_t logical;  ///< elements that a nibble describes
  std::uint8_t stored;   ///< elements of A it has
};

constexpr SparseForm sparse_form(Kind kind) {
  switch (kind) {
    case Kind::tf32:
      return {2, 1};
    case Kind::mxf4:
    case Kind::mxf4nvf4:
      return {8, 4};
    default:
      return {4, 2};
  }
}

/// Nibbles the PTX ISA allows; with others the hardware's choice is not known.
constexpr bool is_legal_nibble(Kind kind, std::uint32_t nibble) {
  if (kind == Kind::tf32) return nibble == 0x4 || nibble == 0xE;
  return (nibble & 3) < (nibble >> 2 & 3);
}

/// Places, within the group, of the stored elements; the first `stored` entries count.
constexpr std::array<std::uint8_t, 4> sparse_places(Kind kind, std::uint32_t nibble) {
  const auto first = static_cast<std::uint8_t>(nibble & 3);
  const auto second = static_cast<std::uint8_t>(nibble >> 2 & 3);
  if (kind == Kind::tf32) return {static_cast<std::uint8_t>(first >> 1), 0, 0, 0};
  if (sparse_form(kind).logical == 4) return {first, second, 0, 0};
  const auto low = static_cast<std::uint8_t>(2 * first),
             high = static_cast<std::uint8_t>(2 * second);
  return {low, static_cast<std::uint8_t>(low + 1), high, static_cast<std::uint8_t>(high + 1)};
}

/// Positions in B of the stored elements of group `group`, written to `positions`.
constexpr void expand_nibble(Kind kind, std::size_t group, std::uint32_t nibble,
                             std::uint16_t* positions) {
  const SparseForm form = sparse_form(kind);
  const auto places = sparse_places(kind, nibble);
  for (std::size_t i = 0; i < form.stored; ++i) {
    positions[i] = static_cast<std::uint16_t>(group * form.logical + places[i]);
  }
}

static_assert(sparse_places(Kind::f16, 0x4)[1] == 1 && sparse_places(Kind::f16, 0xE)[0] == 2);
static_assert(sparse_places(Kind::tf32, 0xE)[0] == 1 && sparse_places(Kind::tf32, 0x4)[0] == 0);

}  // namespace lc::numerics
