#include "sim/runtime/driver/call.h"
#include "sim/runtime/file_image.h"
#include "sim/runtime/function.h"

// A CUmodule and a CUlibrary are our Library, a CUfunction and a CUkernel our Kernel.  Options of
// the just-in-time compiler are ignored: nothing is compiled.
using namespace lc::runtime;
using namespace lc::runtime::driver;

namespace {

int load(const char* function, void** to, const void* image) {
  return call(function, [&](Gpu& gpu) {
    require(to != nullptr && image != nullptr, kInvalidValue);
    Library& library = gpu.add_library(image);
    try {
      gpu.loaded(library);
    } catch (...) {
      gpu.remove_library(&library);
      throw;
    }
    library.forget_image();
    *to = &library;
  });
}

int find_kernel(const char* function, void** to, void* library, const char* name) {
  return call(function, [&](Gpu& gpu) {
    require(name != nullptr, kInvalidValue);
    give<void*>(to, &gpu.kernel(library_of(gpu, library), name, kNotFound));
  });
}

int find_variable(const char* function, std::uint64_t* address, std::size_t* bytes, void* library,
                  const char* name) {
  return call(function, [&](Gpu& gpu) {
    require(name != nullptr, kInvalidValue);
    const auto symbol = gpu.loaded(library_of(gpu, library)).variable(name);
    require(symbol.has_value(), kNotFound);
    if (address != nullptr) *address = symbol->address;
    if (bytes != nullptr) *bytes = symbol->size;
  });
}

int kernel_count(const char* function, unsigned* count, void* library) {
  return call(function, [&](Gpu& gpu) {
    give(count, static_cast<unsigned>(library_of(gpu, library).kernels().size()));
  });
}

int enumerate(const char* function, void** kernels, unsigned count, void* library) {
  return call(function, [&](Gpu& gpu) {
    const auto all = library_of(gpu, library).kernels();
    for (std::size_t i = 0; i < count && i < all.size(); ++i) kernels[i] = all[i];
  });
}

}  // namespace

extern "C" {

int cuModuleLoadData(void** module, const void* image) {
  return load("cuModuleLoadData", module, image);
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned, const int*, void**) {
  return load("cuModuleLoadDataEx", module, image);
}

int cuModuleLoadFatBinary(void** module, const void* image) {
  return load("cuModuleLoadFatBinary", module, image);
}

int cuModuleLoad(void** module, const char* path) {
  return call("cuModuleLoad", [&](Gpu& gpu) { give<void*>(module, &load_file(gpu, path)); });
}

int cuModuleUnload(void* module) {
  return call("cuModuleUnload", [&](Gpu& gpu) { gpu.remove_library(&library_of(gpu, module)); });
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  return find_kernel("cuModuleGetFunction", function, module, name);
}

int cuModuleGetGlobal_v2(std::uint64_t* address, std::size_t* bytes, void* module,
                         const char* name) {
  return find_variable("cuModuleGetGlobal", address, bytes, module, name);
}

int cuModuleGetFunctionCount(unsigned* count, void* module) {
  return kernel_count("cuModuleGetFunctionCount", count, module);
}

int cuModuleEnumerateFunctions(void** functions, unsigned count, void* module) {
  return enumerate("cuModuleEnumerateFunctions", functions, count, module);
}

int cuModuleGetLoadingMode(int* mode) {
  return call("cuModuleGetLoadingMode", [&](Gpu&) { give(mode, 2); });  // lazy
}

int cuLibraryLoadData(void** library, const void* image, const int*, void**, unsigned, const int*,
                      void**, unsigned) {
  return load("cuLibraryLoadData", library, image);
}

int cuLibraryLoadFromFile(void** library, const char* path, const int*, void**, unsigned,
                          const int*, void**, unsigned) {
  return call("cuLibraryLoadFromFile",
              [&](Gpu& gpu) { give<void*>(library, &load_file(gpu, path)); });
}

int cuLibraryUnload(void* library) {
  return call("cuLibraryUnload", [&](Gpu& gpu) { gpu.remove_library(&library_of(gpu, library)); });
}

int cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  return find_kernel("cuLibraryGetKernel", kernel, library, name);
}

int cuLibraryGetKernelCount(unsigned* count, void* library) {
  return kernel_count("cuLibraryGetKernelCount", count, library);
}

