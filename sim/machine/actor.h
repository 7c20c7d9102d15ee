#pragma once

#include <array>
#include <cstdint>

#include "sim/layout/spelling.h"

/// Who does something to a barrier or to memory: a thread, or a unit on a thread's behalf.
namespace lc::machine {

enum class Unit : std::uint8_t {
  thread,       ///< an ordinary instruction
  cp_async,     ///< non-bulk asynchronous copies
  bulk_copy,    ///< cp.async.bulk and its reductions
  tma,          ///< tensor copies
  tensor_core,  ///< wgmma, tcgen05.mma, .cp, .shift and their commits
  remote_store  ///< st.async, red.async
};

constexpr std::array<Spelled<Unit>, 6> spellings(Unit) {
  return {{{Unit::thread, "threads"},
           {Unit::cp_async, "cp.async"},
           {Unit::bulk_copy, "bulk copies"},
           {Unit::tma, "tensor copies"},
           {Unit::tensor_core, "the tensor core"},
           {Unit::remote_store, "remote stores"}}};
}

struct Actor {
  Unit unit = Unit::thread;
  std::uint32_t cta_rank = 0;  ///< of the issuing CTA in its cluster
  std::int32_t warp = -1;
  std::int32_t lane = -1;

  constexpr bool operator==(const Actor&) const = default;
};

}  // namespace lc::machine
