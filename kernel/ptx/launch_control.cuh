#pragma once

#include <cstdint>

// PTX ISA, "clusterlaunchcontrol": a running cluster takes over the work of one that has not begun.
namespace lc::ptx {

/// Asks for the next cluster.  The 16-byte response goes to `response`, and 16 bytes of
/// transaction to `barrier`, at these offsets in every CTA of this cluster.
__device__ __forceinline__ void launch_control_try_cancel_multicast(std::uint32_t response,
                                                                    std::uint32_t barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(response),
      "r"(barrier)
      : "memory");
}

struct CanceledCluster {
  bool valid;             ///< false: no cluster is left
  std::uint32_t first_x;  ///< blockIdx.x of its first CTA
};

__device__ __forceinline__ CanceledCluster launch_control_response(std::uint32_t response) {
  std::uint32_t valid, x;
  asm volatile(
      "{\n\t.reg .pred p;\n\t.reg .b128 r;\n\t"
      "ld.shared.b128 r, [%2];\n\t"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "mov.u32 %1, 0;\n\t"
      "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r;\n\t}"
      : "=r"(valid), "=r"(x)
      : "r"(response)
      : "memory");
  return {valid != 0, x};
}

}  // namespace lc::ptx
