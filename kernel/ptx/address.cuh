#pragma once

#include <cstdint>

namespace lc::ptx {

/// Byte offset in the shared window of a pointer to shared memory.  In a cluster launch the bits
/// from 24 up carry the rank of the CTA; everything that computes swizzles masks them off.
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Address in global memory, as cp.async and the tensor copies take it.
__device__ __forceinline__ std::uint64_t global_address(const void* pointer) {
  return static_cast<std::uint64_t>(__cvta_generic_to_global(pointer));
}

__device__ __forceinline__ void st_shared_u32(std::uint32_t address, std::uint32_t value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

}  // namespace lc::ptx
