#include <cstring>

#include "sim/runtime/cudart/call.h"

using namespace lc::runtime;
using namespace lc::runtime::cudart;

namespace {

constexpr int kVersion = 13000;  ///< CUDA 13.0

void require_device(int device) {
  require(device == 0, kInvalidDevice, "there is one device, 0");
}

/// Programs ask for limits only to raise them.
std::size_t default_limit(int limit) {
  constexpr std::size_t kOfH200[] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480};
  return limit >= 0 && limit < 7 ? kOfH200[limit] : 0;
}

}  // namespace

extern "C" {

int cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", [&](Gpu&) { give(count, 1); });
}

int cudaGetDevice(int* device) {
  return call("cudaGetDevice", [&](Gpu&) { give(device, 0); });
}

int cudaSetDevice(int device) {
  return call("cudaSetDevice", [&](Gpu&) { require_device(device); });
}

int cudaInitDevice(int device, unsigned, unsigned) {
  return call("cudaInitDevice", [&](Gpu&) { require_device(device); });
}

int cudaChooseDevice(int* device, const abi::DeviceProperties*) {
  return call("cudaChooseDevice", [&](Gpu&) { give(device, 0); });
}

int cudaSetDeviceFlags(unsigned) {
  return call("cudaSetDeviceFlags", [](Gpu&) {});
}

int cudaGetDeviceFlags(unsigned* flags) {
  return call("cudaGetDeviceFlags", [&](Gpu&) { give(flags, 8U); });  // cudaDeviceMapHost
}

int cudaGetDeviceProperties(abi::DeviceProperties* to, int device) {
  return call("cudaGetDeviceProperties", [&](Gpu& gpu) {
    require_device(device);
    give(to, properties_of(gpu.device(), gpu.memory_bytes()));
  });
}

int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return call("cudaDeviceGetAttribute", [&](Gpu& gpu) {
    require_device(device);
    const auto known = gpu.device().attribute(attribute);
    require(known.has_value(), kInvalidValue);
    give(value, *known);
  });
}

int cudaDeviceReset() {
  const int code = look("cudaDeviceReset", [](Gpu& gpu) { gpu.reset(); });
  last_error() = 0;
  return code;
}

int cudaDriverGetVersion(int* version) {
  return look("cudaDriverGetVersion", [&](Gpu&) { give(version, kVersion); });
}

int cudaRuntimeGetVersion(int* version) {
  return look("cudaRuntimeGetVersion", [&](Gpu&) { give(version, kVersion); });
}

int cudaDeviceGetLimit(std::size_t* value, int limit) {
  return call("cudaDeviceGetLimit", [&](Gpu& gpu) {
    const auto set = gpu.limits.find(limit);
    give(value, set != gpu.limits.end() ? set->second : default_limit(limit));
  });
}

int cudaDeviceSetLimit(int limit, std::size_t value) {
  return call("cudaDeviceSetLimit", [&](Gpu& gpu) { gpu.limits[limit] = value; });
}

int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", [&](Gpu&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

int cudaDeviceGetPCIBusId(char* text, int size, int device) {
  return call("cudaDeviceGetPCIBusId", [&](Gpu&) {
    require_device(device);
    require(text != nullptr && size >= 13, kInvalidValue);
    std::memcpy(text, "0000:00:00.0", 13);
  });
}

int cudaDeviceGetByPCIBusId(int* device, const char*) {
  return call("cudaDeviceGetByPCIBusId", [&](Gpu&) { give(device, 0); });
}

int cudaDeviceCanAccessPeer(int* can, int, int) {
  return call("cudaDeviceCanAccessPeer", [&](Gpu&) { give(can, 0); });
}

int cudaDeviceGetCacheConfig(int* config) {
  return call("cudaDeviceGetCacheConfig", [&](Gpu&) { give(config, 0); });
}

int cudaDeviceSetCacheConfig(int) {
  return call("cudaDeviceSetCacheConfig", [](Gpu&) {});
}

int cudaCtxResetPersistingL2Cache() {
  return call("cudaCtxResetPersistingL2Cache", [](Gpu&) {});
}

int cudaProfilerStart() {
  return call("cudaProfilerStart", [](Gpu&) {});
}

int cudaProfilerStop() {
  return call("cudaProfilerStop", [](Gpu&) {});
}

}  // extern "C"
