#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/layout/operand.h"
#include "sim/machine/events.h"
#include "sim/machine/fault.h"
#include "sim/machine/global_memory.h"
#include "sim/machine/program.h"
#include "sim/machine/schedule.h"

namespace lc::machine {

/// What a kernel is started with.  Vectors are x, y, z.
struct Launch {
  std::shared_ptr<const Program> program;
  std::array<std::uint32_t, 3> grid{1, 1, 1};     ///< CTAs
  std::array<std::uint32_t, 3> block{1, 1, 1};    ///< threads
  std::array<std::uint32_t, 3> cluster{1, 1, 1};  ///< CTAs
  bool explicit_cluster = false;                  ///< a cluster size was given at all
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  ///< as the entry's .param space
  std::uint64_t grid_id = 1;
  /// Cooperative launch: 8 bytes of global memory, zero at first, that %envreg1 (high half) and
  /// %envreg2 point to (as cooperative groups' grid barrier reads them); 0: another launch.
  std::uint64_t workspace = 0;
};

/// How the virtual GPU runs; none of it changes what a right kernel computes.
struct RunOptions {
  Arch arch = Arch::sm_100;
  Schedule schedule;
  unsigned host_threads = 0;           ///< 0: all cores; 1 when events are watched
  std::uint64_t max_instructions = 0;  ///< of the launch, warp-wide; 0: no limit
  std::uint32_t multiprocessors = 148;
  std::byte fresh_shared{0};  ///< what shared memory holds before it is written
  const Events* events = nullptr;
};

struct RunResult {
  std::uint64_t instructions = 0;  ///< executed, warp-wide
  std::string output;              ///< of printf, clusters in order
  std::optional<Fault> fault;      ///< the run stopped; that of the lowest cluster
  /// Warnings that do not stop: once per place.
  std::vector<std::string> warnings;
};

/// Clusters that the device holds at once; the others wait.
std::uint64_t clusters_at_once(const Launch& launch, std::uint32_t multiprocessors);

/// Runs a kernel to its end.  Throws Fault for a launch that cannot be (dimensions, shared memory,
/// parameters that are missing); what goes wrong while it runs is in the result.
RunResult run(const Launch& launch, GlobalMemory& memory, const RunOptions& options = {});

}  // namespace lc::machine
