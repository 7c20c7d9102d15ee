#pragma once

#include <functional>

#include "sim/runtime/gpu.h"

// What every function of libcuda.so.1 goes through.  Signatures are those of CUDA 13's cuda.h with
// CUresult as int, handles as void* and CUdeviceptr as a number.
namespace lc::runtime::driver {

/// Runs a call; numbers that only the runtime has become the driver's.
int call(const char* function, const std::function<void(Gpu&)>& body);
/// The same for calls that work even after a fault.
int look(const char* function, const std::function<void(Gpu&)>& body);

void require(bool condition, int code, const char* message = "");

template <class T>
void give(T* to, T value) {
  require(to != nullptr, kInvalidValue, "a pointer to a result is null");
  *to = value;
}

/// The one context; programs only compare it with null.
void* context();

Kernel& kernel_of(Gpu& gpu, void* handle);
Library& library_of(Gpu& gpu, void* handle);

}  // namespace lc::runtime::driver
