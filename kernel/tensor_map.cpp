#include "kernel/tensor_map.h"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

namespace lc::kernel {

namespace {

PFN_cuTensorMapEncodeTiled_v12000 entry_point() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                              12000, cudaEnableDefault, &found);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess || function == nullptr) {
    throw SmemDumpError(
        "the driver has no cuTensorMapEncodeTiled; try: a driver of CUDA 12 or later");
  }
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

}  // namespace

CUtensorMap encode_tiled(const TensorMapCall& call) {
  static_assert(sizeof(cuuint64_t) == sizeof(std::uint64_t));
  const std::vector<cuuint64_t> dim(call.global_dim.begin(), call.global_dim.end());
  std::vector<cuuint64_t> strides(call.global_strides.begin(), call.global_strides.end());
  strides.push_back(0);  // a null pointer is refused, even for rank 1 which has none
  CUtensorMap map;
  const CUresult result =
      entry_point()(&map, static_cast<CUtensorMapDataType>(call.data_type),
                    static_cast<cuuint32_t>(call.global_dim.size()),
                    reinterpret_cast<void*>(static_cast<std::uintptr_t>(call.global_address)),
                    dim.data(), strides.data(), call.box_dim.data(), call.element_strides.data(),
                    static_cast<CUtensorMapInterleave>(call.interleave),
                    static_cast<CUtensorMapSwizzle>(call.swizzle),
                    static_cast<CUtensorMapL2promotion>(call.l2_promotion),
                    static_cast<CUtensorMapFloatOOBfill>(call.oob_fill));
  if (result != CUDA_SUCCESS) {
    throw SmemDumpError("cuTensorMapEncodeTiled refused " + json_text(call) + " with CUresult " +
                        std::to_string(static_cast<int>(result)));
  }
  return map;
}

}  // namespace lc::kernel
