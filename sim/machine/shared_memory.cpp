#include "sim/machine/shared_memory.h"

#include <algorithm>
#include <string>

#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

std::string text(const char* what, std::uint64_t offset, std::uint64_t size) {
  return std::string(what) + " of " + std::to_string(size) + " bytes of shared memory at " +
         hex(offset);
}

}  // namespace

SharedMemory::SharedMemory(std::uint32_t bytes, std::byte fill) {
  if (bytes > kSharedLimit - kSharedReserved) {
    throw Fault(FaultKind::out_of_memory, "shared.limit",
                std::to_string(bytes) + " bytes of shared memory are asked for; a CTA has " +
                    std::to_string(kSharedLimit - kSharedReserved) + " (227 KiB)");
  }
  data_.assign(kSharedReserved + bytes, fill);
  std::fill_n(data_.begin(), kSharedReserved, std::byte{0});
}

void SharedMemory::check(std::uint64_t offset, std::uint64_t size, std::uint64_t alignment,
                         Access access) const {
  const char* verb = access == Access::read ? "read" : "write";
  if ((offset & (alignment - 1)) != 0) {
    throw Fault(
        FaultKind::misaligned_address, "shared.misaligned",
        text(verb, offset, size) + ", which is not a multiple of " + std::to_string(alignment),
        offset);
  }
  if (offset > data_.size() || size > data_.size() - offset) {
    throw Fault(FaultKind::illegal_address, "shared.out-of-bounds",
                text(verb, offset, size) + ": the CTA's shared memory ends at " + hex(data_.size()),
                offset);
  }
  if (access == Access::write && offset < kSharedReserved && size != 0) {
    throw Fault(FaultKind::illegal_address, "shared.reserved",
                text(verb, offset, size) + ": the first KiB is reserved for the system", offset);
  }
}

std::byte* SharedMemory::bytes(std::uint64_t offset, std::uint64_t size, std::uint64_t alignment,
                               Access access) {
  check(offset, size, alignment, access);
  return data_.data() + offset;
}

const std::byte* SharedMemory::bytes(std::uint64_t offset, std::uint64_t size,
                                     std::uint64_t alignment) const {
  check(offset, size, alignment, Access::read);
  return data_.data() + offset;
}

SharedTarget resolve_shared(std::uint32_t address, std::uint32_t own_rank,
                            std::uint32_t cluster_size, SharedWindow window) {
  const SharedTarget target{shared_rank(address), shared_offset(address)};
  if (target.rank >= cluster_size) {
    throw Fault(FaultKind::illegal_address, "shared.no-such-cta",
                "shared address " + hex(address) + " names CTA " + std::to_string(target.rank) +
                    " of a cluster of " + std::to_string(cluster_size),
                address);
  }
  if (window == SharedWindow::cta && target.rank != own_rank) {
    throw Fault(FaultKind::invalid_address_space, "shared.foreign-cta",
                "shared::cta address " + hex(address) + " lies in CTA " +
                    std::to_string(target.rank) + " of the cluster, the executing CTA has rank " +
                    std::to_string(own_rank) + "; use shared::cluster",
                address);
  }
  return target;
}

}  // namespace lc::machine
