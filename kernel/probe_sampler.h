#pragma once

#include <cstdint>

#include "kernel/probe_tile.h"

namespace lc::kernel {

/// Random numbers that are the same on every machine (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  /// 0 .. n-1.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + below(high - low + 1);
  }
  bool percent(std::uint32_t chance) { return below(100) < chance; }

 private:
  std::uint64_t state_;
};

/// A tile that cuTensorMapEncodeTiled accepts and the copy carries out, of at most `most_bytes`:
/// rank 1 to 5, every type, swizzle and interleave, boxes narrower than the span, element strides,
/// any part of the box out of bounds, any 128-byte phase, with untouched lines around it.
TmaTile random_tma_tile(Random& random, std::uint32_t most_bytes);

/// A tile that a descriptor of sm_90 or sm_100 can describe: both majors, every swizzle, both
/// orders of atoms, gaps between atoms, address keys and buffer keys, K slices.
OperandCopy random_operand_copy(Random& random, std::uint32_t most_bytes);

}  // namespace lc::kernel
