#pragma once

#include <cstdint>

// PTX ISA, "cp.async.bulk.tensor", tile mode, global to shared.  One thread issues; the bytes of
// the whole box, fill included, are counted on `barrier`.  `map` is the generic address of a
// 128-byte tensor map in kernel parameter, constant or global memory; `shared` is 128-byte aligned.
namespace lc::ptx {

__device__ __forceinline__ void prefetch_tensor_map(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__device__ __forceinline__ void tma_load_1d(std::uint32_t shared, const void* map,
                                            std::uint32_t barrier, std::int32_t c0) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3}], [%2];" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(c0)
      : "memory");
}

__device__ __forceinline__ void tma_load_2d(std::uint32_t shared, const void* map,
                                            std::uint32_t barrier, std::int32_t c0,
                                            std::int32_t c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(c0), "r"(c1)
      : "memory");
}

__device__ __forceinline__ void tma_load_3d(std::uint32_t shared, const void* map,
                                            std::uint32_t barrier, std::int32_t c0, std::int32_t c1,
                                            std::int32_t c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(c0), "r"(c1), "r"(c2)
      : "memory");
}

__device__ __forceinline__ void tma_load_4d(std::uint32_t shared, const void* map,
                                            std::uint32_t barrier, std::int32_t c0, std::int32_t c1,
                                            std::int32_t c2, std::int32_t c3) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
      : "memory");
}

__device__ __forceinline__ void tma_load_5d(std::uint32_t shared, const void* map,
                                            std::uint32_t barrier, std::int32_t c0, std::int32_t c1,
                                            std::int32_t c2, std::int32_t c3, std::int32_t c4) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
      : "memory");
}

}  // namespace lc::ptx
