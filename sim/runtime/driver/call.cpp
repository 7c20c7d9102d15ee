#include "sim/runtime/driver/call.h"

namespace lc::runtime::driver {
namespace {

int driver_code(int code) {
  switch (code) {
    case kInvalidConfiguration:
    case kInvalidCopyDirection:
    case 12:  // cudaErrorInvalidPitchValue
      return kInvalidValue;
    case kInvalidSymbol:
      return kNotFound;
    case kInvalidDeviceFunction:
      return kInvalidHandle;
    default:
      return code;
  }
}

}  // namespace

int call(const char* function, const std::function<void(Gpu&)>& body) {
  return driver_code(guarded(function, false, body));
}

int look(const char* function, const std::function<void(Gpu&)>& body) {
  return driver_code(guarded(function, true, body));
}

void require(bool condition, int code, const char* message) {
  if (!condition) throw CudaError(code, message);
}

void* context() {
  static int one = 0;
  return &one;
}

Kernel& kernel_of(Gpu& gpu, void* handle) {
  auto* const kernel = static_cast<Kernel*>(handle);
  require(gpu.knows(kernel), kInvalidHandle, "this is no CUfunction or CUkernel");
  return *kernel;
}

Library& library_of(Gpu& gpu, void* handle) {
  auto* const library = static_cast<Library*>(handle);
  require(gpu.knows(library), kInvalidHandle, "this is no CUmodule or CUlibrary");
  return *library;
}

}  // namespace lc::runtime::driver

extern "C" {

int cuGetErrorName(int error, const char** name) {
  if (name == nullptr) return lc::runtime::kInvalidValue;
  *name = lc::runtime::driver_error_name(error);
  return *name != nullptr ? lc::runtime::kSuccess : lc::runtime::kInvalidValue;
}

int cuGetErrorString(int error, const char** sentence) {
  if (sentence == nullptr) return lc::runtime::kInvalidValue;
  *sentence = lc::runtime::error_sentence(error);
  return *sentence != nullptr ? lc::runtime::kSuccess : lc::runtime::kInvalidValue;
}

}  // extern "C"
