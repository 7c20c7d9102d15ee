#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/machine/shared_memory.h"
#include "sim/machine/tensor_memory.h"
#include "tests/vm/guest.h"

namespace lc {

/// A kernel around a few tcgen05 instructions: it brings given bytes into shared memory and given
/// words into all of Tensor Memory, lets one thread run `body`, commits, waits, and writes Tensor
/// Memory back.
struct TensorKernel {
  static constexpr std::uint32_t kTile = machine::kSharedReserved;  ///< where the bytes begin
  static constexpr std::uint32_t kTileBytes = 40960;
  static constexpr std::uint32_t kCells = kTmemLanes * kTmemColumns;

  std::uint32_t ctas = 1;       ///< in the cluster; 2: cta_group::2
  std::string body;             ///< for thread 0 of CTA 0; %b<>, %w<>, %p1.. are free
  std::string warp_body;        ///< for all threads, before `body`
  std::string extra_registers;  ///< declarations
  bool commits = true;

  std::vector<std::uint8_t> tile;     ///< [cta][kTileBytes]
  std::vector<std::uint32_t> tensor;  ///< [cta][lane][column]

  /// Random bytes and words, the same for the same seed.
  explicit TensorKernel(std::uint32_t cta_count = 1, std::uint32_t seed = 1);

  std::string ptx() const;
  /// Tensor Memory afterwards; throws the Fault of a run that stopped.  `result`, if any, is a
  /// buffer of words that `out` in the body names.
  std::vector<std::uint32_t> run(const machine::RunOptions& options = {},
                                 std::vector<std::uint32_t>* result = nullptr) const;

  /// The same memories for the units alone: what `work` does to those of all CTAs.
  struct Memories {
    machine::SharedMemory shared;
    machine::TensorMemory tensor;
  };
  std::vector<std::uint32_t> expect(
      const std::function<void(std::vector<Memories>& ctas)>& work) const;
};

/// Eager, lazy and three random schedules.
std::vector<machine::RunOptions> schedules();

/// The rule that a run breaks, "none" when it breaks none.
std::string rule_of(const TensorKernel& kernel, const machine::RunOptions& options = {});

}  // namespace lc
