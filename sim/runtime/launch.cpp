#include <cstdio>
#include <cstring>
#include <tuple>

#include "sim/runtime/gpu.h"
#include "sim/runtime/report.h"

namespace lc::runtime {
namespace {

using Vector = std::array<std::uint32_t, 3>;

std::string text_of(const Vector& v) {
  return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
}

std::uint64_t product(const Vector& v) {
  return std::uint64_t{v[0]} * v[1] * v[2];
}

[[noreturn]] void refuse(const LaunchRequest& request, int code, const std::string& why) {
  throw CudaError(code, "kernel `" + request.kernel->name + "`: " + why);
}

void check_extents(const LaunchRequest& request, const DeviceModel& device) {
  for (int i = 0; i < 3; ++i) {
    const auto limit = [&](int first) {
      return static_cast<std::uint32_t>(device.attribute(first + i).value_or(0));
    };
    const auto& [grid, block] = std::tie(request.grid, request.block);
    if (grid[i] == 0 || grid[i] > limit(kMaxGridX) || block[i] == 0 ||
        block[i] > limit(kMaxBlockX)) {
      refuse(request, kInvalidConfiguration,
             "grid " + text_of(grid) + " of blocks " + text_of(block) + " is out of range");
    }
  }
  if (product(request.block) > 1024) {
    refuse(request, kInvalidConfiguration,
           "a block of " + text_of(request.block) + " has more than 1024 threads");
  }
}

/// Clusters up to 8 CTAs are portable; larger ones, up to 16, need the kernel's permission (CUDA
/// programming guide, "Thread Block Clusters").
void check_cluster(const LaunchRequest& request, const Vector& cluster) {
  const std::uint64_t size = product(cluster);
  const std::uint64_t limit = request.kernel->non_portable_cluster ? 16 : 8;
  if (size == 0 || size > limit) {
    refuse(request, kInvalidClusterSize,
           "a cluster of " + text_of(cluster) + " has more than " + std::to_string(limit) +
               " CTAs\n  try: at most 8, or cudaFuncAttributeNonPortableClusterSizeAllowed for 16");
  }
  for (int i = 0; i < 3; ++i) {
    if (request.grid[i] % cluster[i] == 0) continue;
    refuse(request, kInvalidClusterSize,
           "the grid " + text_of(request.grid) + " is not a multiple of the cluster " +
               text_of(cluster));
  }
}

Vector unsigned_of(const std::array<int, 3>& v) {
  return {static_cast<std::uint32_t>(v[0]), static_cast<std::uint32_t>(v[1]),
          static_cast<std::uint32_t>(v[2])};
}

}  // namespace

void apply(std::span<const abi::LaunchAttribute> attributes, LaunchRequest& request) {
  for (const abi::LaunchAttribute& attribute : attributes) {
    if (attribute.id == abi::LaunchAttribute::cooperative) {
      request.cooperative = attribute.flag != 0;
    } else if (attribute.id == abi::LaunchAttribute::cluster_dimension) {
      std::copy_n(attribute.cluster, 3, request.cluster.begin());
      request.explicit_cluster = true;
    }
  }
}

int Gpu::max_dynamic_shared(Kernel& kernel) {
  if (kernel.max_dynamic_shared >= 0) return kernel.max_dynamic_shared;
  loaded(*kernel.library);
  const int fixed = static_cast<int>(kernel.program()->static_shared_bytes);
  return std::max(0, device().attribute(kSharedPerBlock).value_or(0) - fixed);
}

void Gpu::check(const LaunchRequest& request, const machine::Program& program) {
  check_extents(request, device());
  const std::uint64_t threads = product(request.block);
  if (program.max_threads != 0 && threads > program.max_threads) {
    refuse(request, kInvalidValue,
           "a block of " + text_of(request.block) + " has more than the " +
               std::to_string(program.max_threads) + " threads of .maxntid (__launch_bounds__)");
  }
  if (program.required_block[0] != 0 && request.block != program.required_block) {
    refuse(request, kInvalidValue,
           "a block of " + text_of(request.block) + " is not the " +
               text_of(program.required_block) + " of .reqntid");
  }
  const int limit = max_dynamic_shared(*request.kernel);
  if (request.dynamic_shared_bytes > static_cast<std::size_t>(limit)) {
    refuse(request, kInvalidValue,
           std::to_string(request.dynamic_shared_bytes) + " bytes of dynamic shared memory, " +
               std::to_string(limit) +
               " are allowed\n  try: cudaFuncSetAttribute(kernel, "
               "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)");
  }
}

/// All CTAs of a cooperative launch run at the same time, and meet through a word of device memory.
void Gpu::prepare_cooperation(const LaunchRequest& request, machine::Launch& launch) {
  const std::uint64_t clusters = product(launch.grid) / product(launch.cluster);
  const std::uint64_t room = machine::clusters_at_once(
      launch, static_cast<std::uint32_t>(device().attribute(kMultiprocessors).value_or(1)));
  if (clusters > room) {
    refuse(request, kCooperativeTooLarge,
           "a cooperative launch of " + std::to_string(clusters * product(launch.cluster)) +
               " CTAs, " + std::to_string(room * product(launch.cluster)) +
               " have room at the same time");
  }
  constexpr std::size_t kWorkspaceBytes = 8;
  if (!memory().find(workspace_)) workspace_ = memory().allocate(kWorkspaceBytes);
  const std::byte zero{0};
  memory().fill(workspace_, &zero, 1, kWorkspaceBytes);
  launch.workspace = reinterpret_cast<std::uintptr_t>(workspace_);
}

machine::Launch Gpu::prepared(const LaunchRequest& request) {
  loaded(*request.kernel->library);
  machine::Launch launch;
  launch.program = request.kernel->program();
  check(request, *launch.program);
  launch.grid = request.grid;
  launch.block = request.block;
  launch.cluster = request.cluster;
  launch.explicit_cluster = request.explicit_cluster;
  const Vector by_text = launch.program->required_cluster;
  const Vector by_attribute = unsigned_of(request.kernel->required_cluster);
  for (const Vector& required : {by_text, by_attribute}) {
    if (required[0] == 0) continue;
    if (request.explicit_cluster && request.cluster != required) {
      refuse(
          request, kInvalidClusterSize,
          "a cluster of " + text_of(request.cluster) + " is not the required " + text_of(required));
    }
    launch.cluster = required;
    launch.explicit_cluster = true;
  }
  if (launch.explicit_cluster) check_cluster(request, launch.cluster);
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(request.dynamic_shared_bytes);
  launch.parameters.resize(launch.program->parameter_bytes);
  launch.grid_id = next_grid_id_++;
  if (request.cooperative) prepare_cooperation(request, launch);
  return launch;
}

void Gpu::launch(const LaunchRequest& request, void* const* arguments) {
  machine::Launch launch = prepared(request);
  const auto& places = launch.program->entry().parameters;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (arguments == nullptr || arguments[i] == nullptr) {
      refuse(request, kInvalidValue, "argument " + std::to_string(i) + " is missing");
    }
    std::memcpy(launch.parameters.data() + places[i].offset, arguments[i], places[i].size);
  }
  submit(request, std::move(launch));
}

