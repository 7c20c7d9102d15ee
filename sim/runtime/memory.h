#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "sim/machine/global_memory.h"

namespace lc::runtime {

/// What programs allocate: device memory, and host memory that kernels reach at its own address.
class Memory {
 public:
  Memory(std::uint64_t limit, std::byte fill) : global_(limit, fill) {}

  machine::GlobalMemory& global() { return global_; }

  enum class Kind : std::uint8_t { device, pinned, managed, registered };

  /// Device memory; throws CudaError when there is none left.
  void* allocate(std::size_t bytes);
  /// Pinned or managed memory, zeroed, on a page of its own.
  void* allocate_host(std::size_t bytes, Kind kind, unsigned flags = 0);
  void register_host(void* host, std::size_t bytes, unsigned flags);
  /// Maps a managed variable of a module at its host address.
  void* map_variable(std::uint64_t address);
  void unmap(std::uint64_t address);

  /// Frees what begins at `address`; throws CudaError for anything else.  nullptr is fine.
  void free(void* address, bool host);
  void unregister_host(void* host);
  void free_all();

  struct Place {
    Kind kind = Kind::device;
    std::uint64_t address = 0, size = 0;  ///< of the allocation
    unsigned flags = 0;
  };
  /// Nothing: not known to the device.
  std::optional<Place> find(const void* address) const;

  /// Where the bytes are for the host, whatever memory it is; throws CudaError when they pass the
  /// end of an allocation.  `what` names the argument: "source".
  std::byte* host_bytes(const void* address, std::size_t bytes, const char* what) const;

  // Copies and fills between any places.
  void copy(void* to, const void* from, std::size_t bytes) const;
  void copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t width, std::size_t height) const;
  void fill(void* to, const void* value, std::size_t value_bytes, std::size_t count) const;

 private:
  struct HostBlock {
    Kind kind = Kind::pinned;
    std::size_t bytes = 0;
    unsigned flags = 0;
    bool owned = false;  ///< allocated here
  };

  machine::GlobalMemory global_;
  std::map<std::uint64_t, std::size_t> device_;  ///< allocated by programs, not by modules
  std::map<std::uint64_t, HostBlock> host_;
};

/// cudaMemcpyKind; the driver's copies name their direction themselves.
enum class CopyKind : int { host_to_host, host_to_device, device_to_host, device_to_device, any };

/// Throws CudaError when memory is not what the direction says.
void check_direction(const Memory& memory, CopyKind kind, const void* to, const void* from);

}  // namespace lc::runtime
