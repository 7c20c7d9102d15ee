#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernel/gemm/plan.h"
#include "verify/error.h"

namespace lc::verify {

/// The kernel was launched and did not come to its end: a fault, a deadlock.
struct KernelStopped : Error {
  using Error::Error;
};

/// A GPU through the CUDA driver's library: the one of this machine, or the virtual GPU's, which
/// has the same functions.  Nothing of the CUDA toolkit is needed.  Everything throws `Error`.
class Gpu {
 public:
  /// Device memory that is given back.
  class Buffer {
   public:
    Buffer(const Gpu& gpu, std::uint64_t bytes);
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();

    std::uint64_t address() const { return address_; }
    std::uint64_t size() const { return size_; }
    void put(std::span<const std::uint8_t> bytes);
    void fill(std::uint8_t byte);
    void get(std::span<std::uint8_t> bytes) const;

   private:
    const Gpu& gpu_;
    std::uint64_t address_ = 0, size_ = 0;
  };

  /// The first device that the library at `path` has.
  explicit Gpu(const std::string& path);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  const std::string& name() const { return name_; }
  int compute_capability() const { return capability_; }  ///< 90, 100, 103
  std::uint32_t multiprocessors() const { return multiprocessors_; }

  kernel::TensorMap encode(const kernel::TensorMapCall& call) const;
  /// Loads PTX, launches the plan, and waits for its end.
  void run(std::string_view ptx, const kernel::GemmPlan& plan) const;

 private:
  struct Functions;
  void check(int status, const std::string& what) const;

  std::unique_ptr<Functions> f_;
  void* context_ = nullptr;
  std::string name_;
  int capability_ = 0;
  std::uint32_t multiprocessors_ = 0;
};

}  // namespace lc::verify
