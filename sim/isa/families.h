#pragma once

#include <span>

#include "sim/isa/op.h"

/// The rows of each family, in the file of that name.
namespace lc::isa {

std::span<const Op> move_ops();
std::span<const Op> integer_ops();
std::span<const Op> integer_mul_ops();
std::span<const Op> carry_ops();
std::span<const Op> logic_ops();
std::span<const Op> bit_ops();
std::span<const Op> compare_ops();
std::span<const Op> float_ops();
std::span<const Op> approximate_ops();
std::span<const Op> half_ops();
std::span<const Op> convert_ops();
std::span<const Op> convert_packed_ops();
std::span<const Op> control_ops();
std::span<const Op> memory_ops();
std::span<const Op> cache_ops();
std::span<const Op> multimem_ops();
std::span<const Op> atomic_ops();
std::span<const Op> remote_store_ops();
std::span<const Op> warp_ops();
std::span<const Op> matrix_move_ops();
std::span<const Op> barrier_ops();
std::span<const Op> fence_ops();
std::span<const Op> mbarrier_ops();
std::span<const Op> async_copy_ops();
std::span<const Op> bulk_copy_ops();
std::span<const Op> tensor_copy_ops();
std::span<const Op> tensor_map_ops();
std::span<const Op> launch_control_ops();
std::span<const Op> mma_ops();
std::span<const Op> wgmma_ops();
std::span<const Op> tcgen05_memory_ops();
std::span<const Op> tcgen05_copy_ops();
std::span<const Op> tcgen05_mma_ops();

}  // namespace lc::isa
