#pragma once

#include <cstdint>

// PTX ISA, "cp.async.bulk.tensor" with .cta_group::2 and .multicast::cluster, tile mode, global to
// shared.  `barrier` is an address in the cluster's window: with cta_group::2 it may lie in the CTA
// itself or in the other CTA of its pair.  With a mask the box goes to the same offset of every CTA
// in the mask, and its bytes count on the barrier at the same offset there (cta_group::2: in the
// CTA of the pair that has the parity of `barrier`).
namespace lc::ptx {

template <unsigned cta_group>
__device__ __forceinline__ void tma_load_2d_pair(std::uint32_t shared, const void* map,
                                                 std::uint32_t barrier, std::uint32_t c0,
                                                 std::uint32_t c1) {
  if constexpr (cta_group == 2) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".cta_group::2 [%0], [%1, {%3, %4}], [%2];" ::"r"(shared),
        "l"(map), "r"(barrier), "r"(c0), "r"(c1)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared),
        "l"(map), "r"(barrier), "r"(c0), "r"(c1)
        : "memory");
  }
}

__device__ __forceinline__ void tma_load_2d_pair_multicast(std::uint32_t shared, const void* map,
                                                           std::uint32_t barrier, std::uint32_t c0,
                                                           std::uint32_t c1, std::uint16_t ctas) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster.cta_group::2 [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(c0), "r"(c1), "h"(ctas)
      : "memory");
}

template <unsigned cta_group>
__device__ __forceinline__ void tma_load_3d_pair(std::uint32_t shared, const void* map,
                                                 std::uint32_t barrier, std::uint32_t c0,
                                                 std::uint32_t c1, std::uint32_t c2) {
  if constexpr (cta_group == 2) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".cta_group::2 [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared),
        "l"(map), "r"(barrier), "r"(c0), "r"(c1), "r"(c2)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared),
        "l"(map), "r"(barrier), "r"(c0), "r"(c1), "r"(c2)
        : "memory");
  }
}

}  // namespace lc::ptx
