#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/descriptor.cuh"
#include "kernel/dump_file.h"

// Small kernels that use smem_dump.cuh in every way it offers.
namespace lc::gpu_tests {

/// Bytes a test kernel leaves in its shared memory: byte i is test_byte(i, cta, round).
LC_KERNEL_HD constexpr unsigned char test_byte(std::uint32_t i, std::uint32_t cta,
                                               std::uint32_t round) {
  return static_cast<unsigned char>(i * 7 + cta * 31 + round * 101 + i / 251);
}

struct DumpCase {
  enum class By { thread, warp, cta } by = By::cta;
  std::uint32_t grid_x = 1, grid_y = 1, block_x = 128, block_y = 1, cluster = 1;
  std::uint32_t offset = 0, bytes = 1024;  ///< of the tile in a buffer of kDumpBufferBytes
  std::uint32_t rounds = 1;
  bool address_form = false;  ///< give the 32-bit address instead of the pointer
  bool without_rank = false;  ///< give the address that it has in the first CTA of a cluster
  const char* described_too = nullptr;  ///< a name that the kernel does not dump
  const char* values_from = nullptr;    ///< a source that is not added
  bool from_global = false;             ///< give a pointer that is not to shared memory
  std::uint64_t room = 1 << 20;
  std::uint32_t tiles = 64;
  std::uint64_t first_cta = 0, cta_count = ~std::uint64_t{0};
};

inline constexpr std::uint32_t kDumpBufferBytes = 4096;

struct DumpResult {
  lc::kernel::DumpFile file;
  std::vector<std::string> problems;
};

/// Runs the kernel and collects; throws when it fails.
DumpResult run_dump_case(const DumpCase& c);

}  // namespace lc::gpu_tests
