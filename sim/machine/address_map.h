#pragma once

#include <cstdint>

#include "sim/machine/generic_address.h"

/// Fixed places in the guest's 64-bit address space, beside the windows of generic_address.h.
namespace lc::machine {

/// The parameters of the running kernel, read-only; one launch runs at a time.
inline constexpr std::uint64_t kParameterBase = std::uint64_t{1} << 56;
inline constexpr std::uint64_t kParameterLimit = 32764;  ///< bytes (CUDA programming guide, 12.1)

/// Constant variables are placed from here on, read-only.
inline constexpr std::uint64_t kConstantBase = std::uint64_t{3} << 55;
inline constexpr std::uint64_t kConstantEnd = std::uint64_t{1} << 57;

/// A function's address is kCodeBase + 16 * its number in the module; nothing can be read there.
inline constexpr std::uint64_t kCodeBase = std::uint64_t{1} << 62;

constexpr bool is_parameter_address(std::uint64_t a) {
  return a - kParameterBase < kParameterLimit;
}
constexpr bool is_constant_address(std::uint64_t a) {
  return a - kConstantBase < kConstantEnd - kConstantBase;
}

}  // namespace lc::machine
