#pragma once

#include "sim/layout/tensor_map_bits.h"
#include "verify/request.h"

namespace lc::verify {

/// The 128 bytes of `tensor_map`: 256 hex digits, byte 0 first.
TensorMapWords read_tensor_map_words(const Request& request);

}  // namespace lc::verify
