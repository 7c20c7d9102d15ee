#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/check/image.h"
#include "verify/dump/dump_file.h"

namespace lc::verify {

/// How many bytes of a window differ from what its description says.
struct Comparison {
  std::uint64_t tile_bytes = 0;  ///< of the window that the tile covers, each counted once
  std::uint64_t compared = 0;    ///< the same and, with `untouched`, all others; less barriers
  std::uint64_t outside = 0;     ///< of the tile, not in the window
  std::uint64_t differing = 0;
  std::uint64_t differing_tile = 0;    ///< of them inside the tile; the rest should be untouched
  std::optional<std::uint64_t> first;  ///< lowest address that differs

  bool same() const { return differing == 0; }
};

/// Compares without holding the expected bytes: the tile is walked once.  Where something differs,
/// the window is looked at again byte by byte.  Throws `Error` (`where` in front) when the source
/// lacks bytes that the tile needs, or nothing of the tile lies in the window.
Comparison compare(const std::string& where, const DumpedTile& tile);

/// What one byte of a window is.
enum class ByteState : std::uint8_t {
  free,       ///< nothing is known about it
  tile,       ///< should hold a value of the tile
  untouched,  ///< should hold the value it had before the copy
  masked,     ///< part of a barrier
  unreadable  ///< of the tile, but the source has no value for it
};

/// A whole window as it should be.
struct Rendering {
  std::vector<std::uint8_t> expected;
  std::vector<ByteState> state;
  std::uint64_t outside = 0;  ///< bytes of the image that lie in no place of the window

  bool differs(const Window& window, std::size_t i) const {
    return (state[i] == ByteState::tile || state[i] == ByteState::untouched) &&
           window.bytes[i] != expected[i];
  }
};

/// The bytes of an image in a window.  Where elements share a byte and disagree, one that does not
/// fit what was found wins, so that no contradiction is lost.
Rendering render(const Image& image, const Source& source, const Window& window,
                 std::optional<std::uint8_t> untouched, const std::vector<std::uint64_t>& barriers);

/// The same into memory that is there already.
void render_into(Rendering& out, const Image& image, const Source& source, const Window& window,
                 std::optional<std::uint8_t> untouched, const std::vector<std::uint64_t>& barriers);

}  // namespace lc::verify
