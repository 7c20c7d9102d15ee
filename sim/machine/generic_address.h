#pragma once

#include <cstdint>

#include "sim/machine/shared_memory.h"

/// Generic addresses: 64-bit numbers of which two windows stand for shared and local memory and
/// the rest for global memory.  Where the windows lie is ours: above every global address, so that
/// a tensor map can hold neither.
namespace lc::machine {

enum class Space : std::uint8_t { global, shared, local };

inline constexpr std::uint64_t kSharedWindowBase = std::uint64_t{1} << 60;
/// Room for the shared::cluster addresses of 16 CTAs.
inline constexpr std::uint64_t kSharedWindowBytes = std::uint64_t{kMaxClusterCtas}
                                                    << kSharedRankShift;
inline constexpr std::uint64_t kLocalWindowBase = std::uint64_t{1} << 61;
inline constexpr std::uint64_t kLocalWindowBytes = std::uint64_t{1} << 32;

struct SpaceAddress {
  Space space = Space::global;
  std::uint64_t address = 0;  ///< in that space

  constexpr bool operator==(const SpaceAddress&) const = default;
};

constexpr SpaceAddress from_generic(std::uint64_t generic) {
  if (generic - kSharedWindowBase < kSharedWindowBytes) {
    return {Space::shared, generic - kSharedWindowBase};
  }
  if (generic - kLocalWindowBase < kLocalWindowBytes) {
    return {Space::local, generic - kLocalWindowBase};
  }
  return {Space::global, generic};
}

constexpr std::uint64_t to_generic(SpaceAddress a) {
  switch (a.space) {
    case Space::shared:
      return kSharedWindowBase + (a.address & (kSharedWindowBytes - 1));
    case Space::local:
      return kLocalWindowBase + (a.address & (kLocalWindowBytes - 1));
    case Space::global:
      break;
  }
  return a.address;
}

/// isspacep: whether a generic address lies in a space.  `own_rank` decides for shared::cta.
constexpr bool is_in_shared_cta(std::uint64_t generic, std::uint32_t own_rank) {
  const SpaceAddress a = from_generic(generic);
  return a.space == Space::shared && a.address >> kSharedRankShift == own_rank;
}

}  // namespace lc::machine
