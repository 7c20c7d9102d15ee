#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "sim/machine/lanes.h"

namespace lc::machine {

/// Thread-local memory of a warp: for each lane a range from address 0, a stack of frames.
class LocalMemory {
 public:
  /// What a thread may have (CUDA: 512 KiB).
  static constexpr std::uint32_t kLimit = 512 * 1024;

  /// Makes room for [0, bytes) of every lane; new bytes are 0.  Throws Fault beyond the limit.
  void reserve(std::uint32_t bytes);
  std::uint32_t size() const { return size_; }
  /// Host bytes from one lane's memory to the next one's.
  std::size_t stride() const { return capacity_; }
  /// Checked host pointer; throws Fault.  Valid until the next `reserve`.
  std::byte* bytes(std::uint32_t lane, std::uint64_t address, std::uint64_t size,
                   std::uint64_t alignment);
  /// That of all lanes.
  std::string_view all() const {
    return {reinterpret_cast<const char*>(data_.get()), std::size_t{capacity_} * kWarpLanes};
  }
  /// Zeroes a range of the lanes.
  void clear(LaneMask lanes, std::uint32_t address, std::uint32_t size);

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;               ///< of one lane
  std::unique_ptr<std::byte[], Free> data_;  ///< [lane][address]
};

}  // namespace lc::machine
