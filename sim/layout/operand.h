#pragma once

#include <cstdint>
#include <optional>

#include "sim/layout/element.h"
#include "sim/layout/host_device.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/swizzle.h"

namespace lc {

/// Where an MMA operand keeps element (mn, k), as its descriptor says.
///
/// Every mode is one sum.  Let `r` be the index along the axis that is strided in memory (mn for
/// K-major, k for MN-major) and `c` the byte along the contiguous one:
///
///   linear  = start + (r / rows) * group_step + (r % rows) * pitch
///                   + (c / width) * column_step + c % width
///   address = linear ^ swizzle key of linear
///
///   major swizzle    rows  group_step  pitch  width  column_step
///   K     none        8       SBO       16     16       LBO
///   K     32/64/128B  8       SBO       span   -        -          LBO is ignored
///   MN    none        8       LBO       16     16       SBO        roles exchanged
///   MN    32/64/128B  8       SBO       span   span     LBO
///   MN    128B_32B    4       SBO       128    128      LBO
///
/// Measured on H200 with wgmma (1596 of 1596 probes); compared with CuTe for sm_100
/// (PTX ISA 9.7.16.10.5).  The sum is not wrapped at 2^18: the hardware faults there.
struct OperandLayout {
  std::uint64_t start = 0;
  std::uint64_t group_step = 0;
  std::uint64_t column_step = 16;
  std::uint64_t second_part = 0;  ///< absolute LBO mode: where bytes past the 128-byte row stand
  std::uint32_t rows = 8;
  std::uint32_t pitch = 16;
  std::uint32_t width = 16;
  std::uint32_t bits = 16;  ///< stored bits of one element
  std::uint32_t base_offset = 0;
  SwizzleRow swizzle{};
  Major major = Major::k;
  bool absolute = false;

  /// Linear address (before the swizzle) of byte `c` of row `r`.
  LC_HD constexpr std::uint64_t linear(std::uint64_t r, std::uint64_t c) const {
    const std::uint64_t row = (r / rows) * group_step + (r % rows) * pitch;
    if (absolute) {
      const std::uint64_t in_line = start % 128 + c;
      if (in_line >= 128) return second_part + row + (in_line - 128);
    }
    return start + row + (c / width) * column_step + c % width;
  }

  /// Bit address (byte * 8 + bit) of element (mn, k).
  LC_HD constexpr std::uint64_t bit_address(std::uint64_t mn, std::uint64_t k) const {
    const std::uint64_t r = major == Major::k ? mn : k;
    const std::uint64_t c_bits = (major == Major::k ? k : mn) * bits;
    const std::uint64_t byte = lc::swizzled(swizzle, linear(r, c_bits / 8), base_offset);
    return byte * 8 + c_bits % 8;
  }

  /// Byte address of element (mn, k), or of the byte where it begins.
  LC_HD constexpr std::uint64_t address(std::uint64_t mn, std::uint64_t k) const {
    return bit_address(mn, k) / 8;
  }
};

LC_HD constexpr OperandLayout operand_layout(const SmemDescriptor& d, Major major, Element element,
                                             Container container = Container::packed) {
  OperandLayout l;
  l.swizzle = swizzle_row(d.swizzle);
  l.start = d.start_address;
  l.major = major;
  l.bits = stored_bits(element, container);
  l.base_offset = d.swizzle == Swizzle::none ? 0 : d.base_offset;
  l.pitch = l.swizzle.span;
  const bool plain = d.swizzle == Swizzle::none;
  if (major == Major::k) {
    l.group_step = d.stride_byte_offset;
    l.column_step = plain ? d.leading_byte_offset : 16;
    l.absolute = d.lbo_mode == LboMode::absolute;
    l.second_part = l.absolute ? d.leading_byte_offset : 0;
    if (l.absolute) l.column_step = 16;
    return l;
  }
  l.rows = d.swizzle == Swizzle::b128_32b ? 4 : 8;
  l.width = l.swizzle.span;
  l.group_step = plain ? d.leading_byte_offset : d.stride_byte_offset;
  l.column_step = plain ? d.stride_byte_offset : d.leading_byte_offset;
  return l;
}

namespace detail {

/// swizzled() for addresses of 32 bits, free of casts so that loops of it vectorize.
struct SwizzleKey {
  std::uint32_t base_offset, mask, shift;