int cuLibraryEnumerateKernels(void** kernels, unsigned count, void* library) {
  return enumerate("cuLibraryEnumerateKernels", kernels, count, library);
}

int cuLibraryGetModule(void** module, void* library) {
  return call("cuLibraryGetModule",
              [&](Gpu& gpu) { give<void*>(module, &library_of(gpu, library)); });
}

int cuLibraryGetGlobal(std::uint64_t* address, std::size_t* bytes, void* library,
                       const char* name) {
  return find_variable("cuLibraryGetGlobal", address, bytes, library, name);
}

int cuKernelGetFunction(void** function, void* kernel) {
  return call("cuKernelGetFunction",
              [&](Gpu& gpu) { give<void*>(function, &kernel_of(gpu, kernel)); });
}

int cuKernelGetLibrary(void** library, void* kernel) {
  return call("cuKernelGetLibrary",
              [&](Gpu& gpu) { give<void*>(library, kernel_of(gpu, kernel).library); });
}

int cuFuncGetModule(void** module, void* function) {
  return call("cuFuncGetModule",
              [&](Gpu& gpu) { give<void*>(module, kernel_of(gpu, function).library); });
}

int cuFuncGetName(const char** name, void* function) {
  return call("cuFuncGetName",
              [&](Gpu& gpu) { give(name, kernel_of(gpu, function).name.c_str()); });
}

int cuKernelGetName(const char** name, void* kernel) {
  return cuFuncGetName(name, kernel);
}

int cuFuncGetParamInfo(void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return call("cuFuncGetParamInfo", [&](Gpu& gpu) {
    const auto place = parameter_of(gpu, kernel_of(gpu, function), index);
    give<std::size_t>(offset, place.offset);
    if (bytes != nullptr) *bytes = place.size;
  });
}

int cuKernelGetParamInfo(void* kernel, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return cuFuncGetParamInfo(kernel, index, offset, bytes);
}

int cuFuncGetAttribute(int* value, int attribute, void* function) {
  return call("cuFuncGetAttribute", [&](Gpu& gpu) {
    give(value, attribute_of(gpu, kernel_of(gpu, function), attribute));
  });
}

int cuFuncSetAttribute(void* function, int attribute, int value) {
  return call("cuFuncSetAttribute",
              [&](Gpu& gpu) { set_attribute(gpu, kernel_of(gpu, function), attribute, value); });
}

int cuKernelGetAttribute(int* value, int attribute, void* kernel, int) {
  return cuFuncGetAttribute(value, attribute, kernel);
}

int cuKernelSetAttribute(int attribute, int value, void* kernel, int) {
  return cuFuncSetAttribute(kernel, attribute, value);
}

int cuFuncSetCacheConfig(void* function, int) {
  return call("cuFuncSetCacheConfig", [&](Gpu& gpu) { kernel_of(gpu, function); });
}

int cuFuncLoad(void* function) {
  return call("cuFuncLoad", [&](Gpu& gpu) { gpu.loaded(*kernel_of(gpu, function).library); });
}

int cuFuncIsLoaded(int* state, void* function) {
  return call("cuFuncIsLoaded", [&](Gpu& gpu) {
    give(state, kernel_of(gpu, function).library->is_loaded() ? 1 : 0);
  });
}

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, void* function, int threads,
                                                         std::size_t shared, unsigned) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&](Gpu& gpu) {
    give(ctas, resident_ctas(gpu, kernel_of(gpu, function), threads, shared));
  });
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, void* function, int threads,
                                                std::size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, function, threads, shared, 0);
}

int cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* threads, void* function,
                                              std::size_t (*shared_of)(int), std::size_t shared,
                                              int limit, unsigned) {
  return call("cuOccupancyMaxPotentialBlockSize", [&](Gpu& gpu) {
    const BestBlock best = best_block(gpu, kernel_of(gpu, function), shared_of, shared, limit);
    give(grid, best.grid);
    give(threads, best.threads);
  });
}

int cuOccupancyMaxPotentialBlockSize(int* grid, int* threads, void* function,
                                     std::size_t (*shared_of)(int), std::size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, threads, function, shared_of, shared,
                                                   limit, 0);
}

int cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, void* function, int ctas, int) {
  return call("cuOccupancyAvailableDynamicSMemPerBlock", [&](Gpu& gpu) {
    give(bytes, available_shared(gpu, kernel_of(gpu, function), ctas));
  });
}

}  // extern "C"
