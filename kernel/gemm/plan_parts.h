#pragma once

#include "kernel/descriptor.cuh"
#include "kernel/gemm/epilogue.h"
#include "kernel/gemm/plan.h"

// What the plans of tcgen05_cp_async and tcgen05_tma share.
namespace lc::kernel {

/// Throws what no kernel takes: extents of 0, addresses off 16 bytes, outputs that do not go with
/// the type.
void refuse_illegal(const GemmProblem& problem, const GemmOperands& at);

/// As OperandTile spells it: "f16", "e4m3".
const char* element_name(GemmType type);

Epilogue epilogue_of(const GemmProblem& problem, const GemmOperands& at);

/// Instruction descriptor of a dense tcgen05.mma of m x n; s8 accumulates in s32, the others in
/// f32.
DenseInstruction dense_instruction(const GemmProblem& problem, std::uint32_t m, std::uint32_t n);

constexpr std::uint32_t tiles_of(std::uint64_t extent, std::uint32_t tile) {
  return static_cast<std::uint32_t>((extent + tile - 1) / tile);
}

/// One CTA for each tile of D; M is x, so that CTAs that run together share columns of B.
std::array<std::uint32_t, 3> grid_of_tiles(const GemmProblem& problem, std::uint32_t tile_m,
                                           std::uint32_t tile_n);

}  // namespace lc::kernel
