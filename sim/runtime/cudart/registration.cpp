#include <cstring>
#include <map>

#include "sim/runtime/cudart/call.h"

// What nvcc's host code calls before main (crt/host_runtime.h of CUDA 13).  The handle of a fat
// binary is our Library; host addresses of kernels and variables are only names.
namespace lc::runtime::cudart {
namespace {

struct Variable {
  Library* library = nullptr;
  std::string name;
  std::size_t bytes = 0;
  bool managed = false;
};

struct Registered {
  std::map<const void*, Kernel*> kernels;
  std::map<const void*, Variable> variables;
};

/// Filled from constructors of any order, used until exit.
Registered& registered() {
  static Registered* const instance = new Registered;
  return *instance;
}

struct CallConfiguration {
  abi::Dim3 grid, block;
  std::size_t shared = 0;
  void* stream = nullptr;
};

std::vector<CallConfiguration>& configurations() {
  thread_local std::vector<CallConfiguration> stack;
  return stack;
}

void forget(const Library* library) {
  std::erase_if(registered().kernels, [&](const auto& k) { return k.second->library == library; });
  std::erase_if(registered().variables, [&](const auto& v) { return v.second.library == library; });
}

}  // namespace

Kernel& kernel_of(Gpu& gpu, const void* host_function) {
  const auto at = registered().kernels.find(host_function);
  if (at != registered().kernels.end()) {
    return gpu.kernel(*at->second->library, at->second->name, kInvalidDeviceFunction);
  }
  // cudaKernel_t is taken wherever a host function is.
  auto* kernel = static_cast<Kernel*>(const_cast<void*>(host_function));
  require(gpu.knows(kernel), kInvalidDeviceFunction, "this is no kernel of the program");
  return *kernel;
}

HostVariable variable_of(Gpu& gpu, const void* host_variable) {
  const auto at = registered().variables.find(host_variable);
  require(at != registered().variables.end(), kInvalidSymbol,
          "this is no __device__ or __constant__ variable of the program");
  const Variable& variable = at->second;
  const isa::LoadedModule& module = gpu.loaded(*variable.library);
  if (variable.managed) {
    return {*static_cast<void**>(const_cast<void*>(host_variable)), variable.bytes};
  }
  const auto symbol = module.variable(variable.name);
  if (!symbol) {
    throw CudaError(kInvalidSymbol, "there is no variable `" + variable.name + "` in the module");
  }
  return {reinterpret_cast<void*>(symbol->address), symbol->size};
}

}  // namespace lc::runtime::cudart

using namespace lc::runtime;
using namespace lc::runtime::cudart;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Library* library = nullptr;
  look("__cudaRegisterFatBinary", [&](Gpu& gpu) { library = &gpu.add_library(wrapper); });
  return reinterpret_cast<void**>(library);
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  look("__cudaUnregisterFatBinary", [&](Gpu& gpu) {
    auto* const library = reinterpret_cast<Library*>(handle);
    if (!gpu.knows(library)) return;
    forget(library);
    gpu.remove_library(library);
  });
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*,
                            void*, void*, void*, int*) {
  look("__cudaRegisterFunction", [&](Gpu&) {
    registered().kernels[host] = &reinterpret_cast<Library*>(handle)->declare(name);
  });
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes,
                       int, int) {
  look("__cudaRegisterVar", [&](Gpu&) {
    registered().variables[host] = {reinterpret_cast<Library*>(handle), name, bytes, false};
  });
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int,
                              std::size_t bytes, int, int) {
  look("__cudaRegisterManagedVar", [&](Gpu&) {
    auto* const library = reinterpret_cast<Library*>(handle);
    registered().variables[host] = {library, name, bytes, true};
    library->managed.push_back({name, host});
  });
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

/// Called before the host touches a managed variable.
char __cudaInitModule(void** handle) {
  const int code =
      call("__cudaInitModule", [&](Gpu& gpu) { gpu.loaded(*reinterpret_cast<Library*>(handle)); });
  return static_cast<char>(code == kSuccess);
}

unsigned __cudaPushCallConfiguration(abi::Dim3 grid, abi::Dim3 block, std::size_t shared,
                                     void* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

int __cudaPopCallConfiguration(abi::Dim3* grid, abi::Dim3* block, std::size_t* shared,
                               void* stream) {
  if (configurations().empty()) return 52;  // cudaErrorMissingConfiguration
  const CallConfiguration& top = configurations().back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  std::memcpy(stream, &top.stream, sizeof top.stream);
  configurations().pop_back();
  return kSuccess;
}

int __cudaGetKernel(void** kernel, const void* host) {
  const auto at = registered().kernels.find(host);
  if (at == registered().kernels.end()) return kInvalidDeviceFunction;
  *kernel = at->second;
  return kSuccess;
}

int cudaGetKernel(void** kernel, const void* host) {
  return call("cudaGetKernel", [&](Gpu& gpu) { give<void*>(kernel, &kernel_of(gpu, host)); });
}

int cudaGetFuncBySymbol(void** function, const void* host) {
  return call("cudaGetFuncBySymbol",
              [&](Gpu& gpu) { give<void*>(function, &kernel_of(gpu, host)); });
}

int cudaGetSymbolAddress(void** address, const void* symbol) {
  return call("cudaGetSymbolAddress",
              [&](Gpu& gpu) { give(address, variable_of(gpu, symbol).address); });
}

int cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call("cudaGetSymbolSize", [&](Gpu& gpu) { give(bytes, variable_of(gpu, symbol).bytes); });
}

}  // extern "C"
