#include "sim/runtime/function.h"

#include <algorithm>

namespace lc::runtime {
namespace {

int number(const DeviceModel& device, int attribute) {
  return device.attribute(attribute).value_or(0);
}

/// 90 of "sm_90a"
int version_of(std::string_view target) {
  int version = 0;
  for (const char c : target) {
    if (c >= '0' && c <= '9') version = version * 10 + (c - '0');
  }
  return version;
}

int required_cluster(const Kernel& kernel, const machine::Program& program, std::size_t i) {
  const std::uint32_t by_text = program.required_cluster[i];
  return by_text != 0 ? static_cast<int>(by_text) : kernel.required_cluster[i];
}

void set_required_cluster(Kernel& kernel, std::size_t i, int value) {
  if (value < 0) throw CudaError(kInvalidValue);
  if (kernel.program()->required_cluster[0] != 0) {
    throw CudaError(800, "kernel `" + kernel.name + "` has its cluster size from the source");
  }
  kernel.required_cluster[i] = value;
}

void set_max_dynamic_shared(Gpu& gpu, Kernel& kernel, int value) {
  const int limit = number(gpu.device(), kSharedPerBlockOptin) -
                    static_cast<int>(kernel.program()->static_shared_bytes);
  if (value < 0 || value > limit) {
    throw CudaError(kInvalidValue,
                    "kernel `" + kernel.name + "` cannot have " + std::to_string(value) +
                        " bytes of dynamic shared memory: at most " + std::to_string(limit));
  }
  kernel.max_dynamic_shared = value;
}

}  // namespace

abi::FunctionAttributes attributes_of(Gpu& gpu, Kernel& kernel) {
  const ptx::Module& module = gpu.loaded(*kernel.library).module();
  const auto program = kernel.program();
  abi::FunctionAttributes a{};
  a.shared_bytes = program->static_shared_bytes;
  a.local_bytes = program->entry().local_bytes;
  a.max_threads_per_block = program->max_threads != 0 ? static_cast<int>(program->max_threads)
                                                      : number(gpu.device(), kMaxThreadsPerBlock);
  a.registers = 32;  // PTX says none; programs divide by it
  a.ptx_version = module.targets.empty() ? 0 : version_of(module.targets.front());
  a.binary_version = version_of(gpu.device().target);
  a.max_dynamic_shared_bytes = gpu.max_dynamic_shared(kernel);
  a.preferred_carveout = kernel.carveout;
  a.cluster_must_be_set = program->explicit_cluster && program->required_cluster[0] == 0;
  a.required_cluster_width = required_cluster(kernel, *program, 0);
  a.required_cluster_height = required_cluster(kernel, *program, 1);
  a.required_cluster_depth = required_cluster(kernel, *program, 2);
  a.cluster_scheduling_policy = kernel.scheduling_policy;
  a.non_portable_cluster_allowed = kernel.non_portable_cluster;
  return a;
}

int attribute_of(Gpu& gpu, Kernel& kernel, int attribute) {
  const abi::FunctionAttributes a = attributes_of(gpu, kernel);
  switch (static_cast<FunctionAttribute>(attribute)) {
    case FunctionAttribute::max_threads_per_block:
      return a.max_threads_per_block;
    case FunctionAttribute::shared_bytes:
      return static_cast<int>(a.shared_bytes);
    case FunctionAttribute::constant_bytes:
      return static_cast<int>(a.constant_bytes);
    case FunctionAttribute::local_bytes:
      return static_cast<int>(a.local_bytes);
    case FunctionAttribute::registers:
      return a.registers;
    case FunctionAttribute::ptx_version:
      return a.ptx_version;
    case FunctionAttribute::binary_version:
      return a.binary_version;
    case FunctionAttribute::cache_mode_ca:
      return a.cache_mode_ca;
    case FunctionAttribute::max_dynamic_shared_bytes:
      return a.max_dynamic_shared_bytes;
    case FunctionAttribute::preferred_carveout:
      return a.preferred_carveout;
    case FunctionAttribute::cluster_must_be_set:
      return a.cluster_must_be_set;
    case FunctionAttribute::required_cluster_width:
      return a.required_cluster_width;
    case FunctionAttribute::required_cluster_height:
      return a.required_cluster_height;
    case FunctionAttribute::required_cluster_depth:
      return a.required_cluster_depth;
    case FunctionAttribute::non_portable_cluster_allowed:
      return a.non_portable_cluster_allowed;
    case FunctionAttribute::cluster_scheduling_policy:
      return a.cluster_scheduling_policy;
  }
  throw CudaError(kInvalidValue);
}

void set_attribute(Gpu& gpu, Kernel& kernel, int attribute, int value) {
  gpu.loaded(*kernel.library);
  switch (static_cast<FunctionAttribute>(attribute)) {
    case FunctionAttribute::max_dynamic_shared_bytes:
      return set_max_dynamic_shared(gpu, kernel, value);
    case FunctionAttribute::preferred_carveout:
      kernel.carveout = value;
      return;
    case FunctionAttribute::required_cluster_width:
      return set_required_cluster(kernel, 0, value);
    case FunctionAttribute::required_cluster_height:
      return set_required_cluster(kernel, 1, value);
    case FunctionAttribute::required_cluster_depth:
      return set_required_cluster(kernel, 2, value);
    case FunctionAttribute::non_portable_cluster_allowed:
      kernel.non_portable_cluster = value != 0;
      return;
    case FunctionAttribute::cluster_scheduling_policy:
      kernel.scheduling_policy = value;
      return;
    default:
      throw CudaError(kInvalidValue);
  }
}

int resident_ctas(Gpu& gpu, Kernel& kernel, int threads, std::size_t dynamic_shared_bytes) {
  const DeviceModel& device = gpu.device();
  if (threads <= 0) throw CudaError(kInvalidValue);
  gpu.loaded(*kernel.library);
  const auto program = kernel.program();
  const int most = program->max_threads != 0 ? static_cast<int>(program->max_threads)
                                             : number(device, kMaxThreadsPerBlock);
  if (threads > most) return 0;
  const int rounded = (threads + 31) / 32 * 32;
  const std::size_t shared = program->static_shared_bytes + dynamic_shared_bytes +
                             static_cast<std::size_t>(number(device, kReservedSharedPerBlock));
  const int by_threads = number(device, kThreadsPerMultiprocessor) / rounded;
  const int by_shared =
      static_cast<int>(static_cast<std::size_t>(number(device, kSharedPerMultiprocessor)) / shared);
  return std::min({by_threads, by_shared, number(device, kBlocksPerMultiprocessor)});
}

int resident_clusters(Gpu& gpu, const LaunchRequest& request) {
  const int threads = static_cast<int>(request.block[0] * request.block[1] * request.block[2]);
  const int ctas = resident_ctas(gpu, *request.kernel, threads, request.dynamic_shared_bytes);
  const int size = static_cast<int>(request.cluster[0] * request.cluster[1] * request.cluster[2]);
  if (size <= 0) throw CudaError(kInvalidClusterSize);
  return ctas * number(gpu.device(), kMultiprocessors) / size;
}

BestBlock best_block(Gpu& gpu, Kernel& kernel, std::size_t (*shared_of)(int), std::size_t shared,
                     int limit) {
  const int most = attribute_of(gpu, kernel, 0);
  const int end = limit > 0 ? std::min(limit, most) : most;
  BestBlock best;
  int best_resident = 0;
  for (int threads = end / 32 * 32; threads >= 32; threads -= 32) {
    const std::size_t bytes = shared_of != nullptr ? shared_of(threads) : shared;
    const int ctas = resident_ctas(gpu, kernel, threads, bytes);
    if (ctas * threads <= best_resident) continue;
    best_resident = ctas * threads;
    best = {threads, ctas * number(gpu.device(), kMultiprocessors)};
  }
  return best;
}

std::size_t available_shared(Gpu& gpu, Kernel& kernel, int ctas) {
  if (ctas <= 0) throw CudaError(kInvalidValue);
  gpu.loaded(*kernel.library);
  const DeviceModel& device = gpu.device();
  const int each = number(device, kSharedPerMultiprocessor) / ctas -
                   number(device, kReservedSharedPerBlock) -
                   static_cast<int>(kernel.program()->static_shared_bytes);
  return static_cast<std::size_t>(std::clamp(each, 0, number(device, kSharedPerBlockOptin)));
}

machine::ParameterPlace parameter_of(Gpu& gpu, Kernel& kernel, std::size_t index) {
  gpu.loaded(*kernel.library);
  const auto& places = kernel.program()->entry().parameters;
  if (index >= places.size()) throw CudaError(kInvalidValue);
  return places[index];
}

}  // namespace lc::runtime
