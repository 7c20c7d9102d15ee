#pragma once

#include <cstdint>

// PTX ISA, "barrier.cluster", "mapa" and mbarriers of other CTAs of the cluster.
namespace lc::ptx {

__device__ __forceinline__ std::uint32_t cluster_cta_rank() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Every thread of the cluster has come here; what each wrote before is seen by all after.
__device__ __forceinline__ void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n\t"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

/// The address that `shared`, of this CTA, has in the CTA `rank` of the cluster.
__device__ __forceinline__ std::uint32_t shared_of_cta(std::uint32_t shared, std::uint32_t rank) {
  std::uint32_t out;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(shared), "r"(rank));
  return out;
}

/// Arrives at a barrier of any CTA of the cluster; `barrier` is an address as shared_of_cta gives.
__device__ __forceinline__ void mbarrier_arrive_cluster(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
               : "memory");
}

__device__ __forceinline__ void mbarrier_arrive_expect_tx_cluster(std::uint32_t barrier,
                                                                  std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(barrier),
      "r"(bytes)
      : "memory");
}

/// As mbarrier_wait, and sees what threads of other CTAs wrote before they arrived.
__device__ __forceinline__ void mbarrier_wait_cluster(std::uint32_t barrier, std::uint32_t parity) {
  constexpr std::uint32_t kMostTries = 1u << 22;
  std::uint32_t done = 0;
  for (std::uint32_t i = 0; done == 0; ++i) {
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
    if (i == kMostTries) __trap();
  }
}

}  // namespace lc::ptx
