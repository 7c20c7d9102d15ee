#pragma once

#include <cstdint>

#include "kernel/gemm/epilogue.h"
#include "kernel/gemm/plan.h"

// Sizes of tcgen05_tma and wgmma_tma, and what the host tells them.
//
// A tile is wider than a swizzle atom: 256 bytes of K (128 f16), where TMA boxes of 128B swizzle
// end at 128.  So the tensor map shows the matrix in three dimensions: what is contiguous is split
// into groups of 128 bytes, (column in the group, row, group), and one box takes several groups,
// each of which becomes a column of atoms in shared memory.
//
//     row  | group 0 | group 1 |                group 0, all rows: 16 KiB
//       0  | 128 B   | 128 B   |      ->        group 1, all rows: 16 KiB
//       1  | 128 B   | 128 B   |
//
// The view has whole groups only.  A tile that reaches past the last whole group is fetched group
// by group through the matrix' own two dimensions, where the bound is the real one and TMA fills
// with zeros what lies behind it.
namespace lc::kernel {

inline constexpr std::uint32_t kTcgen05TmaThreads = 128;
inline constexpr std::uint32_t kWgmmaTmaThreads = 160;  ///< a warpgroup, and a warp that loads
inline constexpr std::uint32_t kTmaStages = 2;
inline constexpr std::uint32_t kTmaTileM = 128, kTmaTileN = 128;
inline constexpr std::uint32_t kGroupBytes = 128;     ///< a row of a 128B swizzle atom
inline constexpr std::uint32_t kTmaTileKBytes = 256;  ///< K of a stage
inline constexpr std::uint32_t kSliceBytes = 32;      ///< K of one instruction
inline constexpr std::uint32_t kSlices = kTmaTileKBytes / kSliceBytes;
inline constexpr std::uint32_t kTmaBytesA = kTmaTileM * kTmaTileKBytes;
inline constexpr std::uint32_t kTmaBytesB = kTmaTileN * kTmaTileKBytes;
inline constexpr std::uint32_t kDsmemBytes = kTmaTileM * kGroupBytes;  ///< 128 bytes of each row
inline constexpr std::uint32_t kTmaShared =
    kTmaStages * (kTmaBytesA + kTmaBytesB) + kDsmemBytes + 64;

/// How A or B is fetched, and read by the tensor core.
struct TmaOperand {
  std::uint64_t descriptor;      ///< shared-memory descriptor with start address 0
  std::uint32_t mn_major;        ///< m or n is contiguous, else k
  std::uint32_t groups;          ///< of a tile
  std::uint32_t group;           ///< elements of a group
  std::uint32_t whole;           ///< elements of a row of the matrix that whole groups have
  std::uint32_t group_bytes;     ///< in shared memory, from one group of a tile to the next
  std::uint32_t slices_a_group;  ///< K slices that stand in one group
  std::uint32_t slice_bytes;     ///< from one of them to the next
};

struct TmaParameters {
  TensorMap a_grouped, b_grouped;  ///< (column, row, group); not used if no group is whole
  TensorMap a, b;                  ///< (column, row)
  TensorMap d;
  TmaOperand operand_a, operand_b;
  std::uint32_t k_tiles, tile_k;  ///< tile_k in elements
  std::uint32_t instruction;      ///< instruction descriptor of tcgen05.mma
  Epilogue epilogue;
  SmemDumpBuffer dump;
};

/// Instances: X(name, kind of tcgen05.mma).
#define LC_TCGEN05_TMA_INSTANCES(X) X(f16, f16) X(tf32, tf32) X(f8, f8f6f4) X(i8, i8)

/// Instances: X(name, element, A MN-major, B MN-major).  wgmma knows MN-major operands of 16 bits
/// only, and is told in the instruction.
#define LC_WGMMA_TMA_INSTANCES(X) \
  X(f16, f16, 0, 0)               \
  X(f16_b_mn, f16, 0, 1)          \
  X(f16_a_mn, f16, 1, 0)          \
  X(f16_a_mn_b_mn, f16, 1, 1)     \
  X(bf16, bf16, 0, 0)             \
  X(bf16_b_mn, bf16, 0, 1)        \
  X(bf16_a_mn, bf16, 1, 0)        \
  X(bf16_a_mn_b_mn, bf16, 1, 1)   \
  X(tf32, tf32, 0, 0)             \
  X(e4m3, e4m3, 0, 0)             \
  X(e5m2, e5m2, 0, 0)             \
  X(s8, s8, 0, 0)

}  // namespace lc::kernel
