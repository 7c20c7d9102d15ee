#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sim/layout/finding.h"
#include "sim/layout/host_device.h"
#include "sim/layout/spelling.h"
#include "sim/layout/swizzle.h"

namespace lc {

/// Shared memory has 32 banks, 4 bytes wide; a row of all banks is 128 bytes.  One wavefront
/// serves, in every bank, one 4-byte word; any number of lanes may read that word.  A warp's
/// access is split into groups of lanes that are served one group after another, and a group
/// costs as many wavefronts as the most crowded bank has different words:
///
///   bytes per lane     groups
///   1, 2, 4            all 32 lanes
///   8                  two half-warps;     a load whose lanes agree in pairs: one
///   16                 four quarter-warps; a load whose lanes agree in pairs: two
///   ldmatrix, stmatrix one group per 8 row addresses of 16 bytes
///
/// Everything here was measured on an H200 (every record of tests/golden/h200/bank.csv) unless a
/// rule below says otherwise.  sm_100 is taken to be equal: not measured.
LC_HD constexpr std::uint32_t bank_of(std::uint32_t address) {
  return address / 4 % 32;
}

/// Sixteen bytes, four banks: S0 .. S7.
LC_HD constexpr std::uint32_t bank_sector(std::uint64_t address) {
  return static_cast<std::uint32_t>(address / 16 % 8);
}

enum class BankOp : std::uint8_t { ld, st, ldmatrix, stmatrix, atom, red, cp_async };

constexpr std::array<Spelled<BankOp>, 7> spellings(BankOp) {
  return {{{BankOp::ld, "ld"},
           {BankOp::st, "st"},
           {BankOp::ldmatrix, "ldmatrix"},
           {BankOp::stmatrix, "stmatrix"},
           {BankOp::atom, "atom"},
           {BankOp::red, "red"},
           {BankOp::cp_async, "cp.async"}}};
}

constexpr bool is_matrix(BankOp op) {
  return op == BankOp::ldmatrix || op == BankOp::stmatrix;
}

/// One warp instruction on shared memory.
struct BankAccess {
  BankOp op = BankOp::ld;
  std::uint32_t width = 4;  ///< bytes per lane; 16 for matrix instructions
  std::uint32_t num = 1;    ///< matrices of ldmatrix / stmatrix: 1, 2, 4 (.trans costs the same)
  std::uint32_t active = 0xFFFFFFFF;
  std::array<std::uint32_t, 32> address{};

  constexpr bool is_active(std::uint32_t lane) const { return (active >> lane & 1) != 0; }
};

constexpr bool is_bank_width(std::uint32_t width) {
  return width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
}

/// What a group of lanes asks of each bank.
struct BankLoad {
  std::uint32_t group = 0;                ///< its lanes, active ones only
  std::array<std::uint32_t, 32> lanes{};  ///< per bank: which lanes touch it
  std::array<std::uint8_t, 32> demand{};  ///< per bank: wavefronts it needs
  std::uint32_t wavefronts = 0;           ///< the largest of them
};

struct BankReport {
  std::array<BankLoad, 4> groups{};  ///< in the order served
  std::size_t group_count = 0;
  std::uint32_t wavefronts = 0;
  std::uint32_t ideal = 0;        ///< groups with an active lane
  std::uint32_t merged_over = 0;  ///< 1 or 2: loads merged because lanes l and l ^ that agree

  constexpr std::uint32_t conflicts() const { return wavefronts - ideal; }
};

namespace banks {

/// True when all active lanes whose partner `lane ^ distance` is active read the same address.
constexpr bool lanes_agree(const BankAccess& access, std::uint32_t distance) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t partner = lane ^ distance;
    if (!access.is_active(lane) || !access.is_active(partner)) continue;
    if (access.address[lane] != access.address[partner]) return false;
  }
  return true;
}

/// The distance over which a load's groups merge two by two, or 0.  Distance 1 and loads of one
/// single address are measured; 2 alone is a statement of NVIDIA staff about CC 7.x.
constexpr std::uint32_t merge_distance(const BankAccess& access) {
  if (access.op != BankOp::ld || access.width < 8) return 0;
  if (lanes_agree(access, 1)) return 1;
  return lanes_agree(access, 2) ? 2 : 0;
}

/// Lanes served together.
constexpr std::uint32_t lanes_per_group(const BankAccess& access) {
  if (is_matrix(access.op)) return 8;
  const std::uint32_t lanes = access.width <= 4 ? 32 : 128 / access.width;
  return merge_distance(access) != 0 ? 2 * lanes : lanes;
}

constexpr std::uint64_t first_word(const BankAccess& access, std::uint32_t lane) {
  return access.address[lane] / 4;
}

constexpr std::uint64_t last_word(const BankAccess& access, std::uint32_t lane) {
  return (std::uint64_t{access.address[lane]} + access.width - 1) / 4;
}

