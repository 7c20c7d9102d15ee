#include "kernel/gemm/plan.h"
#include "kernel/gemm/tcgen05_gemm_plan.h"

namespace lc::kernel {

const std::vector<GemmKernel>& gemm_kernels() {
  static const std::vector<GemmKernel> kKernels{
      {"tcgen05_gemm", "tcgen05_gemm", "sm_100a",
       "warp-specialised, persistent, CTA pairs, accumulators overlapped with the epilogue",
       tcgen05_gemm_variants(), plan_tcgen05_gemm},
  };
  return kKernels;
}

}  // namespace lc::kernel
