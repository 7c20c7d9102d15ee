#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define LC_TILE_ORDER_HD __host__ __device__ __forceinline__
#else
#define LC_TILE_ORDER_HD inline
#endif

// In which order a grid of tiles is worked on.
namespace lc::kernel {

struct TilePlace {
  std::uint32_t m, n;
};

/// Bands of `band` tiles of M: inside a band M is fastest, so tiles that run at the same time share
/// their rows of A and columns of B in the L2 cache.  `index` counts 0 .. tiles_m * tiles_n - 1,
/// each place once.
LC_TILE_ORDER_HD TilePlace tile_place(std::uint32_t index, std::uint32_t tiles_m,
                                      std::uint32_t tiles_n, std::uint32_t band) {
  const std::uint32_t per_band = band * tiles_n;
  const std::uint32_t first_m = index / per_band * band;
  const std::uint32_t rows = tiles_m - first_m < band ? tiles_m - first_m : band;
  const std::uint32_t within = index % per_band;
  return {first_m + within % rows, within / rows};
}

}  // namespace lc::kernel
