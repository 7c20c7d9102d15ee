#pragma once

#include <bit>
#include <cstdint>

namespace lc::machine {

inline constexpr std::uint32_t kWarpLanes = 32;

/// One bit per lane of a warp.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kAllLanes = 0xFFFFFFFF;

/// Calls `f(lane)` for every set bit, lowest first.
template <class F>
constexpr void for_each_lane(LaneMask mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

constexpr std::uint32_t first_lane(LaneMask mask) {
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}

}  // namespace lc::machine
