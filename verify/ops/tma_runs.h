#pragma once

#include <cstdint>
#include <vector>

#include "sim/layout/tma_box.h"

namespace lc::verify {

/// Bytes that move together, as far as they go: `length` bytes to `to` from `from`.
struct TmaRun {
  std::int64_t to;
  std::int64_t length;
  std::int64_t from;  ///< kFill: the bytes are the fill pattern
  bool operator==(const TmaRun&) const = default;
};

inline constexpr std::int64_t kFill = -1;

/// The byte runs of a load, sorted by `to` and maximal: `to` counts from smem_address, `from` from
/// global_address.  Takes memory in proportion to the box, which must fit in shared memory.
std::vector<TmaRun> load_runs(const TmaBox& box);

/// The byte runs of a store: `to` counts from global_address, `from` from smem_address.
std::vector<TmaRun> store_runs(const TmaBox& box);

/// Whether every byte of the tensor that the box touches has a 63-bit offset.
bool has_representable_offsets(const TmaBox& box);

}  // namespace lc::verify
