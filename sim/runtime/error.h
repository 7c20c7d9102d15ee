#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/machine/fault.h"

// The error numbers that cudaError_t and CUresult share.
namespace lc::runtime {

inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kNotInitialized = 3;
inline constexpr int kInvalidConfiguration = 9;    ///< the runtime's; the driver says kInvalidValue
inline constexpr int kInvalidSymbol = 13;          ///< the runtime's
inline constexpr int kInvalidCopyDirection = 21;   ///< the runtime's
inline constexpr int kInvalidDeviceFunction = 98;  ///< the runtime's
inline constexpr int kInvalidDevice = 101;
inline constexpr int kInvalidImage = 200;
inline constexpr int kInvalidContext = 201;
inline constexpr int kNoImageForDevice = 209;
inline constexpr int kUnsupportedLimit = 215;
inline constexpr int kInvalidPtx = 218;
inline constexpr int kFileNotFound = 301;
inline constexpr int kInvalidHandle = 400;
inline constexpr int kNotFound = 500;
inline constexpr int kNotReady = 600;
inline constexpr int kIllegalAddress = 700;
inline constexpr int kLaunchOutOfResources = 701;
inline constexpr int kLaunchTimeout = 702;
inline constexpr int kAssert = 710;
inline constexpr int kHostMemoryAlreadyRegistered = 712;
inline constexpr int kHostMemoryNotRegistered = 713;
inline constexpr int kIllegalInstruction = 715;
inline constexpr int kMisalignedAddress = 716;
inline constexpr int kInvalidAddressSpace = 717;
inline constexpr int kLaunchFailure = 719;
inline constexpr int kCooperativeTooLarge = 720;
inline constexpr int kNotSupported = 801;
inline constexpr int kCaptureUnsupported = 900;
inline constexpr int kCaptureUnmatched = 903;
inline constexpr int kInvalidClusterSize = 912;
inline constexpr int kUnknown = 999;

/// A call that fails.  The message, if any, goes to stderr: it says what the number cannot.
struct CudaError : std::runtime_error {
  explicit CudaError(int number, const std::string& message = {})
      : std::runtime_error(message), code(number) {}
  int code;
};

/// nullptr for a number that does not exist.
const char* runtime_error_name(int code);
const char* driver_error_name(int code);
const char* error_sentence(int code);

/// What a device reports for a fault (trap: 719, measured on an H200; the others from the meaning
/// of the numbers in the runtime's documentation).
int error_code_of(machine::FaultKind kind, std::string_view rule);

}  // namespace lc::runtime
