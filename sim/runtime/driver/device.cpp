#include <cstring>

#include "sim/runtime/driver/call.h"

using namespace lc::runtime;
using namespace lc::runtime::driver;

namespace {

void require_device(int device) {
  require(device == 0, kInvalidDevice, "there is one device, 0");
}

int& contexts_on_stack() {
  thread_local int count = 0;
  return count;
}

int enter(const char* function, void** to) {
  return call(function, [&](Gpu&) {
    give(to, context());
    contexts_on_stack() = 1;
  });
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return look("cuInit", [](Gpu&) {});
}

int cuDriverGetVersion(int* version) {
  return look("cuDriverGetVersion", [&](Gpu&) { give(version, 13000); });
}

int cuDeviceGetCount(int* count) {
  return call("cuDeviceGetCount", [&](Gpu&) { give(count, 1); });
}

int cuDeviceGet(int* device, int ordinal) {
  return call("cuDeviceGet", [&](Gpu&) {
    require_device(ordinal);
    give(device, 0);
  });
}

int cuDeviceGetName(char* name, int bytes, int device) {
  return call("cuDeviceGetName", [&](Gpu& gpu) {
    require_device(device);
    require(name != nullptr && bytes > 0, kInvalidValue);
    std::strncpy(name, gpu.device().name, static_cast<std::size_t>(bytes));
    name[bytes - 1] = '\0';
  });
}

int cuDeviceGetUuid_v2(char* uuid, int device) {
  return call("cuDeviceGetUuid", [&](Gpu& gpu) {
    require_device(device);
    require(uuid != nullptr, kInvalidValue);
    std::strncpy(uuid, gpu.device().target, 16);
  });
}

int cuDeviceGetUuid(char* uuid, int device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return call("cuDeviceTotalMem", [&](Gpu& gpu) {
    require_device(device);
    give<std::size_t>(bytes, gpu.memory_bytes());
  });
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return call("cuDeviceGetAttribute", [&](Gpu& gpu) {
    require_device(device);
    const auto known = gpu.device().attribute(attribute);
    require(known.has_value(), kInvalidValue);
    give(value, *known);
  });
}

int cuDeviceComputeCapability(int* major, int* minor, int device) {
  return call("cuDeviceComputeCapability", [&](Gpu& gpu) {
    require_device(device);
    give(major, gpu.device().attribute(kMajor).value_or(0));
    give(minor, gpu.device().attribute(kMinor).value_or(0));
  });
}

int cuDeviceCanAccessPeer(int* can, int, int) {
  return call("cuDeviceCanAccessPeer", [&](Gpu&) { give(can, 0); });
}

int cuDevicePrimaryCtxRetain(void** to, int device) {
  return call("cuDevicePrimaryCtxRetain", [&](Gpu&) {
    require_device(device);
    give(to, context());
  });
}

int cuDevicePrimaryCtxRelease_v2(int) {
  return look("cuDevicePrimaryCtxRelease", [](Gpu&) {});
}

int cuDevicePrimaryCtxReset_v2(int) {
  return look("cuDevicePrimaryCtxReset", [](Gpu& gpu) { gpu.reset(); });
}

int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) {
  return call("cuDevicePrimaryCtxSetFlags", [](Gpu&) {});
}

int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  return call("cuDevicePrimaryCtxGetState", [&](Gpu&) {
    give(flags, 0U);
    give(active, 1);
  });
}

int cuCtxCreate_v2(void** to, unsigned, int) {
  return enter("cuCtxCreate", to);
}

int cuCtxCreate_v4(void** to, void*, unsigned, int) {
  return enter("cuCtxCreate", to);
}

int cuCtxDestroy_v2(void*) {
  return look("cuCtxDestroy", [](Gpu&) { contexts_on_stack() = 0; });
}

int cuCtxSetCurrent(void* to) {
  return call("cuCtxSetCurrent", [&](Gpu&) { contexts_on_stack() = to != nullptr ? 1 : 0; });
}

int cuCtxGetCurrent(void** to) {
  return call("cuCtxGetCurrent",
              [&](Gpu&) { give(to, contexts_on_stack() > 0 ? context() : nullptr); });
}

int cuCtxPushCurrent_v2(void*) {
  return call("cuCtxPushCurrent", [](Gpu&) { ++contexts_on_stack(); });
}

int cuCtxPopCurrent_v2(void** to) {
  return call("cuCtxPopCurrent", [&](Gpu&) {
    require(contexts_on_stack() > 0, kInvalidContext);
    --contexts_on_stack();
    if (to != nullptr) *to = context();
  });
}

int cuCtxGetDevice(int* device) {
  return call("cuCtxGetDevice", [&](Gpu&) { give(device, 0); });
}

int cuCtxGetApiVersion(void*, unsigned* version) {
  return call("cuCtxGetApiVersion", [&](Gpu&) { give(version, 13000U); });
}

int cuCtxSynchronize() {
  return call("cuCtxSynchronize", [](Gpu&) {});
}

int cuCtxSetLimit(int limit, std::size_t value) {
  return call("cuCtxSetLimit", [&](Gpu& gpu) { gpu.limits[limit] = value; });
}

int cuCtxGetLimit(std::size_t* value, int limit) {
  return call("cuCtxGetLimit", [&](Gpu& gpu) { give(value, gpu.limits[limit]); });
}

int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return call("cuCtxGetStreamPriorityRange", [&](Gpu&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

int cuCtxSetCacheConfig(int) {
  return call("cuCtxSetCacheConfig", [](Gpu&) {});
}

int cuProfilerStart() {
  return call("cuProfilerStart", [](Gpu&) {});
}

int cuProfilerStop() {
  return call("cuProfilerStop", [](Gpu&) {});
}

}  // extern "C"
