#include "sim/machine/cta.h"

#include <bit>

#include "sim/machine/cluster.h"

namespace lc::machine {
namespace {

std::uint32_t threads_of(const Launch& launch) {
  return launch.block[0] * launch.block[1] * launch.block[2];
}

/// Static and dynamic bytes together: dynamic memory begins at its own alignment.
std::uint32_t shared_bytes(const Launch& launch) {
  return launch.program->dynamic_shared_begin - kSharedReserved + launch.dynamic_shared_bytes;
}

}  // namespace

Cta::Cta(Cluster& cluster, std::uint32_t rank, const std::array<std::uint32_t, 3>& index)
    : cluster_(cluster),
      rank_(rank),
      index_(index),
      shared_(shared_bytes(cluster.launch()), cluster.grid_options().fresh_shared),
      barriers_(threads_of(cluster.launch())),
      live_threads_(threads_of(cluster.launch())) {
  for (std::uint32_t first = 0; first < live_threads_; first += kWarpLanes) {
    const std::uint32_t left = live_threads_ - first;
    const LaneMask lanes = left >= kWarpLanes ? kAllLanes : (1u << left) - 1;
    warps_.push_back(std::make_unique<Warp>(*this, first / kWarpLanes, lanes));
  }
}

TensorMemory& Cta::tensor() {
  if (!tensor_) tensor_ = std::make_unique<TensorMemory>();
  return *tensor_;
}

void Cta::lanes_exited(std::uint32_t warp, LaneMask lanes) {
  const auto count = static_cast<std::uint32_t>(std::popcount(lanes));
  live_threads_ -= count;
  barriers_.exit(count);
  cluster_.barrier().exit(rank_, warp, lanes);
  cluster_.changed();
  if (live_threads_ == 0 && tensor_) tensor_->check_exit();
}

}  // namespace lc::machine