/// True when a lane of `lanes` below `lane` touches `word` too.
constexpr bool touched_before(const BankAccess& access, std::uint32_t lanes, std::uint32_t lane,
                              std::uint64_t word) {
  for (std::uint32_t other = lanes & ((1u << lane) - 1); other != 0; other &= other - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(other));
    if (word >= first_word(access, l) && word <= last_word(access, l)) return true;
  }
  return false;
}

/// Words each bank must give to a group.  Returning atomics do not share a word: every lane
/// counts (measured for 32-bit add).
constexpr BankLoad bank_load(const BankAccess& access, std::uint32_t group) {
  BankLoad load;
  load.group = group & access.active;
  for (std::uint32_t rest = load.group; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    for (std::uint64_t word = first_word(access, lane); word <= last_word(access, lane); ++word) {
      const auto bank = static_cast<std::size_t>(word % 32);
      load.lanes[bank] |= 1u << lane;
      if (access.op == BankOp::atom || !touched_before(access, load.group, lane, word)) {
        if (++load.demand[bank] > load.wavefronts) load.wavefronts = load.demand[bank];
      }
    }
  }
  return load;
}

}  // namespace banks

/// Wavefronts of a warp instruction and who collides.
constexpr BankReport bank_report(const BankAccess& access) {
  BankReport report;
  report.merged_over = banks::merge_distance(access);
  const std::uint32_t lanes = banks::lanes_per_group(access);
  report.group_count = is_matrix(access.op) ? access.num : 32 / lanes;
  for (std::size_t i = 0; i < report.group_count; ++i) {
    const std::uint32_t all = lanes == 32 ? 0xFFFFFFFF : (1u << lanes) - 1;
    report.groups[i] = banks::bank_load(access, all << (i * lanes % 32));
    report.wavefronts += report.groups[i].wavefronts;
    if (report.groups[i].group != 0) ++report.ideal;
  }
  return report;
}

/// What can be wrong with an access, or unsure about its count.
namespace bank_rules {
inline constexpr Rule kMisaligned{
    "banks.misaligned", Severity::error, "lanes",
    "address {value} is not a multiple of {limit}: the instruction faults"};
inline constexpr Rule kNoRow{
    "banks.no-row-address", Severity::warning, "lanes",
    "{value} of the {limit} lanes that give row addresses have none, this one first; their rows "
    "are left out of the count, but .aligned instructions need every lane"};
inline constexpr Rule kNoLane{"banks.no-lane", Severity::note, "lanes",
                              "no lane is active: nothing is read or written"};
inline constexpr Rule kPairTwo{
    "banks.pair-2-unmeasured", Severity::note, "lanes",
    "groups merged because lanes l and l ^ 2 agree: stated by NVIDIA staff for CC 7.x, not "
    "measured on sm_90"};
inline constexpr Rule kAtomic{
    "banks.atomic-unmeasured", Severity::warning, "width",
    "atom and red were measured for 4 bytes only; {value} bytes are counted like a store"};
inline constexpr Rule kAtomicByte{"banks.atomic-byte", Severity::error, "width",
                                  "there is no 1-byte atom or red"};
inline constexpr Rule kCpAsync{
    "banks.cp-async-unmeasured", Severity::note, "kind",
    "cp.async is counted like a store of the same width; the hardware may merge requests "
    "differently: not measured"};
inline constexpr Rule kCpAsyncWidth{"banks.cp-async-width", Severity::error, "width",
                                    "cp.async copies 4, 8 or 16 bytes, not {value}"};
}  // namespace bank_rules

constexpr Findings check_bank_access(const BankAccess& access) {
  namespace r = bank_rules;
  Findings out;
  if (access.op == BankOp::atom || access.op == BankOp::red) {
    if (access.width == 1)
      out.add(r::kAtomicByte);
    else if (access.width != 4)
      out.add(r::kAtomic, access.width);
  }
  if (access.op == BankOp::cp_async) {
    if (access.width < 4)
      out.add(r::kCpAsyncWidth, access.width);
    else
      out.add(r::kCpAsync);
  }
  if (banks::merge_distance(access) == 2) out.add(r::kPairTwo);
  const std::uint32_t lanes = is_matrix(access.op) ? 8 * access.num : 32;
  const std::uint32_t giving = lanes == 32 ? 0xFFFFFFFF : (1u << lanes) - 1;
  const std::uint32_t idle = giving & ~access.active;
  if (is_matrix(access.op) && idle != 0) {
    out.add_at(r::kNoRow, std::countr_zero(idle), std::popcount(idle), lanes);
  } else if ((access.active & giving) == 0) {
    out.add(r::kNoLane);
  }
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (!access.is_active(lane) || access.address[lane] % access.width == 0) continue;
    out.add(r::kMisaligned, access.address[lane], access.width, static_cast<int>(lane), true);
  }
  return out;
}

}  // namespace lc
