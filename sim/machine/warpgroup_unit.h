#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sim/machine/async.h"
#include "sim/machine/program.h"
#include "sim/machine/warpgroup_mma.h"

// wgmma.mma_async as the four warps of a warpgroup issue it.  Each warp joins with its part and
// goes on; the fourth to join issues the request.  Warps may be apart by any number of requests:
//
//     warp      0  1  2  3        request 2 is issued when warp 3 joins it; warp 0 waits for its
//     joined    4  4  3  1        group by waiting until `issued` counts to the group's last
//     request
//                                 and finishing that item
//
// The items of a warpgroup complete in order.  D is read and written in the registers of the
// frames that issued when an item completes: until then they hold what they held.
namespace lc::machine {

class Cluster;
class Cta;
struct Frame;

inline constexpr std::uint32_t kWarpgroupWarps = 4;

/// What all four warps must agree on.
struct WarpgroupInstruction {
  WarpgroupMma mma;        ///< descriptors, registers and positions come with the parts
  std::span<const Ref> d;  ///< places of D in the frame
  bool sparse = false;
  std::uint32_t selector = 0;  ///< sparse: which threads of four hold the metadata
};

/// One warp's part of a request.
struct WarpgroupPart {
  std::shared_ptr<Frame> frame;
  std::vector<std::uint32_t> a;  ///< A in registers: [reg * 32 + lane], as they were at issue
  std::array<std::uint32_t, kWarpLanes> metadata{};
  std::uint64_t a_descriptor = 0, b_descriptor = 0;
  bool read_d = true;
};

/// Positions in B of a sparse A's stored elements from the metadata registers of 128 threads:
/// CuTe's layouts (mma_traits_sm90_gmma_sparse.hpp), in row 16 w + l / 4 of warp w:
///   16 and 32 bits   thread 2 selector + h of four holds half h of K: low 16 bits of the row,
///                    high 16 bits of the row 8 below
///   8 bits           thread q: row + 8 (q % 2), half q / 2 of K
/// Nibbles stand in order of K.  Throws Fault for those the ISA does not list.
std::vector<std::uint16_t> warpgroup_positions(
    Element a, std::uint32_t selector, std::span<const std::uint32_t, kWarpgroupThreads> metadata);

/// The warpgroups of one CTA.
class WarpgroupUnit {
 public:
  explicit WarpgroupUnit(Cta& cta) : cta_(cta) {}

  /// Throws Fault when the warp belongs to no whole warpgroup or the warps disagree.
  void join(std::uint32_t warp, const WarpgroupInstruction& instruction, WarpgroupPart part,
            const Place& place);
  void commit(std::uint32_t warp);
  /// How many requests must have been issued before the warp can wait for all groups but the
  /// `pending` most recent ones.
  std::uint64_t needed(std::uint32_t warp, std::uint64_t pending) const;
  const std::uint64_t& issued(std::uint32_t warp) { return groups_[warp / 4].issued; }
  /// Completes those requests, which were issued.
  void wait(std::uint32_t warp, std::uint64_t needed);

 private:
  struct Request {
    const WarpgroupInstruction* instruction = nullptr;
    std::uint32_t joined = 0;
    std::array<WarpgroupPart, kWarpgroupWarps> parts;
    Place place;
  };
  struct Group {
    std::uint64_t issued = 0;
    std::array<std::uint64_t, kWarpgroupWarps> joined{};  ///< requests, by warp
    std::deque<Request> open;                             ///< request `issued` and later ones
    std::deque<ItemId> items;  ///< of requests first_item …, those not known to be done
    std::uint64_t first_item = 0;
    std::vector<ItemId> watched;  ///< all of them, for observers if there are any
    std::array<std::uint64_t, kWarpgroupWarps> told{};  ///< how many, by the warp that waited
  };

  void issue(std::uint32_t group);
  void check_agreement(const Request& request, std::uint32_t warp,
                       const WarpgroupInstruction& instruction, const WarpgroupPart& part) const;

  Cta& cta_;
  std::map<std::uint32_t, Group> groups_;
  /// By warp: how many requests had been joined at each commit, the last ones.
  std::map<std::uint32_t, std::vector<std::uint64_t>> commits_;
};

}  // namespace lc::machine
