#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verify/dump/description.h"
#include "verify/json.h"

namespace lc::verify {

/// One byte of a tile in every coordinate a reader may think in.
struct Place {
  std::uint64_t address = 0;
  bool in_tile = false;  ///< the rest means something only then
  bool fill = false;     ///< outside of the tensor
  // The 16-byte chunk that holds the byte.
  std::string elements;                 ///< "row 5, k 8..15" or "element (8..15, 5)"
  std::uint64_t chunk = 0;              ///< number in its row, before the swizzle
  std::optional<std::uint64_t> source;  ///< byte of the source
  /// Of swizzled tiles: the aligned block of one pattern, counted from the tile's first, and the
  /// 128-byte line in it.
  std::optional<std::uint64_t> atom;
  std::uint64_t line = 0;

  std::uint64_t bank() const { return address / 4 % 32; }
  std::uint64_t sector() const { return address / 16 % 8; }
};

/// Where `address` lies in a described tile.
Place place_of(const TileDescription& tile, std::uint64_t address);

/// What the source holds from byte `offset` on, 16 bytes, in the tile's own coordinates:
/// "row 5, k 0..7".  Empty when the offset is no element of the source's matrix or tensor.
std::string source_place(const TileDescription& tile, std::uint64_t offset);

/// "bf16 {64, 128} 128B" or "f16 128 x 64, K-major 64B".
std::string summary(const TileDescription& tile);

}  // namespace lc::verify
