#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace lc::machine {

enum class Access : std::uint8_t { read, write };

/// Addresses of global memory have 57 bits: what a tensor map can hold.
inline constexpr std::uint64_t kGlobalAddressEnd = std::uint64_t{1} << 57;
/// Where allocations begin: above what a host program can dereference, so that a device pointer
/// used on the host is caught by the operating system.
inline constexpr std::uint64_t kGlobalBase = std::uint64_t{1} << 47;

/// Global memory: separate allocations, each with exact bounds and a gap behind it.  Bytes of a
/// fresh allocation are `fill`; with 0, pages are committed when touched.  On a GPU they are what
/// was there before: another fill finds programs that count on zeros.
///
/// `bytes` hands out host pointers that stay inside one allocation; a guest reaches nothing else.
/// Looking up is const and may run on several threads while nothing is allocated or freed.
class GlobalMemory {
 public:
  static constexpr std::uint64_t kAlignment = 256;  ///< of allocations (CUDA programming guide)
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  explicit GlobalMemory(std::uint64_t limit_bytes = kNoLimit, std::byte fill = std::byte{0})
      : limit_(limit_bytes), fill_(fill) {}

  /// Address of new memory; nothing when `size` is 0, the limit is passed or the host has no more.
  std::optional<std::uint64_t> allocate(std::uint64_t size);
  /// The same at a chosen address; false when it overlaps another allocation or leaves the space.
  bool allocate_at(std::uint64_t address, std::uint64_t size);
  /// Memory that the caller owns (pinned or managed host memory) at a chosen address.
  bool map(std::uint64_t address, std::span<std::byte> bytes);
  /// False when no allocation starts there.
  bool free(std::uint64_t address);
  /// From now on writes to the allocation that starts there are faults.
  void protect(std::uint64_t address);

  /// Checked host pointer to `size` bytes; throws Fault when they are misaligned, belong to no
  /// allocation or cross the end of one.  `alignment` is a power of two.
  std::byte* bytes(std::uint64_t address, std::uint64_t size, std::uint64_t alignment,
                   Access access) const;

  struct Allocation {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };
  /// The allocation that holds the address.
  std::optional<Allocation> find(std::uint64_t address) const;

  /// An allocation looked up once, for callers that go there again and again.  Valid as long as
  /// `version()` stays the same.
  struct View {
    std::uint64_t address = 0, size = 0, version = 0;
    std::byte* data = nullptr;
    bool writable = false;

    /// Host pointer, or nullptr when the access is not for this view.
    std::byte* bytes(std::uint64_t at, std::uint64_t count, bool write) const {
      const std::uint64_t offset = at - address;
      if (offset >= size || count > size - offset || (write && !writable)) return nullptr;
      return data + offset;
    }
  };
  View view(std::uint64_t address) const;
  /// Changes when an allocation goes away or becomes read-only.
  std::uint64_t version() const { return version_; }
  std::uint64_t used() const { return used_; }
  std::uint64_t limit() const { return limit_; }

 private:
  struct FreeBytes {
    void operator()(std::byte* p) const;
  };
  struct Block {
    std::byte* data = nullptr;
    std::uint64_t size = 0;
    std::unique_ptr<std::byte, FreeBytes> owned;  ///< empty: mapped
    bool writable = true;
  };

  bool fits(std::uint64_t address, std::uint64_t size) const;
  bool insert_owned(std::uint64_t address, std::uint64_t size);

  std::map<std::uint64_t, Block> blocks_;
  std::uint64_t next_ = kGlobalBase;
  std::uint64_t used_ = 0;
  std::uint64_t limit_;
  std::byte fill_;
  std::uint64_t version_ = 1;
};

}  // namespace lc::machine
