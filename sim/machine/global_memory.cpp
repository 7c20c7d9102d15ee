#include "sim/machine/global_memory.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

const char* verb(Access access) {
  return access == Access::read ? "read" : "write";
}

}  // namespace

void GlobalMemory::FreeBytes::operator()(std::byte* p) const {
  std::free(p);
}

bool GlobalMemory::fits(std::uint64_t address, std::uint64_t size) const {
  if (size == 0 || address >= kGlobalAddressEnd || size > kGlobalAddressEnd - address) return false;
  const auto after = blocks_.lower_bound(address);
  if (after != blocks_.end() && after->first - address < size) return false;
  if (after == blocks_.begin()) return true;
  const auto before = std::prev(after);
  return address - before->first >= before->second.size;
}

bool GlobalMemory::insert_owned(std::uint64_t address, std::uint64_t size) {
  if (size > limit_ || used_ > limit_ - size) return false;
  Block block;
  block.owned.reset(static_cast<std::byte*>(std::calloc(1, size)));
  if (!block.owned) return false;
  block.data = block.owned.get();
  block.size = size;
  if (fill_ != std::byte{0}) std::memset(block.data, std::to_integer<int>(fill_), size);
  blocks_.emplace(address, std::move(block));
  used_ += size;
  return true;
}

std::optional<std::uint64_t> GlobalMemory::allocate(std::uint64_t size) {
  // The gap lets an access that runs off the end find nothing instead of its neighbour.
  constexpr std::uint64_t kGap = 4096;
  if (size == 0 || size >= kGlobalAddressEnd) return std::nullopt;
  const std::uint64_t step = (size + kGap + kAlignment - 1) / kAlignment * kAlignment;
  std::uint64_t address = next_;
  while (!fits(address, size)) {
    if (address >= kGlobalAddressEnd || size > kGlobalAddressEnd - address) return std::nullopt;
    // Something was placed here by hand: go on behind it.
    const auto in_the_way = std::prev(blocks_.lower_bound(address + size));
    const std::uint64_t end = in_the_way->first + in_the_way->second.size;
    address = (end + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (!insert_owned(address, size)) return std::nullopt;
  next_ = address + step;
  return address;
}

bool GlobalMemory::allocate_at(std::uint64_t address, std::uint64_t size) {
  return fits(address, size) && insert_owned(address, size);
}

bool GlobalMemory::map(std::uint64_t address, std::span<std::byte> bytes) {
  if (!fits(address, bytes.size())) return false;
  Block block;
  block.data = bytes.data();
  block.size = bytes.size();
  blocks_.emplace(address, std::move(block));
  return true;
}

bool GlobalMemory::free(std::uint64_t address) {
  const auto at = blocks_.find(address);
  if (at == blocks_.end()) return false;
  if (at->second.owned) used_ -= at->second.size;
  blocks_.erase(at);
  ++version_;
  return true;
}

void GlobalMemory::protect(std::uint64_t address) {
  const auto at = blocks_.find(address);
  if (at == blocks_.end()) return;
  at->second.writable = false;
  ++version_;
}

GlobalMemory::View GlobalMemory::view(std::uint64_t address) const {
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return {};
  const auto at = std::prev(after);
  if (address - at->first >= at->second.size) return {};
  return {at->first, at->second.size, version_, at->second.data, at->second.writable};
}

std::optional<GlobalMemory::Allocation> GlobalMemory::find(std::uint64_t address) const {
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  const auto at = std::prev(after);
  if (address - at->first >= at->second.size) return std::nullopt;
  return Allocation{at->first, at->second.size};
}

std::byte* GlobalMemory::bytes(std::uint64_t address, std::uint64_t size, std::uint64_t alignment,
                               Access access) const {
  if ((address & (alignment - 1)) != 0) {
    throw Fault(FaultKind::misaligned_address, "global.misaligned",
                std::string(verb(access)) + " of " + std::to_string(size) +
                    " bytes of global memory at " + hex(address) + ", which is not a multiple of " +
                    std::to_string(alignment),
                address);
  }
  const auto after = blocks_.upper_bound(address);
  if (after != blocks_.begin()) {
    const auto at = std::prev(after);
    const std::uint64_t offset = address - at->first;
    const std::uint64_t left = at->second.size > offset ? at->second.size - offset : 0;
    if (size <= left && access == Access::write && !at->second.writable) {
      throw Fault(FaultKind::illegal_address, "global.read-only",
                  "write of " + std::to_string(size) + " bytes at " + hex(address) +
                      ", which belongs to constants or kernel parameters",
                  address);
    }
    if (size <= left) return at->second.data + offset;
    if (left != 0 || offset == at->second.size) {
      throw Fault(FaultKind::illegal_address, "global.out-of-bounds",
                  std::string(verb(access)) + " of " + std::to_string(size) +
                      " bytes of global memory at " + hex(address) + " passes the end " +
                      hex(at->first + at->second.size) + " of the allocation at " + hex(at->first),
                  address);
    }
  }
  throw Fault(FaultKind::illegal_address, "global.unallocated",
              std::string(verb(access)) + " of " + std::to_string(size) +
                  " bytes of global memory at " + hex(address) + ", which belongs to no allocation",
              address);
}

}  // namespace lc::machine
