#pragma once

#include <cstdint>

#include "sim/layout/host_device.h"
#include "sim/layout/im2col.h"
#include "sim/layout/tma_box.h"

/// Where an im2col copy puts its pixels.
///
///   base pixel j = 0 stands at the instruction's coordinates; the next one is found like a
///   counter: W += element stride of W; past the last position of the box W returns to the box's
///   first and H += its stride; past H likewise D; past D the image N += its stride.
///   box, each dimension: lower corner .. size - 1 + upper corner
///   a load reads the base pixel + the instruction's offsets; what lies outside the tensor is fill
///   pixel j is row j of shared memory: channels_per_pixel elements from coordinate C on, pitch,
///   swizzle and clipping as for a tiled box
///
/// Measured on H200 for loads (850 of 850, byte for byte, ranks 3 to 5, all swizzles to 128B, all
/// interleaves) and stores (230 of 230, without offsets).  With interleave a pixel is one slice of
/// 16 or 32 bytes whatever channels_per_pixel says.
///
/// im2col::w and im2col::w::128 (PTX ISA 5.5.5; not measured): the box is one position in H and D,
/// where the coordinates say, so that past W comes the next image; only W is strided; wOffset moves
/// every pixel along W.  wHalo pixels follow in shared memory behind the last pixel, or behind
/// every 32 of 128; they go on along W from the pixel before them, past the box where it ends there
/// (inferred from the words "halo elements at the end").
namespace lc {

/// Offsets of W, H and D in the instruction: filter taps, unsigned.
struct Im2colOffsets {
  std::uint32_t at[kMaxSpatial] = {};
};

/// One spatial dimension of the walk.
struct Im2colAxis {
  std::int64_t first = 0;    ///< coordinate of pixel 0
  std::int64_t begin = 0;    ///< first position of the box
  std::int64_t last = 0;     ///< last position of the box
  std::int64_t advance = 1;  ///< element stride
  std::int64_t offset = 0;   ///< filter tap
  std::uint64_t size = 1;    ///< of the tensor
  std::uint64_t stride = 0;  ///< bytes
};

struct Im2colBox {
  TmaBox pixels;  ///< rows = pixels; no steps of its own
  int spatial = 1;
  Im2colAxis axis[kMaxSpatial];
  Im2colAxis image;            ///< dimension N: no box, no offset
  std::uint64_t fixed = 0;     ///< bytes of the channel slice's coordinate
  bool slice_outside = false;  ///< that coordinate lies outside the tensor
  bool wide = false;           ///< im2col::w: pixel 0 may lie left of the box
  std::uint64_t run = 0;       ///< pixels before each halo; 0: none
  std::uint64_t halo = 0;      ///< pixels of each halo
};

namespace detail {

LC_HD constexpr Im2colAxis im2col_axis(const TensorMap& tensor, int dimension, std::int64_t first,
                                       std::uint64_t unit) {
  Im2colAxis axis;
  axis.first = first;
  axis.advance = static_cast<std::int64_t>(tensor.element_stride[dimension]);
  axis.size = tensor.global_dim[dimension];
  axis.stride = dimension == 0 ? unit : tensor.global_stride[dimension - 1];
  return axis;
}

LC_HD constexpr bool holds(const Im2colAxis& axis, std::int64_t p) {
  return p >= 0 && static_cast<std::uint64_t>(p) < axis.size;
}

}  // namespace detail

/// The copy of an accepted map at `first`, innermost first: {C, W, H, D, N}, with interleave
/// {W, H, D, slice, N}.  A store has no offsets.
LC_HD constexpr Im2colBox make_im2col_box(const Im2colMap& map, const Coordinates& first,
                                          const Im2colOffsets& offsets,
                                          std::uint64_t smem_address) {
  // The row geometry is that of a tiled box of one pixel.
  TensorMap pixel = map.tensor;
  for (std::uint64_t& box : pixel.box_dim.at) box = 1;
  pixel.box_dim[0] = map.tensor.interleave == Interleave::none ? map.channels_per_pixel : 1;
  for (std::uint64_t& stride : pixel.element_stride.at) stride = 1;

  Im2colBox box;
  box.pixels = make_tma_box(pixel, first, smem_address);
  TmaBox& rows = box.pixels;
  rows.step_count = 0;
  rows.rows = map.pixels_per_column;
  const std::uint64_t line = map.tensor.swizzle == Swizzle::none ? 1 : rows.swizzle.span;
  rows.footprint = (rows.rows * rows.row_pitch + line - 1) / line * line;
  rows.transaction_bytes = rows.rows * rows.packed_bytes;

  box.spatial = map.spatial();
  for (int i = 0; i < box.spatial; ++i) {
    const int dimension = map.first_spatial() + i;
    Im2colAxis& axis = box.axis[i];
    axis = detail::im2col_axis(map.tensor, dimension, first[dimension], rows.packed_bytes);
    axis.begin = map.lower[i];
    axis.last = static_cast<std::int64_t>(axis.size) - 1 + map.upper[i];
    axis.offset = offsets.at[i];
  }
  const int image = map.tensor.rank - 1;
  box.image = detail::im2col_axis(map.tensor, image, first[image], 0);
  if (map.tensor.interleave != Interleave::none) {
    const int slice = image - 1;
    const Im2colAxis axis = detail::im2col_axis(map.tensor, slice, first[slice], 0);
    box.fixed = static_cast<std::uint64_t>(axis.first) * axis.stride;
    box.slice_outside = !detail::holds(axis, axis.first);
  }
  return box;
}

inline constexpr std::uint64_t kWide128Pixels = 128;
inline constexpr std::uint64_t kWide128Run = 32;

/// The same for im2col::w and im2col::w::128, as the map says; ranks and coordinates as above.
LC_HD constexpr Im2colBox make_wide_im2col_box(const Im2colMap& map, const Coordinates& first,
                                               std::uint32_t w_halo, std::uint32_t w_offset,
                                               std::uint64_t smem_address) {
  Im2colMap column = map;
  if (map.wide_128) column.pixels_per_column = kWide128Pixels;
  Im2colBox box = make_im2col_box(column, first, {{w_offset, 0, 0}}, smem_address);
  box.wide = true;
  box.image.advance = 1;
  for (int i = 1; i < box.spatial; ++i) box.axis[i].begin = box.axis[i].last = box.axis[i].first;
  if (w_halo != 0) {
    box.run = map.wide_128 ? kWide128Run : column.pixels_per_column;
    box.halo = w_halo;
  }
  TmaBox& rows = box.pixels;
  rows.rows += box.run == 0 ? 0 : rows.rows / box.run * box.halo;
  const std::uint64_t line = map.tensor.swizzle == Swizzle::none ? 1 : rows.swizzle.span;
  rows.footprint = (rows.rows * rows.row_pitch + line - 1) / line * line;
  rows.transaction_bytes = rows.rows * rows.packed_bytes;
  return box;
}

/// Whether pixel 0 stands in the box; the hardware raises an illegal instruction when it does not
/// (measured, 62 of 62; the image may be any).  im2col::w lets it stand left of the box.
LC_HD constexpr bool starts_in_box(const Im2colBox& box) {
  for (int i = 0; i < box.spatial; ++i) {
    const bool left = box.axis[i].first < box.axis[i].begin;
    if ((left && !box.wide) || box.axis[i].first > box.axis[i].last) return false;
  }
  return true;
}

/// Walks the pixels; the rows go to `for_each_piece(box.pixels, …)`.
class Im2colCursor {
 public:
  LC_HD constexpr explicit Im2colCursor(const Im2colBox& box)
      : box_(&box), left_(box.pixels.rows), image_(box.image.first) {
    for (int i = 0; i < box.spatial; ++i) at_[i] = box.axis[i].first;
    row_.linear = box.pixels.smem_address;
    finish_row();
  }

