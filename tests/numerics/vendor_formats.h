#pragma once

#include <cstdint>
#include <vector>

#include "sim/numerics/minifloat.h"

namespace lc::tests {

/// A conversion written by others: Eigen's half and bfloat16, and the CUDA headers' host code, each
/// where it was found when the tests were built.
struct VendorFormat {
  const char* source;
  numerics::Format format;
  numerics::Rounding rounding;
  numerics::Overflow overflow;
  float (*decode)(std::uint32_t code);
  std::uint32_t (*encode)(float value);
};

std::vector<VendorFormat> vendor_formats();

}  // namespace lc::tests
