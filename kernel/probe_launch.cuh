#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernel/probe_tile.h"
#include "kernel/ptx/address.cuh"

namespace lc::kernel {

/// Ends the launch with an error unless dynamic shared memory begins where the host thinks.
__device__ inline void require_window_begin(const void* dynamic_shared) {
  if (ptx::shared_address(dynamic_shared) != kSmemBegin) __trap();
}

/// Fills the window, so that bytes nobody writes can be told.  Every thread of the CTA takes part;
/// the window begins and ends at a multiple of 4.
__device__ inline void poison(std::uint32_t window, std::uint32_t bytes) {
  constexpr std::uint32_t kWord = kUntouched * 0x01010101u;
  for (std::uint32_t i = threadIdx.x * 4; i < bytes; i += blockDim.x * 4) {
    ptx::st_shared_u32(window + i, kWord);
  }
}

/// Lets the kernel use `end - kSmemBegin` bytes of dynamic shared memory.
template <class Kernel>
cudaError_t allow_shared_memory(Kernel* kernel, std::uint32_t end) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(end - kSmemBegin));
}

}  // namespace lc::kernel
