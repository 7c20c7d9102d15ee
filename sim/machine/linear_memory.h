#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/global_memory.h"

namespace lc::machine {

/// A state space that is one range from address 0: constant, kernel parameters, a thread's local
/// memory.
class LinearMemory {
 public:
  enum class Rights : std::uint8_t { read_only, read_write };

  /// `name` appears in messages: "constant", "param", "local".
  LinearMemory(std::string name, std::uint64_t size, Rights rights)
      : name_(std::move(name)), rights_(rights), data_(size) {}

  std::uint64_t size() const { return data_.size(); }
  /// Checked host pointer; throws Fault.
  std::byte* bytes(std::uint64_t address, std::uint64_t size, std::uint64_t alignment,
                   Access access);
  /// For the loader: no rights are asked.
  std::byte* data() { return data_.data(); }

 private:
  std::string name_;
  Rights rights_;
  std::vector<std::byte> data_;
};

}  // namespace lc::machine
