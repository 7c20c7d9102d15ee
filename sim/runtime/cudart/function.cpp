#include "sim/runtime/function.h"

#include "sim/runtime/cudart/call.h"

using namespace lc::runtime;
using namespace lc::runtime::cudart;

namespace {

LaunchRequest request_of(Gpu& gpu, const void* function, const abi::LaunchConfig* config) {
  require(config != nullptr, kInvalidValue);
  LaunchRequest request;
  request.kernel = &kernel_of(gpu, function);
  request.grid = {config->grid.x, config->grid.y, config->grid.z};
  request.block = {config->block.x, config->block.y, config->block.z};
  request.dynamic_shared_bytes = config->dynamic_shared_bytes;
  apply({config->attributes, config->attribute_count}, request);
  return request;
}

}  // namespace

extern "C" {

int cudaFuncSetAttribute(const void* function, int attribute, int value) {
  return call("cudaFuncSetAttribute",
              [&](Gpu& gpu) { set_attribute(gpu, kernel_of(gpu, function), attribute, value); });
}

int cudaKernelSetAttributeForDevice(void* kernel, int attribute, int value, int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

int cudaFuncGetAttributes(abi::FunctionAttributes* to, const void* function) {
  return call("cudaFuncGetAttributes",
              [&](Gpu& gpu) { give(to, attributes_of(gpu, kernel_of(gpu, function))); });
}

int cudaFuncSetCacheConfig(const void* function, int) {
  return call("cudaFuncSetCacheConfig", [&](Gpu& gpu) { kernel_of(gpu, function); });
}

int cudaFuncGetName(const char** name, const void* function) {
  return call("cudaFuncGetName",
              [&](Gpu& gpu) { give(name, kernel_of(gpu, function).name.c_str()); });
}

int cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                         std::size_t* bytes) {
  return call("cudaFuncGetParamInfo", [&](Gpu& gpu) {
    const auto place = parameter_of(gpu, kernel_of(gpu, function), index);
    give<std::size_t>(offset, place.offset);
    if (bytes != nullptr) *bytes = place.size;
  });
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, const void* function,
                                                           int threads, std::size_t shared,
                                                           unsigned) {
  return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Gpu& gpu) {
    give(ctas, resident_ctas(gpu, kernel_of(gpu, function), threads, shared));
  });
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, const void* function, int threads,
                                                  std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, function, threads, shared, 0);
}

int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int ctas,
                                              int) {
  return call("cudaOccupancyAvailableDynamicSMemPerBlock", [&](Gpu& gpu) {
    give(bytes, available_shared(gpu, kernel_of(gpu, function), ctas));
  });
}

int cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                   const abi::LaunchConfig* config) {
  return call("cudaOccupancyMaxActiveClusters", [&](Gpu& gpu) {
    give(clusters, resident_clusters(gpu, request_of(gpu, function, config)));
  });
}

int cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                         const abi::LaunchConfig* config) {
  return call("cudaOccupancyMaxPotentialClusterSize", [&](Gpu& gpu) {
    give(size, request_of(gpu, function, config).kernel->non_portable_cluster ? 16 : 8);
  });
}

}  // extern "C"
