#pragma once

#include <cstdint>
#include <string>

#include "sim/machine/tensor_map_object.h"

namespace lc::runtime {

/// The arguments that cuTensorMapEncodeTiled, Im2col and Im2colWide share, as the caller gave them.
struct TensorMapArguments {
  unsigned data_type = 0, rank = 0;
  void* global_address = nullptr;
  const std::uint64_t* global_dim = nullptr;
  const std::uint64_t* global_strides = nullptr;
  const std::uint32_t* element_strides = nullptr;
  unsigned interleave = 0, swizzle = 0, l2_promotion = 0, oob_fill = 0;
};

/// Writes the 128 bytes of a map for `arch`.  Throws CudaError with every rule that the call breaks
/// and, for tiled maps, the nearest legal call.
void encode_tiled(void* map, const TensorMapArguments& arguments, const std::uint32_t* box_dim,
                  Arch arch);
struct Im2colArguments {
  const int* lower = nullptr;
  const int* upper = nullptr;
  std::uint32_t channels = 0, pixels = 0;
  bool wide = false, wide_128 = false;
};
void encode_im2col(void* map, const TensorMapArguments& arguments, const Im2colArguments& column,
                   Arch arch);
/// cuTensorMapReplaceAddress
void replace_address(void* map, void* global_address, Arch arch);

}  // namespace lc::runtime
