#pragma once

#include <cstdint>
#include <vector>

#include "sim/layout/canonical.h"
#include "sim/layout/operand.h"

namespace lc::verify {

/// The addresses of a whole operand: one layout per K slice of its tile, or a single descriptor.
struct OperandMap {
  std::vector<OperandLayout> slices;
  std::uint64_t slice_k = 0;  ///< elements of K in one slice
  std::uint64_t mn = 0, k = 0;
  Major major = Major::k;
  std::uint32_t bits = 16;  ///< stored bits of one element

  std::uint64_t bit_address(std::uint64_t at_mn, std::uint64_t at_k) const {
    return slices[at_k / slice_k].bit_address(at_mn, at_k % slice_k);
  }
  std::uint64_t address(std::uint64_t at_mn, std::uint64_t at_k) const {
    return bit_address(at_mn, at_k) / 8;
  }

  // The operand as rows of 16-byte chunks: rows run along the axis that is strided in memory.
  std::uint64_t rows() const { return major == Major::k ? mn : k; }
  std::uint64_t chunk_elements() const { return 128 / bits; }
  std::uint64_t chunks() const {
    const std::uint64_t contiguous = major == Major::k ? k : mn;
    return (contiguous + chunk_elements() - 1) / chunk_elements();
  }
  std::uint64_t chunk_address(std::uint64_t row, std::uint64_t chunk) const {
    const std::uint64_t c = chunk * chunk_elements();
    return major == Major::k ? address(row, c) : address(c, row);
  }
};

/// The map of a packed tile.  The tile must have a layout (see check_tile) and at least one slice.
OperandMap map_of_tile(const OperandTile& tile);

/// The map of one descriptor over an mn x k operand.
OperandMap map_of_descriptor(const SmemDescriptor& descriptor, Major major, Element element,
                             Container container, std::uint64_t mn, std::uint64_t k);

}  // namespace lc::verify
