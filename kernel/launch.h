#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernel/dump_file.h"
#include "kernel/probe_tile.h"

// What programs and tests call to run our kernels.  No CUDA header is needed to include it.
namespace lc::kernel {

/// Why kernels cannot run here; empty when they can.
std::string no_gpu_reason();

/// The release of the GPU driver, as "580.159.04"; empty when it cannot be told.
std::string driver_release();

/// Fills tiles on the GPU, one launch each, and collects their dump.
class TileProbe {
 public:
  /// `command` is what a reader of the file would type to get it again.  `most_bytes` and
  /// `most_tiles` bound what can be dumped.
  explicit TileProbe(std::string command, std::uint64_t most_bytes = std::uint64_t{64} << 20,
                     std::uint32_t most_tiles = 4096);
  ~TileProbe();

  void run(const TmaTile& tile);
  void run(const OperandCopy& tile);

  /// Two CTAs, a ring of two stages, three K tiles of A (K-major) and B (N-major): tiles `A`, `B`.
  void run_pipeline();

  /// The dump so far; throws if a tile could not be copied.
  DumpFile finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lc::kernel
