#include "verify/gemm/gpu.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "verify/error.h"

namespace lc::verify {
namespace {

// Numbers of the driver's interface (cuda.h).
constexpr int kAttributeMultiprocessors = 16, kAttributeMajor = 75, kAttributeMinor = 76;
constexpr int kFunctionDynamicShared = 8, kFunctionNonPortableCluster = 14;
constexpr int kFirstExecutionError = 700;  // illegal address, launch failure, time out …
constexpr int kNoDevice = 100, kOutOfMemory = 2, kInvalidPtx = 218, kUnsupportedPtx = 222;

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  std::uint32_t id = 0, pad = 0;
  std::uint32_t value[16] = {};
};
constexpr std::uint32_t kClusterDimension = 4;
struct LaunchConfig {
  std::uint32_t grid[3], block[3];
  std::uint32_t dynamic_shared;
  void* stream;
  LaunchAttribute* attributes;
  std::uint32_t attribute_count;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

}  // namespace

struct Gpu::Functions {
  explicit Functions(const std::string& path) : library(dlopen(path.c_str(), RTLD_NOW)) {
    if (library == nullptr) {
      throw Error("device", fmt::format("no CUDA driver here: {}", dlerror()), "--device virtual");
    }
    find(init, "cuInit");
    find(device_get, "cuDeviceGet");
    find(device_name, "cuDeviceGetName");
    find(device_attribute, "cuDeviceGetAttribute");
    find(retain, "cuDevicePrimaryCtxRetain");
    find(release, "cuDevicePrimaryCtxRelease_v2");
    find(set_current, "cuCtxSetCurrent");
    find(synchronize, "cuCtxSynchronize");
    find(allocate, "cuMemAlloc_v2");
    find(free, "cuMemFree_v2");
    find(to_device, "cuMemcpyHtoD_v2");
    find(to_host, "cuMemcpyDtoH_v2");
    find(set, "cuMemsetD8_v2");
    find(load, "cuModuleLoadData");
    find(unload, "cuModuleUnload");
    find(function, "cuModuleGetFunction");
    find(function_attribute, "cuFuncSetAttribute");
    find(launch, "cuLaunchKernelEx");
    find(encode, "cuTensorMapEncodeTiled");
    find(error_name, "cuGetErrorName");
  }

  template <class Function>
  void find(Function*& function_pointer, const char* name) {
    function_pointer = reinterpret_cast<Function*>(dlsym(library, name));
    if (function_pointer == nullptr) {
      throw Error("device", fmt::format("the CUDA driver has no {}", name),
                  "a driver of CUDA 12.8 or later, or --device virtual");
    }
  }

