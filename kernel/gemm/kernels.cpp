#include "kernel/gemm/cp_async_plan.h"
#include "kernel/gemm/plan.h"
#include "kernel/gemm/tcgen05_gemm_plan.h"
#include "kernel/gemm/tma_plan.h"

namespace lc::kernel {

const std::vector<GemmKernel>& gemm_kernels() {
  static const std::vector<GemmKernel> kKernels{
      {"tcgen05_cp_async", "tcgen05_cp_async", "sm_100a",
       "128 threads copy with cp.async and swizzle by hand, two stages",
       tcgen05_cp_async_variants(), plan_tcgen05_cp_async, GemmMajor::mn},
      {"tcgen05_tma", "tcgen05_tma", "sm_100a",
       "TMA loads 3-D boxes and stores D, one thread issues, two stages", tma_variants(),
       plan_tcgen05_tma},
      {"tcgen05_gemm", "tcgen05_gemm", "sm_100a",
       "warp-specialised, persistent, CTA pairs, accumulators overlapped with the epilogue",
       tcgen05_gemm_variants(), plan_tcgen05_gemm},
      {"wgmma_cp_async", "wgmma_cp_async", "sm_90a",
       "the stages of tcgen05_cp_async, read by wgmma", wgmma_cp_async_variants(),
       plan_wgmma_cp_async, GemmMajor::mn},
      {"wgmma_tma", "wgmma_tma", "sm_90a",
       "the stages and the store of tcgen05_tma, wgmma between them", tma_variants(),
       plan_wgmma_tma},
  };
  return kKernels;
}

}  // namespace lc::kernel
