#include "kernel/gemm/gemm_run.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <optional>

#include "kernel/gemm/gemm_entries.h"
#include "kernel/gemm/integer_data.h"
#include "kernel/smem_dump.h"
#include "kernel/tensor_map.h"

namespace lc::kernel {

namespace {

constexpr unsigned char kUntouched = 0xEE;  ///< what every byte of D holds before

void require(cudaError_t status, const char* what) {
  detail::check(status, what);
}

/// Device memory with a copy of host bytes.
class DeviceBytes {
 public:
  explicit DeviceBytes(const Bytes& host) : size_(host.size()) {
    if (host.empty()) return;
    require(cudaMalloc(&memory_, size_), "memory for a matrix");
    require(cudaMemcpy(memory_, host.data(), size_, cudaMemcpyHostToDevice), "copy of a matrix");
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(memory_); }

  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(memory_); }
  const void* pointer() const { return memory_; }
  std::size_t size() const { return size_; }
  Bytes fetched() const {
    Bytes out(size_);
    require(cudaMemcpy(out.data(), memory_, size_, cudaMemcpyDeviceToHost), "copy of D");
    return out;
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
};

TensorMap encode(const TensorMapCall& call) {
  const CUtensorMap map = encode_tiled(call);
  TensorMap out;
  static_assert(sizeof out == sizeof map);
  std::memcpy(&out, &map, sizeof out);
  return out;
}

void launch(const GemmPlan& plan) {
  const void* kernel = gemm_entry(plan.entry);
  if (kernel == nullptr) throw GemmRefusal("kernel", plan.entry + " is not in this program");
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(plan.dynamic_smem)),
          plan.entry.c_str());
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {plan.cluster[0], plan.cluster[1], plan.cluster[2]};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(plan.grid[0], plan.grid[1], plan.grid[2]);
  config.blockDim = dim3(plan.block[0], plan.block[1], plan.block[2]);
  config.dynamicSmemBytes = plan.dynamic_smem;
  config.attrs = &cluster;
  config.numAttrs = 1;
  std::vector<std::byte> parameters = plan.parameters;
  void* arguments[] = {parameters.data()};
  require(cudaLaunchKernelExC(&config, kernel, arguments), plan.entry.c_str());
  require(cudaDeviceSynchronize(), plan.entry.c_str());
}

/// Refuses a machine whose device does not have the kernel's instructions.
void require_device(const GemmKernel& kernel) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    throw GemmRefusal("device", "there is no GPU here", "layout-check run -- lc_gemm ...");
  }
  cudaDeviceProp device;
  require(cudaGetDeviceProperties(&device, 0), "the properties of the device");
  const std::string arch =
      "sm_" + std::to_string(device.major) + std::to_string(device.minor) + "a";
  if (arch == kernel.arch) return;
  throw GemmRefusal(
      "device",
      std::string(device.name) + " is " + arch + ", " + kernel.name + " is for " + kernel.arch,
      kernel.arch == std::string("sm_90a") ? "layout-check run --device h200 -- lc_gemm ..."
                                           : "layout-check run --device b200 -- lc_gemm ...");
}

/// The device's matrices, and what a plan calls them.
struct Operands {
  DeviceBytes a, b, c, d, bias, scale_a, scale_b;

  Operands(const GemmProblem& p, const GemmData& data)
      : a(data.a),
        b(data.b),
        c(data.c),
        d(Bytes(matrix_d(p).bytes(), kUntouched)),
        bias(data.bias),
        scale_a(data.scale_a),
        scale_b(data.scale_b) {}

  GemmOperands addresses() const {
    return {a.address(),    b.address(),       c.address(),      d.address(),
            bias.address(), scale_a.address(), scale_b.address()};
  }

  /// Adds the matrices that descriptions name.
  void add_sources(SmemDumper& dumper, const GemmPlan& plan) const {
    const std::pair<const char*, const DeviceBytes*> all[] = {{"A_global", &a},
                                                              {"B_global", &b},
                                                              {"D_global", &d},
                                                              {"SFA_global", &scale_a},
                                                              {"SFB_global", &scale_b}};
    for (const auto& [name, bytes] : all) {
      const bool named = std::any_of(plan.tiles.begin(), plan.tiles.end(), [&](const auto& tile) {
        return tile.second.source.tensor == name;
      });
      if (named) dumper.source(name, bytes->pointer(), bytes->size());
    }
  }
};

/// Room for the tiles of a launch: every stage of every tile of D at most twice (where a tile is
/// told in several pieces), and D.
std::uint64_t dump_bytes(const GemmProblem& p, const GemmPlan& plan) {
  const auto tiles = [](std::uint64_t extent, std::uint64_t tile) {
    return (extent + tile - 1) / tile;
  };
  const auto [m, n, k] = plan.tile;
  const std::uint64_t stage = std::uint64_t{m + n} * k * bits_of(p.type) / 8;
  const std::uint64_t of_tile = 2 * stage * tiles(p.k, k) + std::uint64_t{m} * n * 4;
  const std::uint64_t clusters = tiles(p.m, m) * tiles(p.n, n) + plan.cluster[0];
  return std::min(clusters * of_tile, std::uint64_t{2} << 30);
}

void write_dump(SmemDumper& dumper, const GemmPlan& plan, const Operands& operands,
                const GemmRun& run) {
  for (const auto& [name, description] : plan.tiles) dumper.describe(name, description);
  operands.add_sources(dumper, plan);
  dumper.fact("created_by", "lc_gemm").fact("command", run.command);
  const std::vector<std::string> problems = dumper.write(run.dump);
  for (const std::string& problem : problems) std::cerr << problem << "\n";
  if (!problems.empty()) throw SmemDumpError("the dump is not complete");
}

}  // namespace

std::string run_gemm(const GemmRun& run) {
  require_device(*run.kernel);
  const GemmProblem& p = run.problem;
  const Operands operands(p, integer_data(p, run.seed));
  GemmSettings settings;
  settings.variant = run.variant;
  int multiprocessors = 0;
  require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
          "the current device");
  settings.multiprocessors = static_cast<std::uint32_t>(multiprocessors);
  GemmPlan plan = run.kernel->plan(p, operands.addresses(), settings, encode);
  std::optional<SmemDumper> dumper;
  if (!run.dump.empty()) {
    const std::uint64_t bytes = dump_bytes(p, plan);
    dumper.emplace(bytes, static_cast<std::uint32_t>(1024 + bytes / 4096));
    dumper->only_ctas(0, run.dump_ctas);
    settings.dump = dumper->device().buffer();
    plan = run.kernel->plan(p, operands.addresses(), settings, encode);
  }
  launch(plan);
  if (dumper) write_dump(*dumper, plan, operands, run);
  return difference(p, expected_values(p, run.seed), operands.d.fetched(), kUntouched);
}

}  // namespace lc::kernel
