#include "sim/runtime/tensor_map.h"

#include "sim/runtime/driver/call.h"

using namespace lc::runtime;
using namespace lc::runtime::driver;

extern "C" {

int cuTensorMapEncodeTiled(void* map, int type, std::uint32_t rank, void* address,
                           const std::uint64_t* dim, const std::uint64_t* strides,
                           const std::uint32_t* box, const std::uint32_t* element_strides,
                           int interleave, int swizzle, int promotion, int fill) {
  return call("cuTensorMapEncodeTiled", [&](Gpu& gpu) {
    const TensorMapArguments arguments{static_cast<unsigned>(type),
                                       rank,
                                       address,
                                       dim,
                                       strides,
                                       element_strides,
                                       static_cast<unsigned>(interleave),
                                       static_cast<unsigned>(swizzle),
                                       static_cast<unsigned>(promotion),
                                       static_cast<unsigned>(fill)};
    encode_tiled(map, arguments, box, gpu.device().arch);
  });
}

int cuTensorMapEncodeIm2col(void* map, int type, std::uint32_t rank, void* address,
                            const std::uint64_t* dim, const std::uint64_t* strides,
                            const int* lower, const int* upper, std::uint32_t channels,
                            std::uint32_t pixels, const std::uint32_t* element_strides,
                            int interleave, int swizzle, int promotion, int fill) {
  return call("cuTensorMapEncodeIm2col", [&](Gpu& gpu) {
    const TensorMapArguments arguments{static_cast<unsigned>(type),
                                       rank,
                                       address,
                                       dim,
                                       strides,
                                       element_strides,
                                       static_cast<unsigned>(interleave),
                                       static_cast<unsigned>(swizzle),
                                       static_cast<unsigned>(promotion),
                                       static_cast<unsigned>(fill)};
    encode_im2col(map, arguments, {lower, upper, channels, pixels, false, false},
                  gpu.device().arch);
  });
}

int cuTensorMapEncodeIm2colWide(void* map, int type, std::uint32_t rank, void* address,
                                const std::uint64_t* dim, const std::uint64_t* strides, int lower,
                                int upper, std::uint32_t channels, std::uint32_t pixels,
                                const std::uint32_t* element_strides, int interleave, int mode,
                                int swizzle, int promotion, int fill) {
  return call("cuTensorMapEncodeIm2colWide", [&](Gpu& gpu) {
    require(mode == 0 || mode == 1, kInvalidValue, "mode is neither W nor W128");
    const TensorMapArguments arguments{static_cast<unsigned>(type),
                                       rank,
                                       address,
                                       dim,
                                       strides,
                                       element_strides,
                                       static_cast<unsigned>(interleave),
                                       static_cast<unsigned>(swizzle),
                                       static_cast<unsigned>(promotion),
                                       static_cast<unsigned>(fill)};
    encode_im2col(map, arguments, {&lower, &upper, channels, pixels, true, mode == 1},
                  gpu.device().arch);
  });
}

int cuTensorMapReplaceAddress(void* map, void* address) {
  return call("cuTensorMapReplaceAddress",
              [&](Gpu& gpu) { replace_address(map, address, gpu.device().arch); });
}

}  // extern "C"