  LC_HD constexpr bool done() const { return left_ == 0; }
  LC_HD constexpr const TmaRow& row() const { return row_; }
  /// Coordinate of the pixel that is read, W first.
  LC_HD constexpr std::int64_t at(int i) const {
    const Im2colAxis& axis = box_->axis[i];
    const std::int64_t halo = i == 0 ? static_cast<std::int64_t>(halo_) * axis.advance : 0;
    return at_[i] + axis.offset + halo;
  }
  LC_HD constexpr std::int64_t image() const { return image_; }

  LC_HD constexpr void next() {
    --left_;
    row_.linear += box_->pixels.row_pitch;
    if (step_halo()) return finish_row();
    int i = 0;
    for (; i < box_->spatial; ++i) {
      at_[i] += box_->axis[i].advance;
      if (at_[i] <= box_->axis[i].last) break;
      at_[i] = box_->axis[i].begin;
    }
    if (i == box_->spatial) image_ += box_->image.advance;
    finish_row();
  }

 private:
  /// Whether the next pixel belongs to a halo; else the walk goes on from the last one that does
  /// not.
  LC_HD constexpr bool step_halo() {
    if (box_->run == 0) return false;
    if (halo_ == 0 && ++in_run_ < box_->run) return false;
    if (halo_ < box_->halo) {
      ++halo_;
      return true;
    }
    halo_ = 0;
    in_run_ = 0;
    return false;
  }

  LC_HD constexpr void finish_row() {
    const TmaBox& pixels = box_->pixels;
    bool inside = detail::holds(box_->image, image_) && !box_->slice_outside;
    std::uint64_t offset = box_->fixed + static_cast<std::uint64_t>(image_) * box_->image.stride;
    offset +=
        static_cast<std::uint64_t>(pixels.first_inner * std::int64_t{pixels.element_bits} / 8);
    for (int i = 0; i < box_->spatial; ++i) {
      inside = inside && detail::holds(box_->axis[i], at(i));
      offset += static_cast<std::uint64_t>(at(i)) * box_->axis[i].stride;
    }
    row_.global_offset = static_cast<std::int64_t>(offset);
    row_.swizzle_mask = swizzle_mask(pixels.swizzle, row_.linear);
    row_.outside = !inside || pixels.in_begin >= pixels.in_end;
  }

  const Im2colBox* box_;
  std::uint64_t left_;
  std::int64_t image_;
  std::int64_t at_[kMaxSpatial]{};
  std::uint64_t in_run_ = 0;  ///< pixels of the run before this one
  std::uint64_t halo_ = 0;    ///< 1 …: this pixel is that one of a halo
  TmaRow row_{};
};

}  // namespace lc
