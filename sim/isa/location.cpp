#include "sim/isa/location.h"

#include <algorithm>
#include <string>

#include "sim/isa/function_binder.h"
#include "sim/machine/generic_address.h"
#include "sim/numerics/simd_clones.h"

namespace lc::isa {
namespace {

using machine::Fault;
using machine::FaultKind;
using machine::Space;

struct Range {
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  std::uint64_t bits = 0;  ///< set in any address

  void add(std::uint64_t address) {
    lowest = std::min(lowest, address);
    highest = std::max(highest, address);
    bits |= address;
  }
};

LC_SIMD_CLONES Range range_of_all(const std::uint64_t* addresses) {
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0, bits = 0;
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint64_t a = addresses[lane];
    lowest = a < lowest ? a : lowest;
    highest = a > highest ? a : highest;
    bits |= a;
  }
  return {lowest, highest, bits};
}

Range range_of(LaneMask active, const std::uint64_t (&addresses)[kWarpLanes]) {
  if (active == kAllLanes) return range_of_all(addresses);
  Range range;
  for_each_lane(active, [&](std::uint32_t lane) { range.add(addresses[lane]); });
  return range;
}

bool is_shared(Window w) {
  return w == Window::shared_cta || w == Window::shared_cluster;
}

/// .param of an entry is memory of the launch; elsewhere it is thread-local.
Window parameter_window(Binder& b, std::string_view space) {
  return space != "param::func" && (space == "param::entry" || b.function().ptx().entry)
             ? Window::global
             : Window::local;
}

Window window_of(Binder& b, std::string_view space, NameSpace named) {
  if (space == "global" || space == "const") return Window::global;
  if (space == "local") return Window::local;
  if (space == "shared" || space == "shared::cta") return Window::shared_cta;
  if (space == "shared::cluster") return Window::shared_cluster;
  if (space.substr(0, 5) == "param") return parameter_window(b, space);
  // A variable's name stands for its address in its own space.
  switch (named) {
    case NameSpace::shared:
      return Window::shared_cta;
    case NameSpace::local:
      return Window::local;
    case NameSpace::param:
      return parameter_window(b, "param");
    default:
      return Window::generic;
  }
}

bool fits(std::string_view space, NameSpace named) {
  switch (named) {
    case NameSpace::none:
      return true;
    case NameSpace::global:
      return space.empty() || space == "global";
    case NameSpace::constant:
      return space.empty() || space == "const";
    case NameSpace::shared:
      return space.empty() || space.substr(0, 6) == "shared";
    case NameSpace::local:
      return space.empty() || space == "local";
    case NameSpace::param:
      return space.empty() || space.substr(0, 5) == "param";
  }
  return true;
}

NameSpace space_of(Binder& b, const ptx::Operand& operand) {
  for (std::size_t i = 0; i < b.count(); ++i) {
    if (&b.operand(i) == &operand) return b.space_of_address(i);
  }
  return NameSpace::none;
}

}  // namespace

Location locate(Binder& b, const ptx::Operand& operand, std::string_view space) {
  Location at;
  at.address = b.address(operand);
  const NameSpace named = space_of(b, operand);
  if (!fits(space, named)) {
    b.fail(operand, "the variable does not lie in ." + std::string(space),
           "name its own state space");
  }
  at.window = at.address.frame ? Window::local : window_of(b, space, named);
  return at;
}

void Location::of(const Warp& warp, LaneMask active, std::uint64_t (&to)[kWarpLanes]) const {
  address.all(warp, active, to);
  if (!is_shared(window) || !address.wide) return;
  for (std::uint64_t& a : to) a &= 0xFFFFFFFF;
}

bool touches_global(Window window, LaneMask active, const std::uint64_t (&addresses)[kWarpLanes]) {
  if (window == Window::global) return true;
  if (window != Window::generic) return false;
  bool any = false;
  for_each_lane(active, [&](std::uint32_t lane) {
    any |= machine::from_generic(addresses[lane]).space == Space::global;
  });
  return any;
}

machine::Cluster::SharedPlace shared_place(Warp& warp, Window window, std::uint64_t address) {
  machine::SharedWindow whose = machine::SharedWindow::cluster;
  if (window == Window::generic) {
    const machine::SpaceAddress a = machine::from_generic(address);
    if (a.space != Space::shared) {
      throw Fault(FaultKind::invalid_address_space, "generic.not-shared",
                  "generic address " + machine::hex(address) +
                      " does not lie in shared memory, as this instruction asks",
                  address);
    }
    address = a.address;
  } else if (window == Window::shared_cta) {
    whose = machine::SharedWindow::cta;
  }
  return warp.cluster().shared_place(address, warp.cta().rank(), whose);
}

LaneBytes bytes_of_lanes(Warp& warp, Window window, LaneMask active,
                         const std::uint64_t (&addresses)[kWarpLanes], std::uint32_t bytes,
                         Access access) {
  const auto [lowest, highest, bits] = range_of(active, addresses);
  if ((bits & (bytes - 1)) != 0) return {};
  const std::uint64_t span = highest - lowest + bytes;
  if (span < bytes || span > ~std::uint32_t{0}) return {};
  if (window == Window::local) {
    machine::LocalMemory& local = warp.local();
    if (highest > local.size() || bytes > local.size() - highest) return {};
    return {local.bytes(0, lowest, bytes, 1), lowest, local.stride()};
  }
  return {warp.piece(window, lowest, span, access), lowest, 0};
}

void bind_cache_policy(Binder& b, std::size_t operand) {
  const bool asked = b.modifiers.has("L2::cache_hint");
  if (asked && !b.has(operand)) b.fail("`.L2::cache_hint` asks for a cache policy operand");
  if (!asked && b.has(operand)) {
    b.fail(b.operand(operand), "a cache policy without `.L2::cache_hint`", "add `.L2::cache_hint`");
  }
  if (asked) b.in(operand, Type::b64);
}

}  // namespace lc::isa
