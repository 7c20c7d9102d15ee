#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/layout/spelling.h"
#include "sim/ptx/module.h"

namespace lc::verify {

/// What the virtual GPU stands for.
struct Device {
  const char* name;  ///< "b200"
  const char* title;
  Arch arch;
  std::uint32_t multiprocessors;
};

/// By name; throws `Error` for another.
const Device& device_named(const std::string& name);

/// A PTX module out of a .ptx file, or the PTX in a fat binary, object or executable that suits the
/// device and, where `entry` is not empty, has that entry.
struct KernelFile {
  std::shared_ptr<const ptx::Module> module;
  const Device* device = nullptr;  ///< as asked for, else what the PTX is for
};

/// Throws `Error` and ptx::ParseError.
KernelFile read_kernel(const std::string& path, const std::string& entry,
                       const std::optional<std::string>& device);

}  // namespace lc::verify
