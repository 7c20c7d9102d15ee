#pragma once

#include <cstdint>

#include "kernel/descriptor.cuh"

namespace lc::kernel {

/// Where a kernel that fills an operand tile with its own 16-byte stores must put each cell, so
/// that the tensor core finds it: the store side of a shared-memory descriptor, worked out row by
/// row as a kernel author writes it down (PTX ISA, "Canonical layouts", "Swizzling modes").
///
/// A source row holds the cells that are contiguous in global memory: K-major tiles have one row
/// per mn and cells along k, MN-major tiles one row per k and cells along mn.
struct OperandStore {
  std::uint32_t start_address, leading_byte_offset, stride_byte_offset;
  SmemSwizzle swizzle;
  bool k_major;
  /// Address with key 0.  0: the key follows the absolute address, as TMA writes and as base offset
  /// 0 reads.  The start of the tile: the key follows the row inside the buffer, and the descriptor
  /// needs base offset (start >> 7) & 7.
  std::uint32_t key_origin;
};

LC_KERNEL_HD constexpr std::uint32_t span_bytes(SmemSwizzle swizzle) {
  switch (swizzle) {
    case SmemSwizzle::none:
      return 16;
    case SmemSwizzle::b32:
      return 32;
    case SmemSwizzle::b64:
      return 64;
    default:
      return 128;
  }
}

/// Rows of one atom: 8, but 4 with 32-byte atoms.
LC_KERNEL_HD constexpr std::uint32_t rows_per_atom(SmemSwizzle swizzle) {
  return swizzle == SmemSwizzle::b128_32 ? 4 : 8;
}

/// Cell q of a row that begins at `line`, exchanged by the row's key.
LC_KERNEL_HD constexpr std::uint32_t cell_in_line(const OperandStore& s, std::uint32_t line,
                                                  std::uint32_t q) {
  const std::uint32_t key = (line - s.key_origin) / 128;
  switch (s.swizzle) {
    case SmemSwizzle::none:
      return line;
    case SmemSwizzle::b32:
      return line + (q ^ key % 2) * 16;
    case SmemSwizzle::b64:
      return line + (q ^ key % 4) * 16;
    case SmemSwizzle::b128:
      return line + (q ^ key % 8) * 16;
    case SmemSwizzle::b128_32:
      return line + (q / 2 ^ key % 4) * 32 + q % 2 * 16;
  }
  return line;
}

/// Shared-memory address of cell `cell` of source row `row`.
LC_KERNEL_HD constexpr std::uint32_t cell_address(const OperandStore& s, std::uint32_t row,
                                                  std::uint32_t cell) {
  const std::uint32_t span = span_bytes(s.swizzle), cells = span / 16;
  const std::uint32_t rows = rows_per_atom(s.swizzle);
  const std::uint32_t lbo = s.leading_byte_offset, sbo = s.stride_byte_offset;
  const std::uint32_t line = s.start_address + row % rows * span;
  if (s.swizzle == SmemSwizzle::none) {
    return s.k_major ? line + row / rows * sbo + cell * lbo : line + cell * sbo + row / rows * lbo;
  }
  if (s.k_major) return cell_in_line(s, line + row / rows * sbo, cell);
  return cell_in_line(s, line + cell / cells * lbo + row / rows * sbo, cell % cells);
}

}  // namespace lc::kernel
