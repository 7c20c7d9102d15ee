#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

namespace lc::bench {

/// Tells how much one iteration did, and ends in an error when its results are not the right ones.
inline void finish(benchmark::State& state, std::uint64_t items, std::uint64_t bytes, bool right) {
  const auto n = static_cast<std::int64_t>(state.iterations());
  if (items != 0) state.SetItemsProcessed(n * static_cast<std::int64_t>(items));
  if (bytes != 0) state.SetBytesProcessed(n * static_cast<std::int64_t>(bytes));
  if (!right) state.SkipWithError("the results are wrong");
}

}  // namespace lc::bench
