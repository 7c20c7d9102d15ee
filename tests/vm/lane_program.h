#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/vm/guest.h"

namespace lc {

/// A kernel for tests of instructions.  The body finds
///
///     p0 … p7   h0 … h7 (16 bits)   r0 … r31   d0 … d31   q0 … q3 (128 bits)
///     r0 the thread's number, d28 the first parameter, s 4096 bytes of shared memory at 0x400
///
/// and leaves a 64-bit result in d0.
std::string lane_program(const std::string& body, const std::string& before = "");

/// Results of the threads of all CTAs, in order.
struct LaneRun {
  std::uint32_t threads = 32;
  std::uint32_t ctas = 1;
  std::uint32_t cluster = 1;
  std::uint64_t parameter = 0;
  machine::RunOptions options = {};
  std::string before = {};
};
std::vector<std::uint64_t> results_of(const std::string& body, const LaneRun& how = {});

/// The same with the device at hand: what `d28` points at is in its memory.
std::vector<std::uint64_t> results_of(Guest& guest, const LaneRun& how = {});

/// The rule of the fault that the program ends in, "none" without one, "parse" where it is not
/// accepted.
std::string rule_of(const std::string& body, const LaneRun& how = {});

}  // namespace lc
