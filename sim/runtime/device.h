#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/layout/operand.h"
#include "sim/runtime/abi.h"

namespace lc::runtime {

/// CUdevice_attribute numbers that the runtime itself asks for.
enum Attribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,
  kMaxGridX = 5,
  kSharedPerBlock = 8,
  kMultiprocessors = 16,
  kThreadsPerMultiprocessor = 39,
  kMajor = 75,
  kMinor = 76,
  kSharedPerMultiprocessor = 81,
  kSharedPerBlockOptin = 97,
  kBlocksPerMultiprocessor = 106,
  kReservedSharedPerBlock = 111,
};

struct AttributeValue {
  int id, value;
};

/// A device that programs can ask about itself.
struct DeviceModel {
  const char* name;    ///< contains "virtual", so that nobody takes its numbers for a GPU's
  const char* target;  ///< "sm_90"
  Arch arch;
  std::uint64_t memory_bytes;
  std::span<const AttributeValue> differences;  ///< from the H200's attributes

  /// Nothing for a number that does not exist.
  std::optional<int> attribute(int id) const;
};

const DeviceModel& h200();
const DeviceModel& b200();

/// What cudaGetDeviceProperties answers.
abi::DeviceProperties properties_of(const DeviceModel& device, std::uint64_t memory_bytes);

/// Every attribute there is: its CUdevice_attribute number and the H200's value.
std::span<const AttributeValue> all_attributes();

}  // namespace lc::runtime
