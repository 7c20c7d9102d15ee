#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine/global_memory.h"

namespace lc::machine {

/// The first KiB of a CTA's window is the system's; static data starts behind it (H200: measured).
inline constexpr std::uint32_t kSharedReserved = 0x400;
/// The window of a CTA ends here at the latest: 228 KiB.
inline constexpr std::uint32_t kSharedLimit = 0x39000;
/// A shared::cluster address is rank << 24 | offset in that CTA's window.
inline constexpr std::uint32_t kSharedRankShift = 24;
inline constexpr std::uint32_t kMaxClusterCtas = 16;

constexpr std::uint32_t shared_rank(std::uint32_t address) {
  return address >> kSharedRankShift;
}
constexpr std::uint32_t shared_offset(std::uint32_t address) {
  return address & ((1u << kSharedRankShift) - 1);
}
constexpr std::uint32_t shared_address(std::uint32_t rank, std::uint32_t offset) {
  return rank << kSharedRankShift | offset;
}

/// Shared memory of one CTA.  Offsets count from the start of its window; the CTA owns
/// [kSharedReserved, size()).  Reads of the reserved part are allowed and see 0 (H200 did not
/// fault; the bytes are the system's); writes there are a fault.
class SharedMemory {
 public:
  /// `bytes` of static and dynamic data; throws when they do not fit the window.
  explicit SharedMemory(std::uint32_t bytes = 0, std::byte fill = std::byte{0});

  std::uint32_t size() const { return static_cast<std::uint32_t>(data_.size()); }
  /// Checked host pointer; throws Fault.  Tensor-core and TMA addresses come here too, as 64-bit
  /// sums that were never wrapped.
  std::byte* bytes(std::uint64_t offset, std::uint64_t size, std::uint64_t alignment,
                   Access access);
  const std::byte* bytes(std::uint64_t offset, std::uint64_t size, std::uint64_t alignment) const;
  /// The whole window, for dumps.
  std::span<const std::byte> window() const { return data_; }

 private:
  void check(std::uint64_t offset, std::uint64_t size, std::uint64_t alignment,
             Access access) const;
  std::vector<std::byte> data_;
};

/// Which CTA of a cluster an address of a shared instruction names.
///  cta:     ld.shared::cta and the like: the executing CTA only
///  cluster: ld.shared::cluster, mapa results: any CTA of the cluster
enum class SharedWindow : std::uint8_t { cta, cluster };

struct SharedTarget {
  std::uint32_t rank = 0;
  std::uint32_t offset = 0;
};

/// Resolves an address as the CTA with `own_rank` of `cluster_size` CTAs sees it; throws Fault for
/// a rank outside the cluster and for another CTA's address in the `cta` window.  In a launch
/// without clusters every address has rank 0; in a cluster the addresses of CTA r carry r.
SharedTarget resolve_shared(std::uint32_t address, std::uint32_t own_rank,
                            std::uint32_t cluster_size, SharedWindow window);

}  // namespace lc::machine
