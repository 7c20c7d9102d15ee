#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/layout/canonical.h"
#include "sim/layout/match.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tensor_map_rules.h"

namespace lc {

/// The TMA copies that fill a tile: equal boxes of one map, `smem_step` bytes apart in shared
/// memory. Parts cut the rows (a box holds at most 256), panels the contiguous axis; parts come
/// first.
struct TileBoxes {
  TensorMap map;
  std::uint64_t parts = 1;
  std::uint64_t panels = 1;
  int split = 1;                  ///< dimension that parts cut
  std::uint64_t part_extent = 0;  ///< along `split`
  std::uint64_t smem_step = 0;
  bool legal = false;  ///< the encoder takes the map, and every descriptor reads what it writes

  constexpr std::uint64_t count() const { return parts * panels; }
  constexpr Coordinates coordinates(std::uint64_t i) const {
    Coordinates c{};
    c[0] = static_cast<std::int64_t>(i / parts * map.box_dim[0]);
    const auto along = static_cast<std::int64_t>(i % parts * part_extent);
    c[static_cast<std::size_t>(split)] += along;
    return c;
  }
};

namespace detail {

/// Every K slice of the part of the tile that box `i` fills, read back from that box.
constexpr bool slices_read_box(const OperandTile& t, const TileBoxes& b, std::uint64_t i) {
  const TileGeometry g = tile_geometry(t);
  const bool k_major = t.major == Major::k, grouped = b.map.rank == 4;
  const std::uint64_t row_unit = grouped ? g.atom_rows : 1;
  const std::uint64_t first_row = i % b.parts * b.part_extent * row_unit;
  const std::uint64_t all_rows = k_major ? t.mn : t.k, all_columns = k_major ? t.k : t.mn;
  const std::uint64_t rows = b.parts > 1 ? b.part_extent * row_unit : all_rows;
  const std::uint64_t first_column = i / b.parts * g.atom_elements;
  const std::uint64_t columns =
      b.panels > 1 ? std::min(g.atom_elements, all_columns - first_column) : all_columns;
  MatchQuestion q;
  q.map = b.map;
  q.coordinates = b.coordinates(i);
  q.smem_address = t.start_address + i * b.smem_step;
  q.major = t.major;
  q.element = t.element;
  q.container = t.container;
  q.mn = k_major ? rows : columns;
  q.k = g.slice_k;
  OperandAxis along_columns, along_rows;
  along_columns.count = b.map.rank > 2 ? 2 : 1;
  along_columns.dimension[1] = 2;
  along_rows.dimension[0] = 1;
  along_rows.count = grouped ? 2 : 1;
  along_rows.dimension[1] = 3;
  q.mn_axis = k_major ? along_rows : along_columns;
  q.k_axis = k_major ? along_columns : along_rows;
  const std::uint64_t first_k = k_major ? first_column : first_row;
  const std::uint64_t end_k = first_k + (k_major ? columns : rows);
  for (std::uint64_t k = first_k; k + g.slice_k <= end_k; k += g.slice_k) {
    q.descriptor = slice_descriptor(t, k / g.slice_k);
    q.descriptor.start_address += k_major ? first_row / g.atom_rows * g.group_step
                                          : first_column / g.atom_elements * g.column_step;
    const std::uint64_t column = k_major ? k : first_column, row = k_major ? first_row : k;
    const bool cut = b.map.rank > 2;
    q.origin = {};
    q.origin[0] = static_cast<std::int64_t>(cut ? column % g.atom_elements : column);
    if (cut) q.origin[2] = static_cast<std::int64_t>(column / g.atom_elements);
    q.origin[1] = static_cast<std::int64_t>(grouped ? row % g.atom_rows : row);
    if (grouped) q.origin[3] = static_cast<std::int64_t>(row / g.atom_rows);
    if (!Matcher(q).all_agree()) return false;
  }
  return true;
}

/// One box per panel and at most 256 rows, where a box over all panels would be too tall.
constexpr void cut_into_panels(const OperandTile& t, const TileGeometry& g, TileBoxes& b) {
  const bool k_major = t.major == Major::k;
  b.map.rank = 2;
  b.map.global_dim[0] = k_major ? t.k : t.mn;
  b.panels = g.column_atoms;
}

}  // namespace detail

/// The boxes for a tile whose source is a packed matrix at `global_address`.  The answer is proved,
/// not assumed: `legal` is set when the encoder's rules hold and every slice's descriptor reads
/// back what the boxes wrote.
constexpr TileBoxes tile_boxes(const OperandTile& t, std::uint64_t global_address) {
  const std::uint64_t contiguous = t.major == Major::k ? t.k : t.mn;
  const std::uint64_t bits = element_format(t.element).bits;
  const bool padded = bits < 8 && t.container == Container::byte;
  const std::uint64_t unit = padded ? 32 : 16;  // of a tensor map's strides
  const std::uint64_t pitch = (contiguous * bits / 8 + unit - 1) / unit * unit;
  const TileGeometry g = tile_geometry(t);
  TileBoxes b;
  b.map = tile_tensor_map(t, global_address, pitch);
  // The dimension of the rows (or of the row groups) is the one that may be too long.
  const bool grouped = b.map.rank == 4;
  b.split = grouped ? 3 : 1;
  const auto d = static_cast<std::size_t>(b.split);
  if (b.map.box_dim[d] > 256) {
    if (b.map.rank == 3) detail::cut_into_panels(t, g, b);
    const std::uint64_t step = grouped ? 1 : g.atom_rows;
    b.parts = (b.map.box_dim[d] + 255) / 256;
    while (b.map.box_dim[d] % (b.parts * step) != 0 && b.parts < b.map.box_dim[d]) ++b.parts;
    b.map.box_dim[d] /= b.parts;
    b.part_extent = b.map.box_dim[d];
    b.smem_step = b.part_extent / step * (grouped ? g.group_step : g.atom_bytes);
  }
  b.legal = !check_tensor_map(b.map, t.arch).has_error();
  for (std::uint64_t i = 0; b.legal && i < b.count(); ++i) {
    b.legal = detail::slices_read_box(t, b, i);
  }
  return b;
}

}  // namespace lc
