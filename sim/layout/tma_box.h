#pragma once

#include <cstdint>

#include "sim/layout/host_device.h"
#include "sim/layout/swizzle.h"
#include "sim/layout/tensor_map.h"

/// Where a tiled TMA copy puts the box: the one place that knows it.
///
///   box element (i_0, ..., i_4) is tensor element p_k = coordinate_k + i_k * element_stride_k
///   row    = i_1 + n_1 * (i_2 + n_2 * (i_3 + n_3 * i_4)),  n_k = ceil(box_k / element_stride_k)
///   linear = smem_address + row * pitch + i_0 * element bytes
///   shared = linear ^ swizzle(linear)                      the absolute address decides
///
/// pitch is the inner box, or the span of the swizzle where that is longer; the bytes between are
/// left untouched.  Element stride 0 counts with interleave only.  Measured on H200: 792 of 792
/// loads byte for byte, ranks 1 to 5, swizzles none to 128B, all interleaves; larger atoms follow
/// PTX ISA 5.5.7.
///
/// With interleave the inner row is one pixel of 16 or 32 bytes, pixels follow each other without
/// padding, dimension 0 counts pixels, and dimension rank - 2 (the channel slice) takes one step
/// whatever its box says (measured, 80 of 80).
///
/// Padded types spread 8 or 12 global bytes into each 16-byte cell and leave the rest of the cell
/// untouched (cuda.h, PTX ISA 5.5.1; not measured).
///
/// Every row lies inside one aligned line of 128 bytes when there is a swizzle, so one XOR mask
/// serves a whole row:
///
///   for (TmaRowCursor at(box); !at.done(); at.next()) {
///     const TmaRow row = at.row();
///     // byte i of the row's shared bytes stands at (row.linear + i) ^ row.swizzle_mask; the mask
///     // moves whole 16-byte cells (8-byte halves for FLIP_8B)
///   }
namespace lc {

/// One loop of the walk over the rows of a box.
struct TmaStep {
  int dimension = 0;         ///< of the tensor
  std::uint32_t count = 1;   ///< n_k
  std::int64_t first = 0;    ///< p_k of the first step
  std::int64_t advance = 1;  ///< element stride
  std::uint64_t size = 1;    ///< of the tensor
  std::uint64_t stride = 0;  ///< bytes from one index to the next

  LC_HD constexpr bool holds(std::int64_t p) const {
    return p >= 0 && static_cast<std::uint64_t>(p) < size;
  }
};

/// The copy of one box, from `make_tma_box`.  Sizes are bytes unless they say otherwise.
struct TmaBox {
  std::uint64_t smem_address = 0;
  SwizzleRow swizzle{};
  int step_count = 0;  ///< loops over rows, fastest first
  TmaStep step[kMaxRank]{};
  std::uint64_t rows = 1;
  std::uint64_t row_pitch = 16;
  std::uint32_t inner_bytes = 16;   ///< one row in shared memory, padding of its cells included
  std::uint32_t packed_bytes = 16;  ///< one row in global memory; differs for padded types only
  std::uint32_t cell_bytes = 16;    ///< global bytes in one 16-byte cell
  std::uint32_t element_bits = 8;   ///< with interleave, of a pixel
  std::uint32_t in_begin = 0;       ///< packed bytes of a row inside dimension 0, [begin, end);
  std::uint32_t in_end = 16;        ///< the same for every row that is inside at all
  std::int64_t first_inner = 0;     ///< p_0 of a row's first element; 0 with interleave
  bool interleaved = false;
  OobFill fill = OobFill::zero;
  std::uint64_t footprint = 16;          ///< from smem_address to the end of the last row
  std::uint64_t transaction_bytes = 16;  ///< for the barrier of each destination CTA: the whole
                                         ///< box whatever lies outside, no gaps, no padding
                                         ///< (measured; for padded types inferred)

