#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/isa/binder.h"

/// What the tcgen05 instructions share.
namespace lc::isa {

/// N of `cta_group::N`, from the slot `cta`.
inline std::uint32_t cta_group(const Binder& b) {
  return b.modifiers["cta"] == "cta_group::2" ? 2 : 1;
}

/// An address in Tensor Memory: 32 bits, lane << 16 | column.
inline Address tensor_address(Binder& b, std::size_t i) {
  const Address a = b.address(i);
  const ptx::Operand& base = b.children(b.operand(i))[0];
  if (a.wide && base.kind != ptx::Operand::Kind::constant) {
    b.fail(b.operand(i), "an address in Tensor Memory is a 32-bit register, with or without a sum");
  }
  return a;
}
inline std::uint32_t tensor_address_of(const Address& a, const Warp& warp, std::uint32_t lane) {
  return static_cast<std::uint32_t>(a.of(warp, lane));
}

/// Throws unless the warp is whole: collectives are undefined once a thread has exited.
inline void require_whole_warp(const Warp& warp) {
  if (warp.live() == kAllLanes) return;
  throw machine::Fault(machine::FaultKind::undefined, "tmem.exited-lanes",
                       "a tcgen05 instruction of a whole warp, of which lanes " +
                           machine::hex(~warp.live()) + " have exited or never were");
}

/// The value that all lanes give; throws when they do not agree.
template <class Of>
auto uniform(const char* what, Of&& of) {
  const auto first = of(0u);
  for (std::uint32_t lane = 1; lane < kWarpLanes; ++lane) {
    if (of(lane) == first) continue;
    throw machine::Fault(machine::FaultKind::undefined, "tmem.not-uniform",
                         std::string("the lanes of the warp give different values for ") + what +
                             ": " + machine::hex(first) + " in lane 0, " + machine::hex(of(lane)) +
                             " in lane " + std::to_string(lane));
  }
  return first;
}

}  // namespace lc::isa
