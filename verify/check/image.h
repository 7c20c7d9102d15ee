#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/layout/swizzle.h"
#include "sim/layout/tma_box.h"
#include "verify/dump/description.h"
#include "verify/dump/source.h"

/// What a tile should look like in shared memory, as one value that can be changed piece by piece:
/// `diagnose` asks of a wrong dump which single change of it fits.
///
/// A tile is a nest of rows, each row a run of elements:
///
///   row (i_0, i_1, …)  at   start + sum over axes of (i / block) * block_step + (i % block) * step
///   byte c of a row    at   (c / width) * column_step + c % width   further
///   then               origin + permuted(linear - origin)
///
/// and element j of a row has the source bits at source_bit + sum(i * source_bits) + j *
/// inner_source_bits.  TMA boxes and MMA operands are both of this form; the nests are made from
/// TmaBox and OperandLayout, which know the hardware's rules.
namespace lc::verify {

/// The indices of one tensor dimension that exist.
struct Bounds {
  std::int64_t first = 0, advance = 1;
  std::uint64_t size = UINT64_MAX;

  bool holds(std::uint64_t i) const {
    const std::int64_t p = first + static_cast<std::int64_t>(i) * advance;
    return size == UINT64_MAX || (p >= 0 && static_cast<std::uint64_t>(p) < size);
  }
  bool operator==(const Bounds&) const = default;
};

/// One loop over rows.  `step` and `block_step` are bytes of shared memory.
struct RowAxis {
  std::uint64_t count = 1;
  std::uint64_t block = UINT64_MAX;
  std::uint64_t step = 0, block_step = 0;
  std::uint64_t source_bits = 0;  ///< modulo 2^64, so that steps may go down
  Bounds bounds;

  std::uint64_t offset(std::uint64_t i) const {
    return block == UINT64_MAX ? i * step : i / block * block_step + i % block * step;
  }
  bool operator==(const RowAxis&) const = default;
};

/// How values change between source and shared memory.
enum class Change : std::uint8_t { none, round_tf32, truncate_tf32, swap2, swap4, swap8 };

/// How linear addresses are permuted.  The hardware has origin 0 and `by_address`; the rest is what
/// software writes instead.
struct Permutation {
  SwizzleRow row = swizzle_row(Swizzle::none);
  std::uint32_t base_offset = 0;
  std::uint64_t origin = 0;  ///< address that counts as 0
  bool by_row_number =
      false;  ///< key = number of the row in the tile, chunks counted from its start
};

struct Image {
  std::uint64_t start = 0;       ///< linear address of the first byte
  std::uint64_t source_bit = 0;  ///< of the first element, modulo 2^64
  std::array<RowAxis, 6> axis{};
  std::size_t axis_count = 0;  ///< fastest first

  std::uint64_t inner_count = 0;        ///< elements of a row
  std::uint64_t inner_source_bits = 8;  ///< from one element to the next
  std::uint32_t element_bits = 8;       ///< of the value
  std::uint32_t stored_bits = 8;        ///< in shared memory; more than element_bits: padded cells
  Bounds inner_bounds;
  std::uint64_t width = UINT64_MAX, column_step = 0;

  Permutation permutation;
  bool absolute = false;          ///< bytes past the first 128-byte line of a row …
  std::uint64_t second_part = 0;  ///< … stand here (absolute LBO mode)
  OobFill fill = OobFill::zero;
  Change change = Change::none;

  std::uint64_t row_bytes() const { return (inner_count * stored_bits + 7) / 8; }
  std::uint64_t rows() const {
    std::uint64_t n = 1;
    for (std::size_t a = 0; a < axis_count; ++a) n *= axis[a].count;
    return n;
  }
  RowAxis& add_axis(const RowAxis& a) { return axis[axis_count++] = a; }
};

/// The image of a description; `start` stands for the destination or the descriptor's start.
Image image_of(const TileDescription& description);
Image image_of_box(const TensorMap& map, const Coordinates& first, std::uint64_t smem_address,
                   std::uint64_t source_offset);
Image image_of_operand(const TileDescription& description);
Image image_of_scales(const TileDescription& description);

}  // namespace lc::verify
