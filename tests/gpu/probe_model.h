#pragma once

#include <algorithm>

#include "kernel/probe_tile.h"
#include "sim/layout/tensor_map.h"

// A probe tile in the model's words.
namespace lc::gpu_tests {

inline TensorMap model_of(const kernel::TmaTile& tile) {
  const kernel::TensorMapCall& call = tile.map;
  TensorMap map;
  map.data_type = static_cast<DataType>(call.data_type);
  map.rank = static_cast<int>(call.box_dim.size());
  map.global_address = 0x7f0000000000 + tile.source_offset;
  for (std::size_t d = 0; d < call.box_dim.size(); ++d) {
    map.global_dim[d] = call.global_dim[d];
    map.box_dim[d] = call.box_dim[d];
    map.element_stride[d] = call.element_strides[d];
    if (d != 0) map.global_stride[d - 1] = call.global_strides[d - 1];
  }
  map.interleave = static_cast<Interleave>(call.interleave);
  map.swizzle = static_cast<Swizzle>(call.swizzle);
  map.l2_promotion = static_cast<L2Promotion>(call.l2_promotion);
  map.oob_fill = static_cast<OobFill>(call.oob_fill);
  return map;
}

inline Coordinates coordinates_of(const kernel::TmaTile& tile) {
  Coordinates out{};
  std::copy(tile.coordinates.begin(), tile.coordinates.end(), out.at);
  return out;
}

}  // namespace lc::gpu_tests
