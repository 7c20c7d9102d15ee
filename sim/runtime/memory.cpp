#include "sim/runtime/memory.h"

#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "sim/runtime/error.h"

namespace lc::runtime {
namespace {

constexpr std::size_t kPage = 4096;

std::uint64_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

/// Whether the device can say anything about this address at all: the host has none there.
bool is_device_address(const void* address) {
  return number_of(address) >= machine::kGlobalBase;
}

}  // namespace

void* Memory::allocate(std::size_t bytes) {
  const auto address = global_.allocate(bytes);
  if (!address) {
    throw CudaError(kOutOfMemory, std::to_string(bytes) + " bytes of device memory, " +
                                      std::to_string(global_.limit() - global_.used()) +
                                      " are free\n  try: a larger LC_MEMORY_LIMIT");
  }
  device_[*address] = bytes;
  return pointer_to(*address);
}

void* Memory::allocate_host(std::size_t bytes, Kind kind, unsigned flags) {
  const std::size_t rounded = (bytes + kPage - 1) / kPage * kPage;
  void* host = std::aligned_alloc(kPage, rounded);
  if (host == nullptr) throw CudaError(kOutOfMemory);
  std::memset(host, 0, bytes);
  const std::span<std::byte> view(static_cast<std::byte*>(host), bytes);
  if (!global_.map(number_of(host), view)) {
    std::free(host);
    throw CudaError(kOutOfMemory, "host memory overlaps memory that is mapped already");
  }
  host_[number_of(host)] = {kind, bytes, flags, true};
  return host;
}

void Memory::register_host(void* host, std::size_t bytes, unsigned flags) {
  if (host == nullptr || bytes == 0) throw CudaError(kInvalidValue);
  if (!global_.map(number_of(host), {static_cast<std::byte*>(host), bytes})) {
    throw CudaError(kHostMemoryAlreadyRegistered);
  }
  host_[number_of(host)] = {Kind::registered, bytes, flags, false};
}

void* Memory::map_variable(std::uint64_t address) {
  const machine::GlobalMemory::View view = global_.view(address);
  std::byte* host = view.data + (address - view.address);
  const std::size_t bytes = view.size - (address - view.address);
  if (global_.map(number_of(host), {host, bytes})) {
    host_[number_of(host)] = {Kind::managed, bytes, 0, false};
  }
  return host;
}

void Memory::unmap(std::uint64_t address) {
  if (host_.erase(address) != 0) global_.free(address);
}

void Memory::free(void* address, bool host) {
  if (address == nullptr) return;
  const std::uint64_t at = number_of(address);
  const auto block = host_.find(at);
  if (block != host_.end() && block->second.owned) {
    global_.free(at);
    host_.erase(block);
    std::free(address);
    return;
  }
  if (host || device_.erase(at) == 0) {
    throw CudaError(kInvalidValue, machine::hex(at) + " is not the start of " +
                                       (host ? "pinned host" : "device") + " memory in use");
  }
  global_.free(at);
}

void Memory::unregister_host(void* host) {
  const auto block = host_.find(number_of(host));
  if (block == host_.end() || block->second.kind != Kind::registered) {
    throw CudaError(kHostMemoryNotRegistered);
  }
  global_.free(block->first);
  host_.erase(block);
}

void Memory::free_all() {
  for (const auto& [address, bytes] : device_) global_.free(address);
  device_.clear();
  for (const auto& [address, block] : host_) {
    global_.free(address);
    if (block.owned) std::free(pointer_to(address));
  }
  host_.clear();
}

std::optional<Memory::Place> Memory::find(const void* address) const {
  const auto found = global_.find(number_of(address));
  if (!found) return std::nullopt;
  const auto block = host_.find(found->address);
  if (block == host_.end()) return Place{Kind::device, found->address, found->size, 0};
  return Place{block->second.kind, found->address, found->size, block->second.flags};
}

std::byte* Memory::host_bytes(const void* address, std::size_t bytes, const char* what) const {
  const std::uint64_t at = number_of(address);
  const machine::GlobalMemory::View view = global_.view(at);
  if (view.data == nullptr) {
    if (!is_device_address(address)) return static_cast<std::byte*>(const_cast<void*>(address));
    throw CudaError(kInvalidValue, std::string("the ") + what + " " + machine::hex(at) +
                                       " belongs to no allocation of the device");
  }
  const std::uint64_t offset = at - view.address;
  if (bytes > view.size - offset) {
    // Memory around a registered piece is the host's and may be copied.
    if (!is_device_address(address)) return view.data + offset;
    throw CudaError(kInvalidValue, std::string("the ") + what + ", " + std::to_string(bytes) +
                                       " bytes at " + machine::hex(at) + ", passes the end " +
                                       machine::hex(view.address + view.size) +
                                       " of its allocation");
  }
  return view.data + offset;
}

void Memory::copy(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  std::byte* target = host_bytes(to, bytes, "target");
  std::memmove(target, host_bytes(from, bytes, "source"), bytes);
}

void Memory::copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t height) const {
  if (width == 0 || height == 0) return;
  std::byte* target = host_bytes(to, (height - 1) * to_pitch + width, "target");
  const std::byte* source = host_bytes(from, (height - 1) * from_pitch + width, "source");
  for (std::size_t y = 0; y < height; ++y) {
    std::memmove(target + y * to_pitch, source + y * from_pitch, width);
  }
}

void Memory::fill(void* to, const void* value, std::size_t value_bytes, std::size_t count) const {
  if (count == 0) return;
  std::byte* target = host_bytes(to, value_bytes * count, "target");
  for (std::size_t i = 0; i < count; ++i) std::memcpy(target + i * value_bytes, value, value_bytes);
}

void check_direction(const Memory& memory, CopyKind kind, const void* to, const void* from) {
  const auto require = [&](const void* p, bool on_device, const char* what) {
    const auto place = memory.find(p);
    const bool device = is_device_address(p);
    // Pinned and managed memory is both.
    if (place && place->kind != Memory::Kind::device) return;
    if (device == on_device) return;
    throw CudaError(kInvalidValue, std::string("the ") + what + " " +
                                       machine::hex(reinterpret_cast<std::uintptr_t>(p)) + " is " +
                                       (device ? "device" : "host") +
                                       " memory, the direction says " +
                                       (on_device ? "device" : "host"));
  };
  const int k = static_cast<int>(kind);
  if (k < 0 || k > 4) throw CudaError(kInvalidCopyDirection);
  if (kind == CopyKind::any) return;
  require(to, kind == CopyKind::host_to_device || kind == CopyKind::device_to_device, "target");
  require(from, kind == CopyKind::device_to_host || kind == CopyKind::device_to_device, "source");
}

}  // namespace lc::runtime
