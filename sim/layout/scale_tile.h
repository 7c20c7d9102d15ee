#pragma once

#include <cstdint>

#include "sim/layout/canonical.h"
#include "sim/layout/host_device.h"

/// Scale factors in shared memory, as `tcgen05.cp.32x128b.warpx4` takes them to Tensor Memory: one
/// byte each, in blocks of 128 mn x 4 k that fill 512 bytes.
///
///   byte in a block = (mn % 32) * 16 + (mn / 32 % 4) * 4 + k % 4
///
/// so that 16 consecutive bytes hold rows mn, mn + 32, mn + 64 and mn + 96 of four k.  The block
/// follows PTX ISA 9.7.16.10.7 and CUTLASS (not measured); the order of blocks is the author's.
namespace lc {

struct ScaleTile {
  static constexpr std::uint64_t kBlockMn = 128, kBlockK = 4, kBlockBytes = 512;

  std::uint64_t mn = kBlockMn, k = kBlockK;  ///< whole blocks
  AtomOrder order = AtomOrder::k_first;

  LC_HD constexpr std::uint64_t bytes() const { return mn * k; }
  /// Bytes from a block to the next along mn, and along k.
  LC_HD constexpr std::uint64_t mn_step() const {
    return order == AtomOrder::mn_first ? kBlockBytes : k / kBlockK * kBlockBytes;
  }
  LC_HD constexpr std::uint64_t k_step() const {
    return order == AtomOrder::k_first ? kBlockBytes : mn / kBlockMn * kBlockBytes;
  }
  /// Byte of scale factor (m, kk), from the start of the tile.
  LC_HD constexpr std::uint64_t offset(std::uint64_t m, std::uint64_t kk) const {
    return m / kBlockMn * mn_step() + kk / kBlockK * k_step() + m % 32 * 16 + m / 32 % 4 * 4 +
           kk % kBlockK;
  }
};

static_assert(ScaleTile{}.offset(127, 3) == 511);
static_assert(ScaleTile{128, 8}.offset(127, 4) == 127 * 8 + 4);  // as in plain row-major order

}  // namespace lc
