#pragma once

#include "sim/runtime/gpu.h"

// What both libraries ask and set about kernels.
namespace lc::runtime {

/// CUfunction_attribute numbers; cudaFuncAttribute has the same for what can be set.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_bytes = 1,
  constant_bytes = 2,
  local_bytes = 3,
  registers = 4,
  ptx_version = 5,
  binary_version = 6,
  cache_mode_ca = 7,
  max_dynamic_shared_bytes = 8,
  preferred_carveout = 9,
  cluster_must_be_set = 10,
  required_cluster_width = 11,
  required_cluster_height = 12,
  required_cluster_depth = 13,
  non_portable_cluster_allowed = 14,
  cluster_scheduling_policy = 15,
};

abi::FunctionAttributes attributes_of(Gpu& gpu, Kernel& kernel);
int attribute_of(Gpu& gpu, Kernel& kernel, int attribute);
void set_attribute(Gpu& gpu, Kernel& kernel, int attribute, int value);

/// CTAs of a kernel that fit a multiprocessor: threads, shared memory and the limit of CTAs decide.
/// Registers do not: PTX has no number of them.
int resident_ctas(Gpu& gpu, Kernel& kernel, int threads, std::size_t dynamic_shared_bytes);
/// Clusters that fit the device.
int resident_clusters(Gpu& gpu, const LaunchRequest& request);
/// The block size with the most resident threads; the smallest grid that fills the device.
struct BestBlock {
  int threads = 0, grid = 0;
};
BestBlock best_block(Gpu& gpu, Kernel& kernel, std::size_t (*shared_of)(int), std::size_t shared,
                     int limit);
/// Shared memory that `ctas` CTAs of a multiprocessor leave each other.
std::size_t available_shared(Gpu& gpu, Kernel& kernel, int ctas);

/// Offset and size of parameter `index` in the argument buffer.
machine::ParameterPlace parameter_of(Gpu& gpu, Kernel& kernel, std::size_t index);

}  // namespace lc::runtime
