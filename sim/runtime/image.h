#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/fatbin.h"

// Code as programs hand it over: a pointer without a size to a fat binary, its wrapper, a cubin or
// PTX text (cuModuleLoadData).
namespace lc::runtime {

struct ImagePtx {
  std::string target;  ///< "sm_100a", as the text says
  std::string text;
  std::string origin;  ///< what messages call it: "fat binary", "PTX text"
};

/// The PTX of an image that suits a device; throws CudaError: no PTX for the device, or no image.
ImagePtx ptx_of_image(const void* image, std::string_view device);

/// Whether the image holds PTX for a device; false for what is no image.
bool image_suits(const void* image, std::string_view device);

}  // namespace lc::runtime
