#pragma once

#include <cstdint>

// Sizes of the instances of tcgen05_gemm, for the kernel and for the host that launches it.
namespace lc::kernel {

/// A K tile is one row of a 128-byte swizzle atom; a K step is what one instruction reads.
inline constexpr std::uint32_t kAtomBytes = 128, kStepBytes = 32;
inline constexpr std::uint32_t kStepsPerTile = kAtomBytes / kStepBytes;

inline constexpr std::uint32_t kTileRows = 128;     ///< of A, D and Tensor Memory, per CTA
inline constexpr std::uint32_t kStageAlign = 1024;  ///< bytes of a 128B swizzle atom
inline constexpr std::uint32_t kGemmThreads = 256, kFinishWarps = 4;
inline constexpr std::uint32_t kSlots = 2;  ///< accumulators; answers of the scheduler
inline constexpr std::uint32_t kStagingBytes = 32 * 128;  ///< 32 rows of D, 128 bytes of each
inline constexpr std::uint32_t kScaleBlockBytes = 512;    ///< 128 rows x 4 scale factors
inline constexpr std::uint32_t kMostShared = 227 * 1024;  ///< dynamic shared memory of a CTA

constexpr std::uint32_t power_of_2_from(std::uint32_t least, std::uint32_t n) {
  return least >= n ? least : power_of_2_from(2 * least, n);
}

/// `group` CTAs (cta_group) compute one tile of group * 128 rows and `tile_n` columns; a cluster
/// has `pairs` such groups.  `scale_blocks`: blocks of scale factors per 128 rows and K tile, 0 for
/// none.
template <std::uint32_t group, std::uint32_t tile_n, std::uint32_t pairs,
          std::uint32_t scale_blocks>
struct TileSizes {
  static constexpr std::uint32_t kGroup = group;
  static constexpr std::uint32_t kPairs = pairs;
  static constexpr std::uint32_t kCtas = group * pairs;
  static constexpr std::uint32_t kN = tile_n;
  static constexpr std::uint32_t kRowsB = tile_n / group;  ///< columns of B that a CTA fetches
  static constexpr std::uint32_t kBytesA = kTileRows * kAtomBytes;
  static constexpr std::uint32_t kBytesB = kRowsB * kAtomBytes;
  static constexpr std::uint32_t kScaleBlocks = scale_blocks;
  static constexpr std::uint32_t kScaleRowsB = tile_n / 128;  ///< every CTA has those of all of N
  static constexpr std::uint32_t kBytesScaleA = scale_blocks * kScaleBlockBytes;
  static constexpr std::uint32_t kBytesScaleB = kScaleRowsB * kBytesScaleA;
  static constexpr std::uint32_t kStageBytes =
      (kBytesA + kBytesB + kBytesScaleA + kBytesScaleB + kStageAlign - 1) / kStageAlign *
      kStageAlign;
  static constexpr std::uint32_t kStaging = kFinishWarps * 2 * kStagingBytes;
  static constexpr std::uint32_t kBarrierBytes = 512;
  static constexpr std::uint32_t kFit =
      (kMostShared - kStageAlign - kStaging - kBarrierBytes) / kStageBytes;
  static constexpr std::uint32_t kStages = kFit < 7 ? kFit : 7;
  static constexpr std::uint32_t kShared =
      kStageAlign + kStages * kStageBytes + kStaging + kBarrierBytes;

  /// Tensor Memory: two accumulators, then the scale factors of one K tile.
  static constexpr std::uint32_t kColumnScaleA = kSlots * tile_n;
  static constexpr std::uint32_t kColumnScaleB = kColumnScaleA + 4 * scale_blocks;
  static constexpr std::uint32_t kColumns =
      power_of_2_from(32, kColumnScaleB + 4 * scale_blocks * kScaleRowsB);
  static_assert(kColumns <= 512 && kStages >= 4, "Tensor Memory has 512 columns");
};

}  // namespace lc::kernel
