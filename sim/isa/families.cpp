#include "sim/isa/families.h"

#include <array>

namespace lc::isa {

std::span<const Family> families() {
  static const std::array all{
      Family{"Moves and addresses", move_ops()},
      Family{"Integer arithmetic", integer_ops()},
      Family{"Integer products", integer_mul_ops()},
      Family{"Extended precision", carry_ops()},
      Family{"Logic and shifts", logic_ops()},
      Family{"Bits and bytes", bit_ops()},
      Family{"Comparison and selection", compare_ops()},
      Family{"Floating point", float_ops()},
      Family{"Approximations", approximate_ops()},
      Family{"Half precision", half_ops()},
      Family{"Conversion", convert_ops()},
      Family{"Packed conversions", convert_packed_ops()},
      Family{"Control flow", control_ops()},
      Family{"Loads and stores", memory_ops()},
      Family{"Cache control and bulk stores", cache_ops()},
      Family{"Memory of several GPUs", multimem_ops()},
      Family{"Atomics", atomic_ops()},
      Family{"Asynchronous stores", remote_store_ops()},
      Family{"Warp", warp_ops()},
      Family{"Matrix loads and stores", matrix_move_ops()},
      Family{"Barriers", barrier_ops()},
      Family{"Fences", fence_ops()},
      Family{"mbarrier", mbarrier_ops()},
      Family{"Asynchronous copies", async_copy_ops()},
      Family{"Bulk copies", bulk_copy_ops()},
      Family{"Tensor copies", tensor_copy_ops()},
      Family{"Tensor maps", tensor_map_ops()},
      Family{"Launch control", launch_control_ops()},
      Family{"mma.sync", mma_ops()},
      Family{"wgmma", wgmma_ops()},
      Family{"tcgen05: Tensor Memory", tcgen05_memory_ops()},
      Family{"tcgen05: copies", tcgen05_copy_ops()},
      Family{"tcgen05: matrix", tcgen05_mma_ops()},
  };
  return all;
}

}  // namespace lc::isa
