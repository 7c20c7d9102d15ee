#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/observe/timeline_record.h"

// When things would happen if
//   - an instruction of a warp took 1 step, and warps did not disturb each other,
//   - copies into and out of shared memory moved 64 bytes a step, one after another in each CTA,
//     and what is loaded came 200 steps later,
//   - the tensor core of a CTA did 8192 multiply-adds a step (4096 on sm_90), one instruction after
//     another,
//   - loads and stores of Tensor Memory took 16 steps.
// A barrier's phase is complete when its latest contribution is there; a wait ends then.  Steps are
// no cycles: caches, contention and issue rules are not in the model.  It shows who waits for whom,
// and does not depend on the schedule the kernel ran under.
namespace lc::observe {

struct CostModel {
  std::uint64_t copy_bytes = 64;
  std::uint64_t load_latency = 200;
  std::uint64_t multiply_adds = 8192, multiply_adds_sm_90 = 4096;
  std::uint64_t tensor_memory = 16;
};

/// A stretch of a warp's time.
struct WarpSpan {
  std::uint64_t begin = 0, end = 0;
  bool waits = false;
  std::uint32_t line = 0;
  // waits:
  Lane cause = Lane::none;  ///< the unit whose contribution came last
  std::int64_t by = -1;     ///< else the warp, an index into Record::warps
  PhaseId phase = 0;        ///< what for
  bool for_item = false;    ///< a group or a single item, no phase
};

struct ItemSpan {
  std::uint64_t begin = 0;  ///< the unit starts
  std::uint64_t busy = 0;   ///< until here it can do nothing else
  std::uint64_t end = 0;    ///< the result is there
  bool done = false;
};

struct Times {
  std::vector<std::vector<WarpSpan>> warps;  ///< as Record::warps
  std::map<ItemId, ItemSpan> items;
  std::uint64_t end = 0;
  bool stuck = false;  ///< somebody waits for what never came
};

Times times_of(const Record& record, const CostModel& costs = {});

}  // namespace lc::observe
