#include "sim/runtime/library.h"

#include <dlfcn.h>

#include <fstream>
#include <iterator>

#include "sim/runtime/cudart/call.h"
#include "sim/runtime/file_image.h"

using namespace lc::runtime;
using namespace lc::runtime::cudart;

namespace {

Library& library_of(Gpu& gpu, void* handle) {
  auto* const library = static_cast<Library*>(handle);
  require(gpu.knows(library), kInvalidHandle);
  return *library;
}

/// The driver is asked as any program would ask it.
int entry_point(const char* symbol, void** function, unsigned version, unsigned long long flags,
                int* status) {
  using GetProcAddress = int (*)(const char*, void**, int, std::uint64_t, int*);
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  require(driver != nullptr, 35, "libcuda.so.1 of the virtual GPU cannot be loaded");
  const auto get = reinterpret_cast<GetProcAddress>(dlsym(driver, "cuGetProcAddress_v2"));
  require(get != nullptr, 35, "libcuda.so.1 is not the virtual GPU's");
  int found = 1;
  get(symbol, function, static_cast<int>(version), flags, &found);
  if (status != nullptr) *status = found;
  return found == 0 || status != nullptr ? kSuccess : kNotFound;
}

}  // namespace

extern "C" {

int cudaLibraryLoadData(void** library, const void* code, const int*, void**, unsigned, const int*,
                        void**, unsigned) {
  return call("cudaLibraryLoadData", [&](Gpu& gpu) {
    Library& made = gpu.add_library(code);
    give<void*>(library, &made);
    gpu.loaded(made);
    made.forget_image();
  });
}

int cudaLibraryLoadFromFile(void** library, const char* path, const int*, void**, unsigned,
                            const int*, void**, unsigned) {
  return call("cudaLibraryLoadFromFile",
              [&](Gpu& gpu) { give<void*>(library, &load_file(gpu, path)); });
}

int cudaLibraryUnload(void* library) {
  return call("cudaLibraryUnload",
              [&](Gpu& gpu) { gpu.remove_library(&library_of(gpu, library)); });
}

int cudaLibraryGetKernel(void** kernel, void* library, const char* name) {
  return call("cudaLibraryGetKernel", [&](Gpu& gpu) {
    give<void*>(kernel, &gpu.kernel(library_of(gpu, library), name, kNotFound));
  });
}

int cudaLibraryGetKernelCount(unsigned* count, void* library) {
  return call("cudaLibraryGetKernelCount", [&](Gpu& gpu) {
    give(count, static_cast<unsigned>(library_of(gpu, library).kernels().size()));
  });
}

int cudaLibraryEnumerateKernels(void** kernels, unsigned count, void* library) {
  return call("cudaLibraryEnumerateKernels", [&](Gpu& gpu) {
    const auto all = library_of(gpu, library).kernels();
    for (std::size_t i = 0; i < count && i < all.size(); ++i) kernels[i] = all[i];
  });
}

int cudaLibraryGetGlobal(void** address, std::size_t* bytes, void* library, const char* name) {
  return call("cudaLibraryGetGlobal", [&](Gpu& gpu) {
    const auto symbol = gpu.loaded(library_of(gpu, library)).variable(name);
    require(symbol.has_value(), kNotFound);
    if (address != nullptr) *address = reinterpret_cast<void*>(symbol->address);
    if (bytes != nullptr) *bytes = symbol->size;
  });
}

int cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                     unsigned long long flags, int* status) {
  return look("cudaGetDriverEntryPointByVersion", [&](Gpu&) {
    const int code = entry_point(symbol, function, version, flags, status);
    require(code == kSuccess, code);
  });
}

int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                            int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, 13000, flags, status);
}

}  // extern "C"
