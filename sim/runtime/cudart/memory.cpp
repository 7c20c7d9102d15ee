#include "sim/runtime/cudart/call.h"

using namespace lc::runtime;
using namespace lc::runtime::cudart;

namespace {

constexpr std::size_t kPitch = 512;  ///< bytes (cudaDevAttrTextureAlignment)

std::size_t pitched(std::size_t width) {
  return (width + kPitch - 1) / kPitch * kPitch;
}

void allocate(Gpu& gpu, void** to, std::size_t bytes) {
  require(to != nullptr, kInvalidValue);
  *to = nullptr;
  if (bytes != 0) *to = gpu.memory().allocate(bytes);
}

void allocate_host(Gpu& gpu, void** to, std::size_t bytes, Memory::Kind kind, unsigned flags) {
  require(to != nullptr, kInvalidValue);
  *to = nullptr;
  if (bytes != 0) *to = gpu.memory().allocate_host(bytes, kind, flags);
}

/// Memory pools are one: the device's.  Handles are its address.
int default_pool = 0;

}  // namespace

extern "C" {

int cudaMalloc(void** to, std::size_t bytes) {
  return call("cudaMalloc", [&](Gpu& gpu) { allocate(gpu, to, bytes); });
}

int cudaFree(void* address) {
  return call("cudaFree", [&](Gpu& gpu) { gpu.memory().free(address, false); });
}

int cudaMallocAsync(void** to, std::size_t bytes, void* stream) {
  return call("cudaMallocAsync", [&](Gpu& gpu) {
    require(!gpu.stream(stream).capture, kNotSupported,
            "allocations inside a graph are not part of the virtual GPU");
    allocate(gpu, to, bytes);
  });
}

int cudaFreeAsync(void* address, void* stream) {
  return call("cudaFreeAsync", [&](Gpu& gpu) {
    require(!gpu.stream(stream).capture, kNotSupported,
            "allocations inside a graph are not part of the virtual GPU");
    gpu.memory().free(address, false);
  });
}

int cudaMallocFromPoolAsync(void** to, std::size_t bytes, void*, void* stream) {
  return cudaMallocAsync(to, bytes, stream);
}

int cudaMallocManaged(void** to, std::size_t bytes, unsigned flags) {
  return call("cudaMallocManaged",
              [&](Gpu& gpu) { allocate_host(gpu, to, bytes, Memory::Kind::managed, flags); });
}

int cudaMallocHost(void** to, std::size_t bytes) {
  return call("cudaMallocHost",
              [&](Gpu& gpu) { allocate_host(gpu, to, bytes, Memory::Kind::pinned, 0); });
}

int cudaHostAlloc(void** to, std::size_t bytes, unsigned flags) {
  return call("cudaHostAlloc",
              [&](Gpu& gpu) { allocate_host(gpu, to, bytes, Memory::Kind::pinned, flags); });
}

int cudaFreeHost(void* address) {
  return call("cudaFreeHost", [&](Gpu& gpu) { gpu.memory().free(address, true); });
}

int cudaHostRegister(void* host, std::size_t bytes, unsigned flags) {
  return call("cudaHostRegister",
              [&](Gpu& gpu) { gpu.memory().register_host(host, bytes, flags); });
}

int cudaHostUnregister(void* host) {
  return call("cudaHostUnregister", [&](Gpu& gpu) { gpu.memory().unregister_host(host); });
}

int cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call("cudaHostGetDevicePointer", [&](Gpu& gpu) {
    const auto place = gpu.memory().find(host);
    require(place && place->kind != Memory::Kind::device, kInvalidValue);
    give(device, host);
  });
}

int cudaHostGetFlags(unsigned* flags, void* host) {
  return call("cudaHostGetFlags", [&](Gpu& gpu) {
    const auto place = gpu.memory().find(host);
    require(place && place->kind != Memory::Kind::device, kInvalidValue);
    give(flags, place->flags);
  });
}

int cudaMallocPitch(void** to, std::size_t* pitch, std::size_t width, std::size_t height) {
  return call("cudaMallocPitch", [&](Gpu& gpu) {
    give(pitch, pitched(width));
    allocate(gpu, to, pitched(width) * height);
  });
}

int cudaMalloc3D(abi::PitchedPointer* to, abi::Extent extent) {
  return call("cudaMalloc3D", [&](Gpu& gpu) {
    require(to != nullptr, kInvalidValue);
    *to = {nullptr, pitched(extent.width), extent.width, extent.height};
    allocate(gpu, &to->pointer, to->pitch * extent.height * extent.depth);
  });
}

int cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", [&](Gpu& gpu) {
    give(total, static_cast<std::size_t>(gpu.memory_bytes()));
    give(free, static_cast<std::size_t>(gpu.memory_bytes() - gpu.memory().global().used()));
  });
}

int cudaPointerGetAttributes(abi::PointerAttributes* to, const void* pointer) {
  return call("cudaPointerGetAttributes", [&](Gpu& gpu) {
    require(to != nullptr, kInvalidValue);
    *to = {};
    auto* const address = const_cast<void*>(pointer);
    const auto place = gpu.memory().find(pointer);
    if (!place) {
      to->device = -2;  // cudaInvalidDeviceId
      to->host_pointer = address;
      return;
    }
    const bool device = place->kind == Memory::Kind::device;
    const bool managed = place->kind == Memory::Kind::managed;
    to->type = device ? 2 : (managed ? 3 : 1);
    to->device_pointer = address;
    to->host_pointer = device ? nullptr : address;
  });
}

// Where memory lies makes no difference here.
int cudaMemPrefetchAsync(const void*, std::size_t, std::uint64_t, unsigned, void*) {
  return call("cudaMemPrefetchAsync", [](Gpu&) {});
}

int cudaMemAdvise(const void*, std::size_t, int, std::uint64_t) {
  return call("cudaMemAdvise", [](Gpu&) {});
}

int cudaStreamAttachMemAsync(void*, void*, std::size_t, unsigned) {
  return call("cudaStreamAttachMemAsync", [](Gpu&) {});
}

int cudaDeviceGetDefaultMemPool(void** pool, int) {
  return call("cudaDeviceGetDefaultMemPool", [&](Gpu&) { give<void*>(pool, &default_pool); });
}

int cudaDeviceGetMemPool(void** pool, int) {
  return call("cudaDeviceGetMemPool", [&](Gpu&) { give<void*>(pool, &default_pool); });
}

int cudaDeviceSetMemPool(int, void*) {
  return call("cudaDeviceSetMemPool", [](Gpu&) {});
}

int cudaMemPoolCreate(void** pool, const void*) {
  return call("cudaMemPoolCreate", [&](Gpu&) { give<void*>(pool, &default_pool); });
}

int cudaMemPoolDestroy(void*) {
  return call("cudaMemPoolDestroy", [](Gpu&) {});
}

int cudaMemPoolSetAttribute(void*, int, void*) {
  return call("cudaMemPoolSetAttribute", [](Gpu&) {});
}

int cudaMemPoolTrimTo(void*, std::size_t) {
  return call("cudaMemPoolTrimTo", [](Gpu&) {});
}

int cudaMemPoolSetAccess(void*, const void*, std::size_t) {
  return call("cudaMemPoolSetAccess", [](Gpu&) {});
}

}  // extern "C"
