#include "sim/runtime/cudart/call.h"

using namespace lc::runtime;
using namespace lc::runtime::cudart;

namespace {

std::array<std::uint32_t, 3> vector_of(abi::Dim3 d) {
  return {d.x, d.y, d.z};
}

LaunchRequest request_of(Gpu& gpu, const void* function, abi::Dim3 grid, abi::Dim3 block,
                         std::size_t shared, void* stream) {
  LaunchRequest request;
  request.kernel = &kernel_of(gpu, function);
  request.grid = vector_of(grid);
  request.block = vector_of(block);
  request.dynamic_shared_bytes = shared;
  request.stream = &gpu.stream(stream);
  return request;
}

}  // namespace

extern "C" {

int cudaLaunchKernel(const void* function, abi::Dim3 grid, abi::Dim3 block, void** arguments,
                     std::size_t shared, void* stream) {
  return call("cudaLaunchKernel", [&](Gpu& gpu) {
    gpu.launch(request_of(gpu, function, grid, block, shared, stream), arguments);
  });
}

int __cudaLaunchKernel(void* kernel, abi::Dim3 grid, abi::Dim3 block, const void* const* arguments,
                       std::size_t shared, void* stream) {
  return cudaLaunchKernel(kernel, grid, block, const_cast<void**>(arguments), shared, stream);
}

int cudaLaunchKernelExC(const abi::LaunchConfig* config, const void* function, void** arguments) {
  return call("cudaLaunchKernelExC", [&](Gpu& gpu) {
    require(config != nullptr, kInvalidValue);
    LaunchRequest request = request_of(gpu, function, config->grid, config->block,
                                       config->dynamic_shared_bytes, config->stream);
    apply({config->attributes, config->attribute_count}, request);
    gpu.launch(request, arguments);
  });
}

int cudaLaunchCooperativeKernel(const void* function, abi::Dim3 grid, abi::Dim3 block,
                                void** arguments, std::size_t shared, void* stream) {
  return call("cudaLaunchCooperativeKernel", [&](Gpu& gpu) {
    LaunchRequest request = request_of(gpu, function, grid, block, shared, stream);
    request.cooperative = true;
    gpu.launch(request, arguments);
  });
}

int cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return call("cudaLaunchHostFunc", [&](Gpu& gpu) {
    gpu.stream(stream).submit(Graph::Node::Kind::host, [=] { function(data); });
  });
}

}  // extern "C"
