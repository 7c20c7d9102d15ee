#pragma once

#include <cstdint>
#include <vector>

#include "sim/layout/element.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/tensor_map.h"

// The layout model compiled by nvcc and run on the device.
namespace lc::gpu_tests {

struct OperandQuestion {
  Arch arch = Arch::sm_90;
  std::uint64_t descriptor = 0;
  Major major = Major::k;
  Element element = Element::f16;
  Container container = Container::packed;
  std::uint32_t mn = 8, k = 8;
};

/// Bit address of every element of every question, mn outer; questions one after the other.
std::vector<std::uint64_t> operand_bit_addresses_on_device(
    const std::vector<OperandQuestion>& questions);
std::vector<std::uint64_t> operand_bit_addresses_on_host(
    const std::vector<OperandQuestion>& questions);

struct BoxQuestion {
  TensorMap map;
  Coordinates coordinates{};
  std::uint64_t smem_address = 1024;
};

/// Per question `bytes` numbers: for each byte from smem_address on, the global offset of what a
/// load puts there, or one of the two values below.
inline constexpr std::int64_t kFill = -(std::int64_t{1} << 62), kUncovered = kFill + 1;
std::vector<std::int64_t> box_bytes_on_device(const std::vector<BoxQuestion>& questions,
                                              std::uint32_t bytes);
std::vector<std::int64_t> box_bytes_on_host(const std::vector<BoxQuestion>& questions,
                                            std::uint32_t bytes);

}  // namespace lc::gpu_tests