  void* library;  // never closed: the driver does not like it
  int (*init)(unsigned);
  int (*device_get)(int*, int);
  int (*device_name)(char*, int, int);
  int (*device_attribute)(int*, int, int);
  int (*retain)(void**, int);
  int (*release)(int);
  int (*set_current)(void*);
  int (*synchronize)();
  int (*allocate)(std::uint64_t*, std::size_t);
  int (*free)(std::uint64_t);
  int (*to_device)(std::uint64_t, const void*, std::size_t);
  int (*to_host)(void*, std::uint64_t, std::size_t);
  int (*set)(std::uint64_t, unsigned char, std::size_t);
  int (*load)(void**, const void*);
  int (*unload)(void*);
  int (*function)(void**, void*, const char*);
  int (*function_attribute)(void*, int, int);
  int (*launch)(const LaunchConfig*, void*, void**, void**);
  int (*encode)(kernel::TensorMap*, int, std::uint32_t, void*, const std::uint64_t*,
                const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int, int,
                int);
  int (*error_name)(int, const char**);
};

void Gpu::check(int status, const std::string& what) const {
  if (status == 0) return;
  const char* name = nullptr;
  f_->error_name(status, &name);
  std::string hint;
  if (status == kNoDevice) hint = "--device virtual";
  if (status == kOutOfMemory) hint = "smaller matrices, or a smaller dump (--cta, --stages)";
  if (status == kInvalidPtx || status == kUnsupportedPtx) hint = "a driver of CUDA 13 or later";
  throw Error("device", fmt::format("{}: {}", what, name != nullptr ? name : "unknown error"),
              hint);
}

Gpu::Gpu(const std::string& path) : f_(std::make_unique<Functions>(path)) {
  check(f_->init(0), "the CUDA driver does not start");
  int device = 0, major = 0, minor = 0, count = 0;
  check(f_->device_get(&device, 0), "there is no GPU");
  char name[256] = "";
  check(f_->device_name(name, sizeof name, device), "the GPU does not answer");
  check(f_->device_attribute(&major, kAttributeMajor, device), "the GPU does not answer");
  check(f_->device_attribute(&minor, kAttributeMinor, device), "the GPU does not answer");
  check(f_->device_attribute(&count, kAttributeMultiprocessors, device), "the GPU does not answer");
  check(f_->retain(&context_, device), "the GPU gives no context");
  check(f_->set_current(context_), "the GPU gives no context");
  name_ = name;
  capability_ = major * 10 + minor;
  multiprocessors_ = static_cast<std::uint32_t>(count);
}

Gpu::~Gpu() {
  f_->release(0);
}

Gpu::Buffer::Buffer(const Gpu& gpu, std::uint64_t bytes) : gpu_(gpu), size_(bytes) {
  gpu.check(gpu.f_->allocate(&address_, std::max<std::uint64_t>(bytes, 16)),
            fmt::format("{} bytes of device memory", bytes));
}

Gpu::Buffer::~Buffer() {
  gpu_.f_->free(address_);
}

void Gpu::Buffer::put(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  gpu_.check(gpu_.f_->to_device(address_, bytes.data(), bytes.size()), "copy to the device");
}

void Gpu::Buffer::fill(std::uint8_t byte) {
  if (size_ != 0) gpu_.check(gpu_.f_->set(address_, byte, size_), "filling device memory");
}

void Gpu::Buffer::get(std::span<std::uint8_t> bytes) const {
  if (bytes.empty()) return;
  gpu_.check(gpu_.f_->to_host(bytes.data(), address_, bytes.size()), "copy from the device");
}

kernel::TensorMap Gpu::encode(const kernel::TensorMapCall& call) const {
  std::vector<std::uint64_t> strides = call.global_strides;
  strides.push_back(0);  // a null pointer is refused, even for rank 1 which has none
  kernel::TensorMap map{};
  const int status = f_->encode(
      &map, call.data_type, static_cast<std::uint32_t>(call.global_dim.size()),
      reinterpret_cast<void*>(static_cast<std::uintptr_t>(call.global_address)),
      call.global_dim.data(), strides.data(), call.box_dim.data(), call.element_strides.data(),
      call.interleave, call.swizzle, call.l2_promotion, call.oob_fill);
  check(status, "cuTensorMapEncodeTiled refused " + json_text(call));
  return map;
}

void Gpu::run(std::string_view ptx, const kernel::GemmPlan& plan) const {
  void *module = nullptr, *function = nullptr;
  check(f_->load(&module, std::string(ptx).c_str()), "the driver does not compile the PTX");
  check(f_->function(&function, module, plan.entry.c_str()),
        fmt::format("the PTX has no kernel {}", plan.entry));
  check(
      f_->function_attribute(function, kFunctionDynamicShared, static_cast<int>(plan.dynamic_smem)),
      fmt::format("{} bytes of shared memory", plan.dynamic_smem));
  const std::uint32_t ctas = plan.cluster[0] * plan.cluster[1] * plan.cluster[2];
  if (ctas > 8) check(f_->function_attribute(function, kFunctionNonPortableCluster, 1), "cluster");
  LaunchAttribute cluster;
  cluster.id = kClusterDimension;
  std::copy(plan.cluster.begin(), plan.cluster.end(), cluster.value);
  LaunchConfig config{};
  std::copy(plan.grid.begin(), plan.grid.end(), config.grid);
  std::copy(plan.block.begin(), plan.block.end(), config.block);
  config.dynamic_shared = plan.dynamic_smem;
  config.attributes = &cluster;
  config.attribute_count = ctas > 1 ? 1 : 0;
  alignas(64) std::byte parameters[4096];
  if (plan.parameters.size() > sizeof parameters) throw Error("plan", "too many parameters");
  std::copy(plan.parameters.begin(), plan.parameters.end(), parameters);
  void* arguments[] = {parameters};
  // A card tells at the next wait that a kernel has stopped, the virtual GPU when it is launched.
  const int launched = f_->launch(&config, function, arguments, nullptr);
  if (launched < kFirstExecutionError) {
    check(launched, fmt::format("{} was not launched", plan.entry));
  }
  const int ended = launched != 0 ? launched : f_->synchronize();
  if (ended != 0) {
    const char* name = nullptr;
    f_->error_name(ended, &name);
    throw KernelStopped("kernel", fmt::format("{} did not come to its end: {}", plan.entry,
                                              name != nullptr ? name : "unknown error"));
  }
  check(f_->unload(module), "unloading the kernel");
}

}  // namespace lc::verify