void Gpu::launch_packed(const LaunchRequest& request, std::span<const std::byte> arguments) {
  machine::Launch launch = prepared(request);
  if (arguments.size() < launch.parameters.size()) {
    refuse(request, kInvalidValue,
           "the buffer of arguments has " + std::to_string(arguments.size()) + " bytes, " +
               std::to_string(launch.parameters.size()) + " are needed");
  }
  std::copy_n(arguments.begin(), launch.parameters.size(), launch.parameters.begin());
  submit(request, std::move(launch));
}

void Gpu::submit(const LaunchRequest& request, machine::Launch launch) {
  Stream& on = request.stream != nullptr ? *request.stream : stream(nullptr);
  on.submit(Graph::Node::Kind::kernel,
            [this, kernel = request.kernel, launch = std::move(launch)] { run(*kernel, launch); });
}

void Gpu::run(Kernel& kernel, const machine::Launch& launch) {
  if (!watch_made_) watch_ = make_launch_watch();
  watch_made_ = true;
  machine::RunOptions run_options;
  run_options.arch = device().arch;
  run_options.schedule = options_.schedule;
  run_options.host_threads = options_.host_threads;
  run_options.max_instructions = options_.instruction_limit;
  run_options.multiprocessors =
      static_cast<std::uint32_t>(device().attribute(kMultiprocessors).value_or(1));
  run_options.fresh_shared = options_.fresh_shared;
  const WatchedLaunch watched{kernel.name, launch, device().arch, device().name};
  if (watch_) run_options.events = watch_->before(watched);
  const ptx::Module& module = kernel.library->module().module();
  machine::RunResult result;
  try {
    result = machine::run(launch, memory().global(), run_options);
  } catch (const machine::Fault& fault) {
    // A launch that cannot be started leaves the device as it was.
    throw CudaError(error_code_of(fault.kind, fault.rule),
                    "\n" + report_of(fault, kernel.name, module, launch.block));
  }
  if (watch_) watch_->after(watched, result);
  std::fwrite(result.output.data(), 1, result.output.size(), stdout);
  for (const std::string& warning : result.warnings) {
    std::fprintf(stderr, "layout-check: warning: %s\n", warning.c_str());
  }
  if (options_.trace) std::fputs(trace_of(kernel.name, launch, result).c_str(), stderr);
  if (!result.fault) return;
  std::fputs(report_of(*result.fault, kernel.name, module, launch.block).c_str(), stderr);
  sticky_ = error_code_of(result.fault->kind, result.fault->rule);
  throw CudaError(sticky_);
}

}  // namespace lc::runtime
