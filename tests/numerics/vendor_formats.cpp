#include "tests/numerics/vendor_formats.h"

#if LC_HAVE_EIGEN
#include <Eigen/Core>
#endif
#if LC_HAVE_CUDA_FORMATS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#endif

namespace lc::tests {
namespace {

using numerics::Format;
using numerics::Overflow;
using numerics::Rounding;

#if LC_HAVE_EIGEN
float eigen_half(std::uint32_t code) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(static_cast<std::uint16_t>(code)));
}
std::uint32_t eigen_half_code(float value) {
  return Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(value));
}
float eigen_bfloat16(std::uint32_t code) {
  return static_cast<float>(
      Eigen::numext::bit_cast<Eigen::bfloat16>(static_cast<std::uint16_t>(code)));
}
std::uint32_t eigen_bfloat16_code(float value) {
  return Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(value));
}
#endif

#if LC_HAVE_CUDA_FORMATS
float half_value(const __half_raw& raw) {
  return __half2float(__half(raw));
}

template <__nv_fp8_interpretation_t kFormat>
float fp8(std::uint32_t code) {
  return half_value(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), kFormat));
}
template <__nv_fp8_interpretation_t kFormat>
std::uint32_t fp8_code(float value) {
  return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, kFormat);
}
template <__nv_fp6_interpretation_t kFormat>
float fp6(std::uint32_t code) {
  return half_value(__nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(code), kFormat));
}
template <__nv_fp6_interpretation_t kFormat>
std::uint32_t fp6_code(float value) {
  return __nv_cvt_float_to_fp6(value, kFormat, cudaRoundNearest);
}
float fp4(std::uint32_t code) {
  return half_value(__nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(code), __NV_E2M1));
}
std::uint32_t fp4_code(float value) {
  return __nv_cvt_float_to_fp4(value, __NV_E2M1, cudaRoundNearest);
}
float e8m0(std::uint32_t code) {
  const __nv_bfloat16_raw raw = __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(code));
  return __bfloat162float(__nv_bfloat16(raw));
}
template <cudaRoundMode kMode>
std::uint32_t e8m0_code(float value) {
  return __nv_cvt_float_to_e8m0(value, __NV_SATFINITE, kMode);
}
#endif

}  // namespace

std::vector<VendorFormat> vendor_formats() {
  return {
#if LC_HAVE_EIGEN
    {"Eigen::half",  Format::f16, Rounding::nearest_even,
     Overflow::ieee, eigen_half,  eigen_half_code},
        {"Eigen::bfloat16", Format::bf16,   Rounding::nearest_even,
         Overflow::ieee,    eigen_bfloat16, eigen_bfloat16_code},
#endif
#if LC_HAVE_CUDA_FORMATS
        {"cuda_fp8.h",       Format::e4m3,   Rounding::nearest_even,
         Overflow::saturate, fp8<__NV_E4M3>, fp8_code<__NV_E4M3>},
        {"cuda_fp8.h",       Format::e5m2,   Rounding::nearest_even,
         Overflow::saturate, fp8<__NV_E5M2>, fp8_code<__NV_E5M2>},
        {"cuda_fp6.h",       Format::e2m3,   Rounding::nearest_even,
         Overflow::saturate, fp6<__NV_E2M3>, fp6_code<__NV_E2M3>},
        {"cuda_fp6.h",       Format::e3m2,   Rounding::nearest_even,
         Overflow::saturate, fp6<__NV_E3M2>, fp6_code<__NV_E3M2>},
        {"cuda_fp4.h", Format::e2m1, Rounding::nearest_even, Overflow::saturate, fp4, fp4_code},
        {"cuda_fp8.h",       Format::ue8m0, Rounding::toward_zero,
         Overflow::saturate, e8m0,          e8m0_code<cudaRoundZero>},
        {"cuda_fp8.h",       Format::ue8m0, Rounding::up,
         Overflow::saturate, e8m0,          e8m0_code<cudaRoundPosInf>},
#endif
  };
}

}  // namespace lc::tests
