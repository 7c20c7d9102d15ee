#include <cstring>

#include "sim/runtime/driver/call.h"
#include "sim/runtime/function.h"

using namespace lc::runtime;
using namespace lc::runtime::driver;

namespace {

// CU_LAUNCH_PARAM_*: the list of `extra` in name, value pairs.
void* const kEnd = nullptr;
void* const kBufferPointer = reinterpret_cast<void*>(1);
void* const kBufferSize = reinterpret_cast<void*>(2);

std::span<const std::byte> packed_arguments(void** extra) {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  for (; *extra != kEnd; extra += 2) {
    if (*extra == kBufferPointer) data = static_cast<const std::byte*>(extra[1]);
    if (*extra == kBufferSize) std::memcpy(&bytes, extra[1], sizeof bytes);
  }
  require(data != nullptr, kInvalidValue, "`extra` names no argument buffer");
  return {data, bytes};
}

void launch(Gpu& gpu, const LaunchRequest& request, void** arguments, void** extra) {
  require(arguments == nullptr || extra == nullptr, kInvalidValue,
          "kernelParams and extra are both given");
  if (extra != nullptr) {
    gpu.launch_packed(request, packed_arguments(extra));
  } else {
    gpu.launch(request, arguments);
  }
}

LaunchRequest request_of(Gpu& gpu, void* function, const abi::DriverLaunchConfig* config) {
  require(config != nullptr, kInvalidValue);
  LaunchRequest request;
  request.kernel = &kernel_of(gpu, function);
  std::copy_n(config->grid, 3, request.grid.begin());
  std::copy_n(config->block, 3, request.block.begin());
  request.dynamic_shared_bytes = config->dynamic_shared_bytes;
  request.stream = &gpu.stream(config->stream);
  apply({config->attributes, config->attribute_count}, request);
  return request;
}

}  // namespace

extern "C" {

int cuLaunchKernelEx(const abi::DriverLaunchConfig* config, void* function, void** arguments,
                     void** extra) {
  return call("cuLaunchKernelEx",
              [&](Gpu& gpu) { launch(gpu, request_of(gpu, function, config), arguments, extra); });
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void* stream, void** arguments, void** extra) {
  const abi::DriverLaunchConfig config{
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, arguments, extra);
}

int cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              void* stream, void** arguments) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                        arguments, nullptr);
}

int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return call("cuLaunchHostFunc", [&](Gpu& gpu) {
    gpu.stream(stream).submit(Graph::Node::Kind::host, [=] { function(data); });
  });
}

int cuOccupancyMaxActiveClusters(int* clusters, void* function,
                                 const abi::DriverLaunchConfig* config) {
  return call("cuOccupancyMaxActiveClusters", [&](Gpu& gpu) {
    give(clusters, resident_clusters(gpu, request_of(gpu, function, config)));
  });
}

int cuOccupancyMaxPotentialClusterSize(int* size, void* function,
                                       const abi::DriverLaunchConfig* config) {
  return call("cuOccupancyMaxPotentialClusterSize", [&](Gpu& gpu) {
    give(size, request_of(gpu, function, config).kernel->non_portable_cluster ? 16 : 8);
  });
}

}  // extern "C"