  /// Packed bytes of a row that a store writes: the end is rounded up to a 16-byte granule, so
  /// the padding after dimension 0 is overwritten (measured).
  LC_HD constexpr std::uint32_t stored_end() const {
    const std::uint32_t end = (in_end + 15) / 16 * 16;
    return end < packed_bytes ? end : packed_bytes;
  }
};

/// One row of a box.
struct TmaRow {
  std::uint64_t linear = 0;        ///< shared address of its first byte before the swizzle
  std::uint64_t swizzle_mask = 0;  ///< XOR from its linear addresses to shared ones
  std::int64_t global_offset = 0;  ///< of its first byte from global_address; may be negative
  bool outside = false;            ///< no byte of it lies in the tensor
};

/// The XOR mask of the aligned 128-byte line that holds `address`.
LC_HD constexpr std::uint64_t swizzle_mask(const SwizzleRow& swizzle, std::uint64_t address) {
  return swizzled(swizzle, address) ^ address;
}

/// Byte of the fill pattern at a shared address: 0, or the 16-bit NaN 0x7FF7 over and over, which
/// is a NaN in f16, bf16, f32 and f64 alike (measured).
LC_HD constexpr std::uint8_t fill_byte(OobFill fill, std::uint64_t address) {
  if (fill == OobFill::zero) return 0;
  return address % 2 == 0 ? 0xF7 : 0x7F;
}

/// Steps of the hardware along a dimension; the encoder's size check rounds down instead.
LC_HD constexpr std::uint32_t tma_steps(std::uint64_t box_dim, std::uint64_t element_stride) {
  return static_cast<std::uint32_t>((box_dim + element_stride - 1) / element_stride);
}

namespace detail {

/// `elements` of `bits` in bytes, held to 0..limit.
LC_HD constexpr std::uint32_t bytes_within(std::int64_t elements, std::uint32_t bits,
                                           std::uint32_t limit) {
  if (elements <= 0) return 0;
  const std::uint64_t count = static_cast<std::uint64_t>(elements);
  if (count >= std::uint64_t{limit} * 8 / bits + 1) return limit;
  const std::uint64_t bytes = count * bits / 8;
  return bytes < limit ? static_cast<std::uint32_t>(bytes) : limit;
}

LC_HD constexpr void set_inner_row(TmaBox& box, const TensorMap& map, std::int64_t first) {
  const DataTypeRow type = data_type_row(map.data_type);
  box.cell_bytes = type.cell_bytes;
  if (box.interleaved) {
    box.packed_bytes = map.interleave == Interleave::b16 ? 16 : 32;
    box.element_bits = box.packed_bytes * 8;
    box.in_end = box.packed_bytes;
  } else {
    const std::int64_t left = static_cast<std::int64_t>(map.global_dim[0]) - first;
    box.element_bits = type.bits;
    box.packed_bytes = static_cast<std::uint32_t>(map.box_dim[0] * type.bits / 8);
    box.first_inner = first;
    box.in_begin = bytes_within(-first, type.bits, box.packed_bytes);
    box.in_end = bytes_within(left, type.bits, box.packed_bytes);
  }
  box.inner_bytes = box.packed_bytes / box.cell_bytes * 16 + box.packed_bytes % box.cell_bytes;
}

}  // namespace detail

/// The copy of the box of an accepted map at `first` (32-bit coordinates) to or from the shared
/// address `smem_address`, a multiple of 128.
LC_HD constexpr TmaBox make_tma_box(const TensorMap& map, const Coordinates& first,
                                    std::uint64_t smem_address) {
  TmaBox box;
  box.smem_address = smem_address;
  box.swizzle = swizzle_row(map.swizzle);
  box.interleaved = map.interleave != Interleave::none;
  box.fill = map.oob_fill;
  detail::set_inner_row(box, map, first[0]);
  for (int k = box.interleaved ? 0 : 1; k < map.rank; ++k) {
    const bool slice = box.interleaved && k == map.rank - 2;
    TmaStep& step = box.step[box.step_count++];
    step.dimension = k;
    step.count = slice ? 1 : tma_steps(map.box_dim[k], map.element_stride[k]);
    step.first = first[k];
    step.advance = static_cast<std::int64_t>(map.element_stride[k]);
    step.size = map.global_dim[k];
    step.stride = k == 0 ? box.packed_bytes : map.global_stride[k - 1];
    box.rows *= step.count;
  }
  const bool swizzles = map.swizzle != Swizzle::none;
  const std::uint32_t span = box.swizzle.span;
  const bool padded_rows = swizzles && !box.interleaved && box.inner_bytes < span;
  box.row_pitch = padded_rows ? span : box.inner_bytes;
  box.footprint = box.rows * box.row_pitch;
  if (swizzles) box.footprint = (box.footprint + span - 1) / span * span;
  box.transaction_bytes = box.rows * box.packed_bytes;
  return box;
}

/// Walks the rows of a box in the order of their linear addresses.  Offsets are computed modulo
/// 2^64; those of rows inside a tensor that fits in memory are exact.
class TmaRowCursor {
 public:
  LC_HD constexpr explicit TmaRowCursor(const TmaBox& box) : box_(&box), left_(box.rows) {
    std::uint64_t offset =
        static_cast<std::uint64_t>(box.first_inner * std::int64_t{box.element_bits} / 8);
    for (int s = 0; s < box.step_count; ++s) {
      const TmaStep& step = box.step[s];
      at_[s] = step.first;
      delta_[s] = static_cast<std::uint64_t>(step.advance) * step.stride;
      offset += static_cast<std::uint64_t>(step.first) * step.stride;
      note_outside(s);
    }
    row_.linear = box.smem_address;
    offset_ = offset;
    finish_row();
  }

  LC_HD constexpr bool done() const { return left_ == 0; }
  LC_HD constexpr const TmaRow& row() const { return row_; }
  /// Tensor index of the row in dimension `box.step[s].dimension`.
  LC_HD constexpr std::int64_t at(int s) const { return at_[s]; }

