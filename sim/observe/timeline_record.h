#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/async.h"

// What a cluster did, reduced to what the cost model needs: no times, only who did what after what
// and who waited for which completion.
namespace lc::observe {

using machine::ItemId;

/// A completion that contributions add up to: the phase of an mbarrier, or one of a barrier that
/// warps meet at.
using PhaseId = std::uint32_t;

/// One entry of a warp's record.
struct WarpOp {
  enum class Kind : std::uint8_t { steps, issue, arrive, wait_phase, wait_item } kind = Kind::steps;
  std::uint32_t line = 0;
  std::uint64_t value = 0;  ///< steps: how many; issue, wait_item: item; arrive, wait_phase: phase
};

struct WarpRecord {
  std::uint32_t rank = 0, warp = 0;
  std::vector<WarpOp> ops;
};

/// Who carries an item out.
enum class Lane : std::uint8_t { tma, mma, cp_async, tmem, none };

struct ItemRecord {
  std::string what;
  Lane lane = Lane::none;
  std::uint32_t rank = 0;
  std::uint32_t line = 0;
  std::uint64_t bytes = 0, multiply_adds = 0;
  bool is_load = false;  ///< waits for memory
  int stage = -1;        ///< of a pipeline: loads that signal one barrier, and what reads them
  std::vector<ItemId> after;
  std::vector<PhaseId> contributes;
};

struct PhaseRecord {
  std::string name;  ///< "mbarrier 0x408", "named barrier"
  std::uint32_t contributions = 0;
};

struct Record {
  std::vector<std::array<std::uint32_t, 3>> ctas;  ///< index by rank
  std::vector<WarpRecord> warps;
  std::map<ItemId, ItemRecord> items;
  std::vector<PhaseRecord> phases;
  bool is_sm_90 = false;
  bool cut = false;  ///< there was more than is kept
};

}  // namespace lc::observe
