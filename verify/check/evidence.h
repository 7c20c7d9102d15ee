#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verify/check/chunk_index.h"
#include "verify/check/compare.h"
#include "verify/check/image.h"

namespace lc::verify {

/// What the bytes themselves say about a wrong tile: for each of its 16-byte cells, where the
/// source has the chunk that was found there, and where in the window the chunk landed that should
/// be there.  From these come the candidates that no table could list: a stride, a shift.
class Evidence {
 public:
  Evidence(const Image& image, const Source& source, const Window& window,
           const ChunkIndex& in_source);

  /// Distances between found and expected source bytes, the most frequent first.
  const std::vector<std::int64_t>& source_shifts() const { return source_shifts_; }
  /// Distances between landed and expected linear addresses, the most frequent first.
  const std::vector<std::int64_t>& address_shifts() const { return address_shifts_; }

  /// Source bytes from index i of an axis to the next, as found.
  std::vector<std::int64_t> source_steps(std::size_t axis) const;
  /// Shared bytes from index i of an axis to index i + distance, as landed.
  std::vector<std::int64_t> address_steps(std::size_t axis, std::uint64_t distance) const;
  /// Shared bytes from byte c of a row to byte c + distance, as landed.
  std::vector<std::int64_t> column_steps(std::uint64_t distance) const;

 private:
  struct Cell {
    std::uint64_t linear = 0, source = 0;
    std::optional<std::uint64_t> found;   ///< source byte of what stands here
    std::optional<std::uint64_t> landed;  ///< linear address where the expected chunk stands
  };

  using Field = std::optional<std::uint64_t> Cell::*;
  std::vector<std::int64_t> steps(Field field, std::size_t axis, std::uint64_t distance) const;
  std::uint64_t rows_per_step(std::size_t axis) const;

  const Image& image_;
  std::uint64_t cells_per_row_ = 1;
  std::vector<std::optional<Cell>> cells_;  ///< row by row
  std::vector<std::int64_t> source_shifts_, address_shifts_;
};

/// The source around the places that an image reads from.
ChunkIndex index_of_source(const Image& image, const Source& source);

}  // namespace lc::verify
