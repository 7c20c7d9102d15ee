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

/// Fills `out[mn * extent_k + k]` with the byte address of every element.  The caller has checked
/// that the addresses fit 32 bits.  Equal to `address` for all elements of 8 bits and more.
LC_HD constexpr void fill_addresses(const OperandLayout& l, std::uint32_t extent_mn,
                                    std::uint32_t extent_k, std::uint32_t* out) {
  const std::uint32_t bytes = l.bits / 8;
  const std::uint32_t key_mask = l.swizzle.key_mask, shift = l.swizzle.key_shift;
  if (l.major == Major::k && l.bits >= 8) {
    const std::uint32_t per_cell = 16 / bytes;
    for (std::uint32_t mn = 0; mn < extent_mn; ++mn) {
      std::uint32_t* row = out + static_cast<std::uint64_t>(mn) * extent_k;
      for (std::uint32_t k = 0; k < extent_k; k += per_cell) {
        const auto at = static_cast<std::uint32_t>(l.address(mn, k));
        const std::uint32_t n = extent_k - k < per_cell ? extent_k - k : per_cell;
        for (std::uint32_t i = 0; i < n; ++i) row[k + i] = at + i * bytes;
      }
    }
    return;
  }
  for (std::uint32_t mn = 0; mn < extent_mn; ++mn) {
    std::uint32_t* row = out + static_cast<std::uint64_t>(mn) * extent_k;
    if (l.major == Major::k || l.bits < 8) {
      for (std::uint32_t k = 0; k < extent_k; ++k) {
        row[k] = static_cast<std::uint32_t>(l.address(mn, k));
      }
      continue;
    }
    for (std::uint32_t k = 0; k < extent_k; k += l.rows) {
      const auto first = static_cast<std::uint32_t>(l.linear(k, mn * bytes));
      const std::uint32_t n = extent_k - k < l.rows ? extent_k - k : l.rows;
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t a = first + i * l.pitch;
        row[k + i] = a ^ ((((a >> 7) - l.base_offset) & key_mask) << shift);
      }
    }
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
