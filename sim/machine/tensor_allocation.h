#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/machine/wait.h"

/// Columns of Tensor Memory for one CTA, or for both of a pair (PTX ISA 9.0, 9.7.16.7).
///
/// In a pair one warp of each CTA comes; the second one does the work for both, which get the same
/// columns.  That freeing waits for the peer as well is one of the two things the ISA allows (table
/// 48): the one that shows a missing partner.
namespace lc::machine {

class Warp;

/// Where the two warps meet.  Belongs to the even CTA.
struct PairMeeting {
  struct Request {
    bool frees = false;
    std::uint32_t address = 0, columns = 0;
    constexpr bool operator==(const Request&) const = default;
  };
  struct Side {
    std::int32_t warp = -1;  ///< that has come; -1: none
    bool answered = false;
    Request asked;
    std::uint32_t column = 0;  ///< the answer
  };
  std::array<Side, 2> sides;  ///< of the even and the odd CTA
  std::uint64_t moves = 0;    ///< somebody was answered or left
};

/// The first column; nothing when the warp has to wait for `why` and then ask again.  Throws Fault.
std::optional<std::uint32_t> allocate_columns(Warp& warp, std::uint32_t cta_group,
                                              std::uint32_t columns, Wait& why);
/// False when the warp has to wait for `why` and then ask again.
bool free_columns(Warp& warp, std::uint32_t cta_group, std::uint32_t address, std::uint32_t columns,
                  Wait& why);

}  // namespace lc::machine
