#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/isa/binder.h"
#include "sim/machine/cluster.h"

namespace lc::isa {

using machine::Access;
using machine::Window;

/// The operand `[a]` of an instruction on memory: the address of each lane and what it counts in.
struct Location {
  Address address;
  Window window = Window::generic;

  /// Addresses of the lanes; those of shared memory have 32 bits.
  void of(const Warp& warp, LaneMask active, std::uint64_t (&to)[kWarpLanes]) const;
};

/// `space`: the modifier that names the state space, "" for generic addressing.
Location locate(Binder& b, const ptx::Operand& operand, std::string_view space);
inline Location locate(Binder& b, std::size_t operand, std::string_view space) {
  return locate(b, b.operand(operand), space);
}

/// Whether any lane's address lies in global memory.
bool touches_global(Window window, LaneMask active, const std::uint64_t (&addresses)[kWarpLanes]);

/// The CTA and offset that an address in shared memory names; throws Fault for an address
/// elsewhere and for another CTA's where the window is shared::cta.
machine::Cluster::SharedPlace shared_place(Warp& warp, Window window, std::uint64_t address);

/// Host memory of all active lanes at once: `base` is that of `lowest`; nullptr where the lanes do
/// not lie in one piece of memory or one of them is misaligned.
struct LaneBytes {
  std::byte* base = nullptr;
  std::uint64_t lowest = 0;
  std::size_t stride = 0;  ///< of thread-local memory, from lane to lane

  std::byte* of(std::uint32_t lane, std::uint64_t address) const {
    return base + (address - lowest) + lane * stride;
  }
};
LaneBytes bytes_of_lanes(Warp& warp, Window window, LaneMask active,
                         const std::uint64_t (&addresses)[kWarpLanes], std::uint32_t bytes,
                         Access access);

/// The operand after the others that .L2::cache_hint asks for; it changes no value.
void bind_cache_policy(Binder& b, std::size_t operand);

}  // namespace lc::isa
