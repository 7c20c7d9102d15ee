#pragma once

#include <cstdint>

// PTX ISA, "cp.async": non-bulk copies from global to shared memory.  Addresses are aligned to the
// size of the copy.  Its writes belong to the generic proxy.
namespace lc::ptx {

/// 16 bytes, past L1 (.cg knows this size only).
__device__ __forceinline__ void cp_async_16(std::uint32_t shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

/// The first `bytes` (0 .. 16) from `global`, zeros for the rest of the 16.
__device__ __forceinline__ void cp_async_16_zero_fill(std::uint32_t shared, const void* global,
                                                      std::uint32_t bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
               "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void cp_async_8(std::uint32_t shared, const void* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(global) : "memory");
}

__device__ __forceinline__ void cp_async_4(std::uint32_t shared, const void* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(global) : "memory");
}

/// Closes a group of this thread's copies.
__device__ __forceinline__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `pending` of this thread's newest groups are still under way.
template <int pending>
__device__ __forceinline__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace lc::ptx
