#pragma once

#include <array>
#include <cstdint>

#include "sim/layout/banks.h"

namespace lc {

/// A warp walking over rows of a tile: lane l takes piece l % pieces of row l / pieces (or, rows
/// first, row l % rows and piece l / rows).
struct RowPattern {
  std::uint32_t base = 0;     ///< address of row 0
  std::uint32_t pitch = 128;  ///< bytes from row to row, before the swizzle
  std::uint32_t column = 0;   ///< first byte of a row that is touched
  std::uint32_t rows = 32;
  std::uint32_t pieces = 1;  ///< lanes side by side in a row, one access width apart
  bool rows_first = false;
  Swizzle swizzle = Swizzle::none;
};

/// The same access on a tile whose addresses went through a swizzle.
constexpr BankAccess with_swizzle(const BankAccess& access, Swizzle mode) {
  BankAccess moved = access;
  for (std::uint32_t& address : moved.address) {
    address = static_cast<std::uint32_t>(swizzled(mode, address));
  }
  return moved;
}

/// Fills in the addresses of an access; rows * pieces lanes are active, at most 32.
constexpr BankAccess with_rows(BankAccess access, const RowPattern& p) {
  access.active = 0;
  const std::uint64_t lanes = std::uint64_t{p.rows} * p.pieces;
  for (std::uint32_t lane = 0; lane < 32 && lane < lanes; ++lane) {
    const std::uint32_t row = p.rows_first ? lane % p.rows : lane / p.pieces;
    const std::uint32_t piece = p.rows_first ? lane / p.rows : lane % p.pieces;
    access.active |= 1u << lane;
    access.address[lane] = p.base + row * p.pitch + p.column + piece * access.width;
  }
  return with_swizzle(access, p.swizzle);
}

/// Lane l at base + l * stride.
constexpr BankAccess with_stride(BankAccess access, std::uint32_t base, std::uint32_t stride) {
  access.active = 0xFFFFFFFF;
  for (std::uint32_t lane = 0; lane < 32; ++lane) access.address[lane] = base + lane * stride;
  return access;
}

/// What an access would cost if its tile were written and read with another swizzle.
struct SwizzleVerdict {
  Swizzle mode = Swizzle::none;
  std::uint32_t wavefronts = 0;
  std::uint32_t conflicts = 0;
  /// The mode's rows are as long as the pattern's: a tensor-map box or an MMA operand can have
  /// this layout.  With other pitches only a hand-written swizzle can.
  bool row_fits_span = false;
};

inline constexpr std::array<Swizzle, 4> kBankSwizzles = {Swizzle::none, Swizzle::b32, Swizzle::b64,
                                                         Swizzle::b128};

/// `linear` holds the addresses before any swizzle; `pitch` is its row pitch, 0 when unknown.
constexpr std::array<SwizzleVerdict, 4> swizzle_verdicts(const BankAccess& linear,
                                                         std::uint32_t pitch) {
  std::array<SwizzleVerdict, 4> verdicts{};
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Swizzle mode = kBankSwizzles[i];
    const BankReport report = bank_report(with_swizzle(linear, mode));
    const bool fits = mode == Swizzle::none || pitch == swizzle_row(mode).span;
    verdicts[i] = {mode, report.wavefronts, report.conflicts(), fits};
  }
  return verdicts;
}

/// How often each bank sector is used by 16-byte cells.
constexpr std::array<std::uint32_t, 8> sector_use(const std::array<std::uint32_t, 8>& cells) {
  std::array<std::uint32_t, 8> use{};
  for (const std::uint32_t address : cells) ++use[bank_sector(address)];
  return use;
}

/// Reading the 8 cells of a core matrix (8 rows of 16 bytes), as wgmma and tcgen05 do: free when
/// the cells stand in 8 different bank sectors.  A model for reports, not a timing: inferred.
constexpr std::uint32_t core_matrix_passes(const std::array<std::uint32_t, 8>& cells) {
  std::uint32_t most = 0;
  for (const std::uint32_t uses : sector_use(cells)) most = uses > most ? uses : most;
  return most;
}

/// Cell `chunk` of 8 rows of a tile, for the two functions above.
constexpr std::array<std::uint32_t, 8> core_matrix_cells(std::uint32_t base, std::uint32_t pitch,
                                                         std::uint32_t chunk, Swizzle mode) {
  std::array<std::uint32_t, 8> cells{};
  for (std::uint32_t row = 0; row < 8; ++row) {
    cells[row] = static_cast<std::uint32_t>(swizzled(mode, base + row * pitch + chunk * 16));
  }
  return cells;
}

}  // namespace lc
