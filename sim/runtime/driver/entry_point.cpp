#include <dlfcn.h>

#include <string>

#include "sim/runtime/driver/call.h"

using namespace lc::runtime;
using namespace lc::runtime::driver;

namespace {

/// Names whose newer form has other arguments: what a caller of an older CUDA means.  Rows of one
/// name from new to old.
struct Renamed {
  const char* name;
  int since;  ///< CUDA version, 12050 for 12.5
  const char* symbol;
};
constexpr Renamed kRenamed[] = {
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxCreate", 0, "cuCtxCreate_v2"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuGetProcAddress", 0, "cuGetProcAddress"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
    {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
    {"cuMemAdvise", 0, "cuMemAdvise"},
    {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
    {"cuMemPrefetchAsync", 0, "cuMemPrefetchAsync"},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
    {"cuStreamGetCaptureInfo", 0, "cuStreamGetCaptureInfo_v2"},
};

/// This library, so that names of other ones are not found.
void* self() {
  static void* const handle = [] {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&self), &info) == 0)
      return static_cast<void*>(nullptr);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  return handle;
}

void* symbol_of(const std::string& name, int version) {
  for (const Renamed& row : kRenamed) {
    if (name == row.name && version >= row.since) return dlsym(self(), row.symbol);
  }
  for (const char* suffix : {"_v2", ""}) {
    if (void* const found = dlsym(self(), (name + suffix).c_str())) return found;
  }
  return nullptr;
}

}  // namespace

extern "C" {

/// Status: 0 found, 1 not found.
int cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t,
                        int* status) {
  return look("cuGetProcAddress", [&](Gpu&) {
    require(name != nullptr && function != nullptr, kInvalidValue);
    *function = symbol_of(name, version);
    if (status != nullptr) *status = *function != nullptr ? 0 : 1;
    require(*function != nullptr, kNotFound);
  });
}

int cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

/// Tables of NVIDIA's own libraries: none.
int cuGetExportTable(const void** table, const void*) {
  if (table != nullptr) *table = nullptr;
  return kNotFound;
}

}  // extern "C"
