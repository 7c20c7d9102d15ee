#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define LC_MIX32_HD __host__ __device__
#else
#define LC_MIX32_HD
#endif

namespace lc::kernel {

/// A bijection of 32-bit words that looks random.  Word i of the pattern mix32(seed) is
/// mix32(i + seed), little endian, so that nearly every byte of a source tells where it came from.
LC_MIX32_HD constexpr std::uint32_t mix32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352d;
  x ^= x >> 15;
  x *= 0x846ca68b;
  x ^= x >> 16;
  return x;
}

}  // namespace lc::kernel
