#include "sim/machine/local_memory.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "sim/machine/fault.h"

namespace lc::machine {

void LocalMemory::reserve(std::uint32_t bytes) {
  if (bytes > kLimit) {
    throw Fault(FaultKind::out_of_memory, "local.stack-overflow",
                "the thread's stack would take " + std::to_string(bytes) +
                    " bytes; a thread has 524288 (endless recursion?)");
  }
  size_ = std::max(size_, bytes);
  if (size_ <= capacity_) return;
  const std::uint32_t capacity = std::min(kLimit, std::max(size_, 2 * capacity_));
  // Pages of a fresh block are committed when touched.
  std::unique_ptr<std::byte[], Free> grown(
      static_cast<std::byte*>(std::calloc(kWarpLanes, capacity)));
  if (!grown) {
    throw Fault(FaultKind::out_of_memory, "local.host-memory", "no memory for the thread's stack");
  }
  for (std::uint32_t lane = 0; lane < kWarpLanes && capacity_ != 0; ++lane) {
    std::memcpy(&grown[std::size_t{lane} * capacity], &data_[std::size_t{lane} * capacity_],
                capacity_);
  }
  data_ = std::move(grown);
  capacity_ = capacity;
}

std::byte* LocalMemory::bytes(std::uint32_t lane, std::uint64_t address, std::uint64_t size,
                              std::uint64_t alignment) {
  if ((address & (alignment - 1)) != 0) {
    throw Fault(FaultKind::misaligned_address, "local.misaligned",
                "access to " + std::to_string(size) + " bytes of local memory at " + hex(address) +
                    ", which is not a multiple of " + std::to_string(alignment),
                address);
  }
  if (address > size_ || size > size_ - address) {
    throw Fault(FaultKind::illegal_address, "local.out-of-bounds",
                "access to " + std::to_string(size) + " bytes of local memory at " + hex(address) +
                    "; the thread's frames end at " + hex(size_),
                address);
  }
  return &data_[std::size_t{lane} * capacity_ + address];
}

void LocalMemory::clear(LaneMask lanes, std::uint32_t address, std::uint32_t size) {
  if (size == 0) return;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    std::memset(&data_[std::size_t{lane} * capacity_ + address], 0, size);
  });
}

}  // namespace lc::machine
