// Compiled only: the layout model as device code, without a warning.
#include "every_layout_header.h"
#include "tests/compile/layout_calls.h"

namespace lc::compile {

__global__ void layout_calls_kernel(std::uint32_t* out) {
  const std::uint32_t seed = blockIdx.x * blockDim.x + threadIdx.x;
  if (seed < kLayoutSeeds) out[seed] = layout_calls(seed);
}

}  // namespace lc::compile
