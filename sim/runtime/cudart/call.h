#pragma once

#include <functional>

#include "sim/runtime/gpu.h"

// What every function of libcudart.so.13 goes through.  Signatures are those of CUDA 13's
// cuda_runtime_api.h with cudaError_t as int and handles as void*.
namespace lc::runtime::cudart {

/// Runs a call and remembers its error for cudaGetLastError of this host thread.
int call(const char* function, const std::function<void(Gpu&)>& body);
/// The same for calls that only look and work even after a fault.
int look(const char* function, const std::function<void(Gpu&)>& body);

/// The error that cudaGetLastError would return.
int& last_error();

/// What programs registered before main, and what they mean by its host addresses.
Kernel& kernel_of(Gpu& gpu, const void* host_function);
struct HostVariable {
  void* address = nullptr;  ///< of a managed variable the host's
  std::size_t bytes = 0;
};
HostVariable variable_of(Gpu& gpu, const void* host_variable);

void require(bool condition, int code, const char* message = "");

template <class T>
void give(T* to, T value) {
  require(to != nullptr, kInvalidValue, "a pointer to a result is null");
  *to = value;
}

}  // namespace lc::runtime::cudart
