#pragma once

#include <cstdint>

#include "sim/machine/async.h"
#include "sim/machine/lanes.h"

namespace lc::machine {

/// Why lanes of a warp do not go on.
struct Wait {
  enum class Kind : std::uint8_t {
    none,
    mbarrier_parity,  ///< until the phase of parity `value` of `barrier` is complete
    mbarrier_token,   ///< until the phase of token `value` is complete
    counter,          ///< until *counter >= value
    lanes,            ///< until the lanes in `value` are at this instruction too
    turn,             ///< until it may touch what other clusters see (Cluster::has_turn)
    poll,             ///< until the other warps ran: a test that failed, nanosleep, a volatile load
    columns,          ///< until Tensor Memory is freed
  };
  Kind kind = Kind::none;
  /// try_wait: when nothing else can go on, the instruction may answer "not yet" instead.
  bool may_give_up = false;
  bool polls_barrier = false;  ///< poll: what it tests is `barrier`
  BarrierKey barrier{};
  std::uint64_t phase = 0;  ///< mbarrier waits: completed phases when the wait began
  std::uint64_t value = 0;
  const std::uint64_t* counter = nullptr;
  /// For deadlock reports: "named barrier" (with `number`), "the cluster barrier", "the other warps
  /// of the warpgroup".
  const char* what = "";
  std::uint32_t number = 0;  ///< of the named barrier
};

}  // namespace lc::machine