  LC_HD constexpr std::uint32_t swizzled(std::uint32_t address) const {
    return address ^ ((((address >> 7) - base_offset) & mask) << shift);
  }
};

/// The map of a K-major operand, a 16-byte cell at a time: no swizzle moves bytes inside a cell.
template <std::uint32_t kElementBytes>
LC_HD constexpr void fill_k_major(const OperandLayout& l, std::uint32_t extent_mn,
                                  std::uint32_t extent_k, std::uint32_t* out) {
  constexpr std::uint32_t kPerCell = 16 / kElementBytes;
  const SwizzleKey key{l.base_offset, l.swizzle.key_mask, l.swizzle.key_shift};
  const auto cell_step = static_cast<std::uint32_t>(l.column_step);
  const std::uint32_t whole_cells = extent_k / kPerCell * kPerCell;
  std::uint32_t row = 0;
  for (std::uint32_t mn = 0; mn < extent_mn; ++mn, out += extent_k) {
    row = mn % l.rows == 0 ? static_cast<std::uint32_t>(l.linear(mn, 0)) : row + l.pitch;
    std::uint32_t cell = row;
    for (std::uint32_t k = 0; k < whole_cells; k += kPerCell, cell += cell_step) {
      const std::uint32_t at = key.swizzled(cell);
      for (std::uint32_t i = 0; i < kPerCell; ++i) out[k + i] = at + i * kElementBytes;
    }
    for (std::uint32_t k = whole_cells; k < extent_k; ++k) {
      out[k] = key.swizzled(cell) + (k - whole_cells) * kElementBytes;
    }
  }
}

/// The map of an MN-major operand, a group of `kRows` k at a time: they stand one pitch apart.
template <std::uint32_t kRows>
LC_HD constexpr void fill_mn_major(const OperandLayout& l, std::uint32_t extent_mn,
                                   std::uint32_t extent_k, std::uint32_t* out) {
  const SwizzleKey key{l.base_offset, l.swizzle.key_mask, l.swizzle.key_shift};
  const std::uint32_t per_column = l.width * 8 / l.bits;
  const auto group_step = static_cast<std::uint32_t>(l.group_step);
  const std::uint32_t whole_groups = extent_k / kRows * kRows;
  std::uint32_t row[kRows]{};
  for (std::uint32_t i = 0; i < kRows; ++i) row[i] = i * l.pitch;
  std::uint32_t first = 0;
  for (std::uint32_t mn = 0; mn < extent_mn; ++mn, out += extent_k) {
    const bool new_column = mn % per_column == 0;
    first = new_column ? static_cast<std::uint32_t>(l.linear(0, std::uint64_t{mn} * l.bits / 8))
                       : first + l.bits / 8;
    std::uint32_t group = first;
    for (std::uint32_t k = 0; k < whole_groups; k += kRows, group += group_step) {
      for (std::uint32_t i = 0; i < kRows; ++i) out[k + i] = key.swizzled(group + row[i]);
    }
    for (std::uint32_t k = whole_groups; k < extent_k; ++k) {
      out[k] = key.swizzled(group + (k - whole_groups) * l.pitch);
    }
  }
}

LC_HD constexpr void fill_one_by_one(const OperandLayout& l, std::uint32_t extent_mn,
                                     std::uint32_t extent_k, std::uint32_t* out) {
  for (std::uint32_t mn = 0; mn < extent_mn; ++mn) {
    for (std::uint32_t k = 0; k < extent_k; ++k) {
      *out++ = static_cast<std::uint32_t>(l.address(mn, k));
    }
  }
}

}  // namespace detail

/// Fills `out[mn * extent_k + k]` with the byte address of every element, as `address` gives it.
/// The caller has checked that the addresses fit 32 bits.
LC_HD constexpr void fill_addresses(const OperandLayout& l, std::uint32_t extent_mn,
                                    std::uint32_t extent_k, std::uint32_t* out) {
  const bool cells_stay_whole = (l.start | l.group_step | l.column_step) % 16 == 0;
  if (l.bits < 8 || l.absolute || !cells_stay_whole) {
    detail::fill_one_by_one(l, extent_mn, extent_k, out);
  } else if (l.major == Major::mn) {
    l.rows == 4 ? detail::fill_mn_major<4>(l, extent_mn, extent_k, out)
                : detail::fill_mn_major<8>(l, extent_mn, extent_k, out);
  } else if (l.bits == 8) {
    detail::fill_k_major<1>(l, extent_mn, extent_k, out);
  } else if (l.bits == 16) {
    detail::fill_k_major<2>(l, extent_mn, extent_k, out);
  } else {
    detail::fill_k_major<4>(l, extent_mn, extent_k, out);
  }
}

/// An element of an operand.
struct OperandElement {
  std::uint64_t mn = 0, k = 0;
};

/// The element of an extent_mn x extent_k operand whose bits hold bit 0 of byte `address`: the
/// first in order of (row group, column) where several alias; nullopt where none lies.
constexpr std::optional<OperandElement> operand_element_at(const OperandLayout& l,
                                                           std::uint64_t extent_mn,
                                                           std::uint64_t extent_k,
                                                           std::uint64_t address) {
  const bool k_major = l.major == Major::k;
  const std::uint64_t rows = k_major ? extent_mn : extent_k;
  const std::uint64_t row_bits = (k_major ? extent_k : extent_mn) * l.bits;
  const std::uint64_t row_bytes = (row_bits + 7) / 8;
  const std::uint64_t at = swizzled(l.swizzle, address, l.base_offset);
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t c = 0; c < row_bytes; c += l.width) {
      const std::uint64_t first = l.linear(r, c);
      const std::uint64_t n = row_bytes - c < l.width ? row_bytes - c : l.width;
      if (at < first || at - first >= n) continue;
      const std::uint64_t i = (c + (at - first)) * 8 / l.bits;
      return k_major ? OperandElement{r, i} : OperandElement{i, r};
    }
  }
  return std::nullopt;
}

}  // namespace lc
