#pragma once

#include <cstdint>

// PTX ISA, "cp.async.bulk.tensor", shared to global, and bulk groups, which belong to the thread
// that commits them.
namespace lc::ptx {

/// Elements outside the tensor are not written.
__device__ __forceinline__ void tma_store_2d(std::uint32_t shared, const void* map, std::int32_t c0,
                                             std::int32_t c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(
          shared),
      "l"(map), "r"(c0), "r"(c1)
      : "memory");
}

__device__ __forceinline__ void tma_store_3d(std::uint32_t shared, const void* map, std::int32_t c0,
                                             std::int32_t c1, std::int32_t c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(
          shared),
      "l"(map), "r"(c0), "r"(c1), "r"(c2)
      : "memory");
}

/// Closes a group of this thread's stores.
__device__ __forceinline__ void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// All but the newest `pending` groups are complete: written to global memory.
template <int pending>
__device__ __forceinline__ void tma_store_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
}

/// All but the newest `pending` groups have read shared memory, which may be written again.
template <int pending>
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

}  // namespace lc::ptx
