#pragma once

#include <cstdint>

#include "sim/layout/canonical.h"
#include "sim/layout/match.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tensor_map_rules.h"

namespace lc {

/// The TMA copies that fill a tile: `count` equal boxes of one map, each `smem_step` bytes further
/// in shared memory and `coordinate_step` further along dimension `split`.
struct TileBoxes {
  TensorMap map;
  std::uint64_t count = 1;
  int split = 0;
  std::uint64_t coordinate_step = 0;
  std::uint64_t smem_step = 0;
  bool legal = false;  ///< the encoder takes the map, and every descriptor reads what it writes
};

namespace detail {

/// Every K slice of the part of the tile that box `i` fills, read back from that box.
constexpr bool slices_read_box(const OperandTile& t, const TileBoxes& b, std::uint64_t i) {
  const bool k_major = t.major == Major::k;
  const std::uint64_t slice_k = tile_geometry(t).slice_k;
  MatchQuestion q;
  q.map = b.map;
  q.smem_address = t.start_address + i * b.smem_step;
  q.coordinates[static_cast<std::size_t>(b.split)] =
      static_cast<std::int64_t>(i * b.coordinate_step);
  q.major = t.major;
  q.element = t.element;
  q.container = t.container;
  OperandAxis contiguous, rows;
  rows.dimension[0] = 1;
  const bool grouped = b.map.rank == 4;
  contiguous.count = b.map.rank > 2 ? 2 : 1;
  contiguous.dimension[1] = 2;
  if (grouped) {
    rows.count = 2;
    rows.dimension[1] = 3;
  }
  q.mn_axis = k_major ? rows : contiguous;
  q.k_axis = k_major ? contiguous : rows;
  q.mn = t.mn;
  q.k = slice_k;
  const std::uint64_t along = b.count > 1 ? b.coordinate_step : 0;
  const bool split_mn = b.count > 1 && k_major;
  const bool split_k = b.count > 1 && !k_major;
  if (split_mn) q.mn = along * (grouped ? 8 : 1);
  const std::uint64_t first_k = split_k ? i * along : 0;
  const std::uint64_t end_k = split_k ? first_k + along : t.k;
  for (std::uint64_t k = first_k; k + slice_k <= end_k; k += slice_k) {
    q.descriptor = slice_descriptor(t, k / slice_k);
    if (split_mn) {
      q.descriptor.start_address += i * b.smem_step;
    }
    q.origin = q.coordinates;
    const std::uint64_t in_box = k - first_k;
    if (k_major) {
      q.origin[0] = static_cast<std::int64_t>(in_box % b.map.box_dim[0]);
      if (contiguous.count > 1) q.origin[2] += static_cast<std::int64_t>(in_box / b.map.box_dim[0]);
    } else {
      const std::uint64_t rows_per = grouped ? b.map.box_dim[1] : end_k;
      q.origin[1] += static_cast<std::int64_t>(in_box % rows_per);
      if (grouped) q.origin[3] += static_cast<std::int64_t>(in_box / rows_per);
    }
    if (!Matcher(q).all_agree()) return false;
  }
  return true;
}

}  // namespace detail

/// The boxes for a tile whose source is a packed matrix at `global_address`.  The answer is proved,
/// not assumed: `legal` is set when the encoder's rules hold and every slice's descriptor reads
/// back what the boxes wrote.
constexpr TileBoxes tile_boxes(const OperandTile& t, std::uint64_t global_address) {
  const bool k_major = t.major == Major::k;
  const std::uint64_t contiguous = k_major ? t.k : t.mn;
  const std::uint64_t bits = element_format(t.element).bits;
  const std::uint64_t pitch = (contiguous * bits / 8 + 31) / 32 * 32;
  TileBoxes b;
  b.map = tile_tensor_map(t, global_address, pitch);
  const TileGeometry g = tile_geometry(t);
  // The dimension of the rows (or of the row groups) is the one that may be too long.
  b.split = b.map.rank == 4 ? 3 : 1;
  const auto d = static_cast<std::size_t>(b.split);
  const bool one_panel = g.column_atoms == 1 || b.map.rank == 4;
  if (b.map.box_dim[d] > 256 && one_panel) {
    const std::uint64_t unit = b.split == 1 ? g.atom_rows : 1;
    std::uint64_t n = (b.map.box_dim[d] + 255) / 256;
    while (b.map.box_dim[d] % (n * unit) != 0 && n < b.map.box_dim[d]) ++n;
    b.count = n;
    b.map.box_dim[d] /= n;
    b.coordinate_step = b.map.box_dim[d];
    b.smem_step = b.map.box_dim[d] / unit * (b.map.rank == 4 ? g.group_step : g.atom_bytes);
  }
  b.legal = !check_tensor_map(b.map, t.arch).has_error();
  for (std::uint64_t i = 0; b.legal && i < b.count; ++i) {
    b.legal = detail::slices_read_box(t, b, i);
  }
  return b;
}

}  // namespace lc
