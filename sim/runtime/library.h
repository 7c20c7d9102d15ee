#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/load.h"
#include "sim/machine/program.h"
#include "sim/runtime/device.h"
#include "sim/runtime/image.h"

namespace lc::runtime {

class Library;

/// An entry of a library; what CUfunction, CUkernel and cudaKernel_t point at.
struct Kernel {
  Library* library = nullptr;
  std::string name;
  /// Beyond it a launch needs permission (cudaFuncAttributeMaxDynamicSharedMemorySize); set from
  /// the device's limit less the static bytes, at the first look.
  int max_dynamic_shared = -1;
  int carveout = -1;
  int scheduling_policy = 0;
  bool non_portable_cluster = false;
  std::array<int, 3> required_cluster{};

  std::shared_ptr<const machine::Program> program();
};

/// A module: PTX that is parsed and placed in memory when first needed, as with lazy loading.
class Library {
 public:
  /// `image` stays the caller's until the first use.
  Library(const void* image, std::string name) : image_(image), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const void* image() const { return image_; }
  /// The image goes away; what was loaded stays.
  void forget_image() { image_ = nullptr; }
  /// Parses and places the module, once.
  void load(const DeviceModel& device, machine::GlobalMemory& memory,
            const std::string& ptx_directory);
  isa::LoadedModule& module() { return *module_; }
  bool is_loaded() const { return module_ != nullptr; }
  void unload();

  /// nullptr: no such entry.  Needs the module only for names that were not `declare`d.
  Kernel* kernel(const std::string& name);
  Kernel& declare(const std::string& name);
  std::vector<Kernel*> kernels();
  bool holds(const Kernel* kernel) const;

  /// A variable that the host knows by the address of its shadow.
  struct Shadow {
    std::string name;
    void** managed = nullptr;  ///< where a managed variable's host address goes
  };
  std::vector<Shadow> managed;
  /// Host addresses at which managed variables were mapped.
  std::vector<std::uint64_t> mapped;

 private:
  const void* image_;
  std::string name_;
  std::unique_ptr<isa::LoadedModule> module_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
};

/// Where in the source of a kernel a line of its PTX comes from: "kernel.cu:42"; empty: not said.
std::string source_place(const ptx::Module& module, const std::string& function, int line);

}  // namespace lc::runtime
