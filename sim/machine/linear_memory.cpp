#include "sim/machine/linear_memory.h"

#include "sim/machine/fault.h"

namespace lc::machine {

std::byte* LinearMemory::bytes(std::uint64_t address, std::uint64_t size, std::uint64_t alignment,
                               Access access) {
  const auto text = [&] {
    return std::string(access == Access::read ? "read" : "write") + " of " + std::to_string(size) +
           " bytes of " + name_ + " memory at " + hex(address);
  };
  if ((address & (alignment - 1)) != 0) {
    throw Fault(FaultKind::misaligned_address, name_ + ".misaligned",
                text() + ", which is not a multiple of " + std::to_string(alignment), address);
  }
  if (address > data_.size() || size > data_.size() - address) {
    throw Fault(FaultKind::illegal_address, name_ + ".out-of-bounds",
                text() + ", which ends at " + hex(data_.size()), address);
  }
  if (access == Access::write && rights_ == Rights::read_only) {
    throw Fault(FaultKind::illegal_address, name_ + ".read-only", text() + ", which is read-only",
                address);
  }
  return data_.data() + address;
}

}  // namespace lc::machine
