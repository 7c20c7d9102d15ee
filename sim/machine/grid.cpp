#include "sim/machine/grid.h"

#include <algorithm>
#include <optional>

#include "sim/machine/address_map.h"

namespace lc::machine {
namespace {

std::uint64_t product(const std::array<std::uint32_t, 3>& v) {
  return std::uint64_t{v[0]} * v[1] * v[2];
}

std::string text_of(const std::array<std::uint32_t, 3>& v) {
  return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
}

Fault refused(const std::string& rule, const std::string& sentence) {
  return Fault(FaultKind::launch, rule, sentence);
}

const Events kNobody;

}  // namespace

const Events& Grid::events() const {
  return options_.events != nullptr ? *options_.events : kNobody;
}

void Grid::check_launch() const {
  const Launch& l = launch_;
  const Program& p = *l.program;
  if (product(l.grid) == 0 || product(l.block) == 0 || product(l.cluster) == 0) {
    throw refused("launch.empty", "grid " + text_of(l.grid) + ", block " + text_of(l.block) +
                                      ", cluster " + text_of(l.cluster) + ": all are at least 1");
  }
  if (l.block[0] > 1024 || l.block[1] > 1024 || l.block[2] > 64 || product(l.block) > 1024) {
    throw refused("launch.block", "a block of " + text_of(l.block) +
                                      " threads: at most 1024 x 1024 x 64 and 1024 in all");
  }
  if (l.grid[0] > 0x7FFFFFFF || l.grid[1] > 65535 || l.grid[2] > 65535) {
    throw refused("launch.grid",
                  "a grid of " + text_of(l.grid) + ": at most 2147483647 x 65535 x 65535");
  }
  if (product(l.cluster) > kMaxClusterCtas) {
    throw refused("launch.cluster", "a cluster of " + text_of(l.cluster) + " CTAs: at most 16");
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (l.grid[i] % l.cluster[i] != 0) {
      throw refused("launch.cluster-grid", "a grid of " + text_of(l.grid) +
                                               " CTAs is no whole number of clusters of " +
                                               text_of(l.cluster));
    }
    if (p.required_cluster[i] != 0 && p.required_cluster != l.cluster) {
      throw refused("launch.required-cluster", "the kernel asks for clusters of " +
                                                   text_of(p.required_cluster) + ", not " +
                                                   text_of(l.cluster));
    }
    if (p.required_block[i] != 0 && product(p.required_block) != product(l.block)) {
      throw refused("launch.required-block", "the kernel asks for blocks of " +
                                                 text_of(p.required_block) + " threads, not " +
                                                 text_of(l.block));
    }
  }
  if (p.max_threads != 0 && product(l.block) > p.max_threads) {
    throw refused("launch.max-threads", "a block of " + text_of(l.block) +
                                            " threads; the kernel was compiled for at most " +
                                            std::to_string(p.max_threads));
  }
  if (std::uint64_t{p.dynamic_shared_begin} + l.dynamic_shared_bytes > kSharedLimit) {
    throw refused("launch.shared",
                  std::to_string(p.dynamic_shared_begin - kSharedReserved) + " static and " +
                      std::to_string(l.dynamic_shared_bytes) +
                      " dynamic bytes of shared memory: a CTA has 232448 (227 KiB)");
  }
  if (l.workspace != 0 && product(l.grid) / product(l.cluster) > room()) {
    throw refused("launch.cooperative", "a cooperative grid of " + text_of(l.grid) + " CTAs: " +
                                            std::to_string(room() * product(l.cluster)) +
                                            " have a place at once");
  }
  if (l.parameters.size() != p.parameter_bytes) {
    throw refused("launch.parameters", std::to_string(l.parameters.size()) +
                                           " bytes of parameters; the kernel takes " +
                                           std::to_string(p.parameter_bytes));
  }
}

std::array<std::uint32_t, 3> Grid::cluster_count() const {
  std::array<std::uint32_t, 3> count{};
  for (std::size_t i = 0; i < 3; ++i) count[i] = launch_.grid[i] / launch_.cluster[i];
  return count;
}

std::array<std::uint32_t, 3> Grid::first_cta(std::uint64_t cluster) const {
  const auto count = cluster_count();
  const auto& size = launch_.cluster;
  return {static_cast<std::uint32_t>(cluster % count[0]) * size[0],
          static_cast<std::uint32_t>(cluster / count[0] % count[1]) * size[1],
          static_cast<std::uint32_t>(cluster / (std::uint64_t{count[0]} * count[1])) * size[2]};
}

std::optional<std::array<std::uint32_t, 3>> Grid::cancel_one() {
  if (next_ == total_) return std::nullopt;
  return first_cta(next_++);
}

void Grid::warn(const std::string& rule, const std::string& sentence, const Place& place) {
  const std::lock_guard lock(warnings_mutex_);
  if (warnings_.size() >= 100 || !warned_.insert(rule + sentence).second) return;
  std::string text = "warning: " + sentence + " [" + rule + "]";
  if (place.line >= 0) text += ", first at line " + std::to_string(place.line);
  warnings_.push_back(std::move(text));
}

void Grid::warn(const Finding& finding, const Place& place) {
  warn(std::string(finding.rule.id), sentence_of(finding), place);
}

void Grid::warn(const Findings& findings, const Place& place) {
  for (const Finding& finding : findings) {
    if (finding.rule.severity != Severity::note) warn(finding, place);
  }
}

/// How many clusters have a place at once: what the device's multiprocessors could hold.
std::uint64_t clusters_at_once(const Launch& launch, std::uint32_t multiprocessors) {
  const std::uint64_t threads = product(launch.block);
  const std::uint64_t shared =
      launch.program->dynamic_shared_begin + std::uint64_t{launch.dynamic_shared_bytes};
  const std::uint64_t per_multiprocessor =
      std::max<std::uint64_t>(1, std::min(2048 / threads, std::uint64_t{kSharedLimit} / shared));
  return std::max<std::uint64_t>(1, multiprocessors * per_multiprocessor / product(launch.cluster));
}

std::uint64_t Grid::room() const {
  return clusters_at_once(launch_, options_.multiprocessors);
}

RunResult run(const Launch& launch, GlobalMemory& memory, const RunOptions& options) {
  Grid grid(launch, memory, options);
  return grid.run();
}

}  // namespace lc::machine
