#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/isa/load.h"
#include "sim/machine/launch.h"
#include "verify/run/kernel_file.h"
#include "verify/run/launch_file.h"

namespace lc::verify {

/// A device with a module, the buffers of a launch file and the launch it describes.
class Guest {
 public:
  /// Allocates, fills, encodes tensor maps and places the arguments.  Throws `Error` naming the
  /// launch file's field, ptx::ParseError, or machine::Fault when memory is short.
  Guest(const KernelFile& kernel, const LaunchFile& file, std::uint64_t memory_bytes);

  const machine::Launch& launch() const { return launch_; }
  machine::GlobalMemory& memory() { return memory_; }
  std::uint64_t address_of(const std::string& buffer) const { return addresses_.at(buffer); }
  std::span<const std::byte> bytes_of_buffer(const BufferSpec& buffer) const;
  /// Writes the buffers that the file wants saved; returns their paths.
  std::vector<std::string> save() const;

 private:
  void place_buffers();
  void place_arguments();
  std::vector<std::byte> argument_bytes(const ArgumentSpec& argument, std::uint32_t size);
  std::vector<std::byte> map_bytes(const ArgumentSpec& argument, const ArgumentSpec::Map& map,
                                   std::uint32_t size);

  const LaunchFile& file_;
  Arch arch_;
  machine::GlobalMemory memory_;
  std::unique_ptr<isa::LoadedModule> module_;
  machine::Launch launch_;
  std::map<std::string, std::uint64_t> addresses_;
};

/// Fills the bytes of a buffer as its `fill` says: zero, iota, random:SEED, integers:SEED, a .npy
/// file or file.safetensors#tensor, whose path counts from the launch file.
void fill_buffer(const LaunchFile& file, const BufferSpec& buffer, std::span<std::byte> bytes);

}  // namespace lc::verify