  LC_HD constexpr void next() {
    --left_;
    row_.linear += box_->row_pitch;
    for (int s = 0; s < box_->step_count; ++s) {
      const TmaStep& step = box_->step[s];
      if (++index_[s] < step.count) {
        at_[s] += step.advance;
        offset_ += delta_[s];
        note_outside(s);
        break;
      }
      offset_ -= delta_[s] * (step.count - 1);
      index_[s] = 0;
      at_[s] = step.first;
      note_outside(s);
    }
    finish_row();
  }

 private:
  LC_HD constexpr void note_outside(int s) {
    const std::uint32_t bit = 1u << s;
    outside_ = box_->step[s].holds(at_[s]) ? outside_ & ~bit : outside_ | bit;
  }
  LC_HD constexpr void finish_row() {
    row_.global_offset = static_cast<std::int64_t>(offset_);
    row_.swizzle_mask = swizzle_mask(box_->swizzle, row_.linear);
    row_.outside = outside_ != 0 || box_->in_begin >= box_->in_end;
  }

  const TmaBox* box_;
  std::uint64_t left_;
  std::uint64_t offset_ = 0;
  TmaRow row_{};
  std::uint32_t outside_ = 0;  ///< bit s: outside the tensor along step s
  std::uint32_t index_[kMaxRank]{};
  std::int64_t at_[kMaxRank]{};
  std::uint64_t delta_[kMaxRank]{};
};

/// Calls `visit(shared_address, length, packed_offset)` for the contiguous pieces of packed bytes
/// [begin, end) of a row, in the order of the packed bytes.
template <class Visit>
LC_HD constexpr void for_each_piece(const TmaBox& box, const TmaRow& row, std::uint32_t begin,
                                    std::uint32_t end, Visit&& visit) {
  const std::uint64_t mask = row.swizzle_mask;
  const bool padded = box.cell_bytes != 16;
  if (mask == 0 && !padded) {
    if (begin < end) visit(row.linear + begin, end - begin, begin);
    return;
  }
  const std::uint32_t block =
      padded ? box.cell_bytes : static_cast<std::uint32_t>(mask & (~mask + 1));
  for (std::uint32_t at = begin; at < end;) {
    const std::uint64_t linear =
        row.linear + (padded ? at / box.cell_bytes * 16 + at % box.cell_bytes : at);
    const std::uint32_t into = padded ? at % block : static_cast<std::uint32_t>(linear % block);
    const std::uint32_t length = end - at < block - into ? end - at : block - into;
    visit(linear ^ mask, length, at);
    at += length;
  }
}

/// What stands at one byte of shared memory after a load.
struct TmaElement {
  bool present = false;  ///< false: the box does not touch this byte
  bool inside = false;   ///< false: fill
  std::uint32_t byte_in_element = 0;
  std::uint32_t bit_in_element = 0;  ///< of types under 8 bits
  Coordinates coordinates{};         ///< in the tensor; with interleave, of the pixel
  std::int64_t global_offset = 0;    ///< of the byte, from global_address
};

/// The inverse of the walk: un-swizzles the address (an XOR that keeps bits 7 and up is its own
/// inverse), then divides by the pitch and the steps.  `bit` picks one of the elements that share
/// a byte.
LC_HD constexpr TmaElement element_at(const TmaBox& box, std::uint64_t address,
                                      std::uint32_t bit = 0) {
  TmaElement found;
  const std::uint64_t linear = swizzled(box.swizzle, address);
  if (linear < box.smem_address || linear - box.smem_address >= box.rows * box.row_pitch) {
    return found;
  }
  std::uint64_t row = (linear - box.smem_address) / box.row_pitch;
  const std::uint32_t byte =
      static_cast<std::uint32_t>(linear - box.smem_address - row * box.row_pitch);
  if (byte >= box.inner_bytes || byte % 16 >= box.cell_bytes) return found;
  const std::uint32_t packed = byte / 16 * box.cell_bytes + byte % 16;
  const std::uint32_t element = (packed * 8 + bit) / box.element_bits;

  found.present = true;
  found.bit_in_element = (packed * 8 + bit) % box.element_bits;
  found.byte_in_element = found.bit_in_element / 8;
  bool inside = true;
  std::uint64_t offset = packed;
  offset += static_cast<std::uint64_t>(box.first_inner * std::int64_t{box.element_bits} / 8);
  for (int s = 0; s < box.step_count; ++s) {
    const TmaStep& step = box.step[s];
    const std::int64_t p = step.first + static_cast<std::int64_t>(row % step.count) * step.advance;
    row /= step.count;
    found.coordinates[step.dimension] = p;
    inside = inside && step.holds(p);
    offset += static_cast<std::uint64_t>(p) * step.stride;
  }
  if (!box.interleaved) {
    found.coordinates[0] = box.first_inner + element;
    const std::uint32_t end = element * box.element_bits / 8;
    inside = inside && end >= box.in_begin && end < box.in_end;
  }
  found.inside = inside;
  found.global_offset = static_cast<std::int64_t>(offset);
  return found;
}

}  // namespace lc
