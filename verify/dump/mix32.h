#pragma once

#include <cstdint>

namespace lc::verify {

/// The named fill pattern: a byte stream whose little-endian 32-bit word `i` is mix32(i + seed).
/// The mixing is one to one, so four bytes tell where in the stream they stand.
constexpr std::uint32_t mix32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

/// mix32(unmix32(y)) == y
constexpr std::uint32_t unmix32(std::uint32_t y) {
  y ^= y >> 16;
  y *= 0x43021123u;  // 0x846ca68b * 0x43021123 == 1 modulo 2^32
  y ^= y >> 15 ^ y >> 30;
  y *= 0x1d69e2a5u;  // 0x7feb352d * 0x1d69e2a5 == 1
  return y ^ y >> 16;
}

static_assert(0x846ca68bu * 0x43021123u == 1 && 0x7feb352du * 0x1d69e2a5u == 1);
static_assert(unmix32(mix32(0x12345678u)) == 0x12345678u);

}  // namespace lc::verify
