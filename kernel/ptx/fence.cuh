#pragma once

// PTX ISA, "membar / fence": proxies.
namespace lc::ptx {

/// Orders this thread's ordinary accesses to its CTA's shared memory before and after against the
/// accesses of the async proxy (TMA, tensor cores).  Every writing thread runs it, then a barrier.
__device__ __forceinline__ void fence_proxy_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace lc::ptx
