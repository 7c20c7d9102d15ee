#include "sim/runtime/cudart/call.h"

namespace lc::runtime::cudart {

int& last_error() {
  thread_local int error = 0;
  return error;
}

int call(const char* function, const std::function<void(Gpu&)>& body) {
  const int code = guarded(function, false, body);
  if (code != kSuccess && code != kNotReady) last_error() = code;
  return code;
}

int look(const char* function, const std::function<void(Gpu&)>& body) {
  const int code = guarded(function, true, body);
  if (code != kSuccess) last_error() = code;
  return code;
}

void require(bool condition, int code, const char* message) {
  if (!condition) throw CudaError(code, message);
}

}  // namespace lc::runtime::cudart

using lc::runtime::Gpu;
using namespace lc::runtime::cudart;

extern "C" {

/// A fault's error stays until the device is reset; any other is forgotten when asked for.
int cudaGetLastError() {
  const int sticky = lc::runtime::gpu().sticky();
  const int error = sticky != 0 ? sticky : last_error();
  last_error() = 0;
  return error;
}

int cudaPeekAtLastError() {
  const int sticky = lc::runtime::gpu().sticky();
  return sticky != 0 ? sticky : last_error();
}

const char* cudaGetErrorName(int error) {
  const char* name = lc::runtime::runtime_error_name(error);
  return name != nullptr ? name : "unrecognized error code";
}

const char* cudaGetErrorString(int error) {
  const char* sentence = lc::runtime::error_sentence(error);
  return sentence != nullptr ? sentence : "unrecognized error code";
}

}  // extern "C"
