#include "sim/runtime/driver/call.h"

using namespace lc::runtime;
using namespace lc::runtime::driver;

namespace {

constexpr std::size_t kPitch = 512;

void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

void allocate(Gpu& gpu, std::uint64_t* to, std::size_t bytes) {
  require(to != nullptr && bytes != 0, kInvalidValue);
  *to = reinterpret_cast<std::uintptr_t>(gpu.memory().allocate(bytes));
}

void allocate_host(Gpu& gpu, void** to, std::size_t bytes, Memory::Kind kind, unsigned flags) {
  require(to != nullptr && bytes != 0, kInvalidValue);
  *to = gpu.memory().allocate_host(bytes, kind, flags);
}

int pointer_attribute(Gpu& gpu, void* to, int attribute, std::uint64_t address) {
  const auto place = gpu.memory().find(pointer_to(address));
  if (!place) return kInvalidValue;
  const bool device = place->kind == Memory::Kind::device;
  switch (attribute) {
    case 1:  // context
      *static_cast<void**>(to) = context();
      return kSuccess;
    case 2:  // memory type: 1 host, 2 device
      *static_cast<unsigned*>(to) = device || place->kind == Memory::Kind::managed ? 2 : 1;
      return kSuccess;
    case 3:  // device pointer
    case 4:  // host pointer
      if (attribute == 4 && device) return kInvalidValue;
      *static_cast<std::uint64_t*>(to) = address;
      return kSuccess;
    case 8:  // is managed
      *static_cast<unsigned*>(to) = place->kind == Memory::Kind::managed;
      return kSuccess;
    case 9:  // device ordinal
      *static_cast<int*>(to) = 0;
      return kSuccess;
    case 11:  // start of the range
      *static_cast<std::uint64_t*>(to) = place->address;
      return kSuccess;
    case 12:  // its size
      *static_cast<std::size_t*>(to) = place->size;
      return kSuccess;
    case 13:  // mapped
      *static_cast<unsigned*>(to) = 1;
      return kSuccess;
    default:
      return kNotSupported;
  }
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(std::uint64_t* to, std::size_t bytes) {
  return call("cuMemAlloc", [&](Gpu& gpu) { allocate(gpu, to, bytes); });
}

int cuMemAllocAsync(std::uint64_t* to, std::size_t bytes, void* stream) {
  return call("cuMemAllocAsync", [&](Gpu& gpu) {
    gpu.stream(stream);
    allocate(gpu, to, bytes);
  });
}

int cuMemFree_v2(std::uint64_t address) {
  return call("cuMemFree", [&](Gpu& gpu) { gpu.memory().free(pointer_to(address), false); });
}

int cuMemFreeAsync(std::uint64_t address, void*) {
  return cuMemFree_v2(address);
}

int cuMemAllocPitch_v2(std::uint64_t* to, std::size_t* pitch, std::size_t width, std::size_t height,
                       unsigned) {
  return call("cuMemAllocPitch", [&](Gpu& gpu) {
    give(pitch, (width + kPitch - 1) / kPitch * kPitch);
    allocate(gpu, to, *pitch * height);
  });
}

int cuMemAllocManaged(void** to, std::size_t bytes, unsigned flags) {
  return call("cuMemAllocManaged",
              [&](Gpu& gpu) { allocate_host(gpu, to, bytes, Memory::Kind::managed, flags); });
}

int cuMemAllocHost_v2(void** to, std::size_t bytes) {
  return call("cuMemAllocHost",
              [&](Gpu& gpu) { allocate_host(gpu, to, bytes, Memory::Kind::pinned, 0); });
}

int cuMemHostAlloc(void** to, std::size_t bytes, unsigned flags) {
  return call("cuMemHostAlloc",
              [&](Gpu& gpu) { allocate_host(gpu, to, bytes, Memory::Kind::pinned, flags); });
}

int cuMemFreeHost(void* address) {
  return call("cuMemFreeHost", [&](Gpu& gpu) { gpu.memory().free(address, true); });
}

int cuMemHostRegister_v2(void* host, std::size_t bytes, unsigned flags) {
  return call("cuMemHostRegister",
              [&](Gpu& gpu) { gpu.memory().register_host(host, bytes, flags); });
}

int cuMemHostUnregister(void* host) {
  return call("cuMemHostUnregister", [&](Gpu& gpu) { gpu.memory().unregister_host(host); });
}

int cuMemHostGetDevicePointer_v2(std::uint64_t* to, void* host, unsigned) {
  return call("cuMemHostGetDevicePointer", [&](Gpu& gpu) {
    const auto place = gpu.memory().find(host);
    require(place && place->kind != Memory::Kind::device, kInvalidValue);
    give<std::uint64_t>(to, reinterpret_cast<std::uintptr_t>(host));
  });
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return call("cuMemGetInfo", [&](Gpu& gpu) {
    give<std::size_t>(total, gpu.memory_bytes());
    give<std::size_t>(free, gpu.memory_bytes() - gpu.memory().global().used());
  });
}

int cuMemGetAddressRange_v2(std::uint64_t* base, std::size_t* bytes, std::uint64_t address) {
  return call("cuMemGetAddressRange", [&](Gpu& gpu) {
    const auto place = gpu.memory().find(pointer_to(address));
    require(place.has_value(), kNotFound);
    if (base != nullptr) *base = place->address;
    if (bytes != nullptr) *bytes = place->size;
  });
}

int cuPointerGetAttribute(void* to, int attribute, std::uint64_t address) {
  return call("cuPointerGetAttribute", [&](Gpu& gpu) {
    require(to != nullptr, kInvalidValue);
    const int code = pointer_attribute(gpu, to, attribute, address);
    require(code == kSuccess, code);
  });
}

int cuPointerGetAttributes(unsigned count, const int* attributes, void** to,
                           std::uint64_t address) {
  return call("cuPointerGetAttributes", [&](Gpu& gpu) {
    for (unsigned i = 0; i < count; ++i) pointer_attribute(gpu, to[i], attributes[i], address);
  });
}

}  // extern "C"
