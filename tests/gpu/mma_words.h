#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/numerics/dot_rule.h"

/// Runs one tensor-core instruction on the GPU over many operand tiles and returns its D words.
namespace lc::tests {

struct DeviceForm {
  numerics::Family family;
  numerics::Format a, b, d;
  std::uint32_t k;  ///< elements; A and B rows are 32 bytes in every form
  bool saturate;
  const char* text;  ///< modifiers as PTX writes them

  /// Rows of A and columns of B of one instruction.
  std::uint32_t m() const { return family == numerics::Family::wgmma ? 64 : 16; }
  static constexpr std::uint32_t n() { return 8; }
};

inline constexpr std::uint32_t kRowBytes = 32;

std::vector<DeviceForm> device_forms();

/// Tiles one after the other: `a` [tile][m][32 bytes], `b` [tile][n][32 bytes], `cd` [tile][m][n]
/// words, f16 in the low halves.  Replaces C by D; false where this GPU has no such instruction.
bool run_on_device(std::size_t form, std::uint32_t tiles, std::span<const std::uint8_t> a,
                   std::span<const std::uint8_t> b, std::span<std::uint32_t> cd);

}  // namespace lc::tests
