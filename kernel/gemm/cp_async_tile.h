#pragma once

#include <cstdint>

#include "kernel/descriptor.cuh"
#include "kernel/gemm/epilogue.h"
#include "kernel/smem_dump.cuh"

// Tiles of tcgen05_cp_async and wgmma_cp_async, for the kernels and for the host that launches
// them.
//
//   A, K-major: rows of BK elements.  8 rows x `span` bytes are an atom; a band is all atoms of the
//   same 8 rows, one after another along K; bands follow each other along M.
//
//     BK = 32 f16, 64B:  one atom a band            BK = 64 f16, 64B:  two atoms a band
//       r0 | q0 q1 q2 q3 |                            r0 | q0 q1 q2 q3 |   r0 | q4 q5 q6 q7 |
//       r1 | q0 q1 q2 q3 |                            ..                   ..
//       r2 | q1 q0 q3 q2 |                            atom 0               atom 1
//       r3 | q1 q0 q3 q2 |
//       r4 | q2 q3 q0 q1 |    chunk q of row r is the physical chunk q ^ key of the row,
//       r5 | q2 q3 q0 q1 |    key = r * span / 128, modulo the chunks of a row
//       r6 | q3 q2 q1 q0 |
//       r7 | q3 q2 q1 q0 |
//
//   B, N-major: for each k a row of 128 bytes of N.  8 k are an atom, atoms side by side along N
//   are a band, bands follow each other along K.  Chunk q of row k is the physical chunk q ^ k % 8.
namespace lc::kernel {

inline constexpr std::uint32_t kCpAsyncThreads = 128;
inline constexpr std::uint32_t kCpAsyncStages = 2;
inline constexpr std::uint32_t kChunkBytes = 16;
inline constexpr std::uint32_t kBandRows = 8;
inline constexpr std::uint32_t kInstructionBytes = 32;  ///< of K, that one instruction reads
inline constexpr std::uint32_t kSpanB = 128;            ///< swizzle of B

constexpr std::uint32_t swizzle_span(SmemSwizzle s) {
  return s == SmemSwizzle::none  ? 16
         : s == SmemSwizzle::b32 ? 32
         : s == SmemSwizzle::b64 ? 64
                                 : 128;
}

/// `element_bytes_` is 2 (f16, bf16) or 1 (e4m3, e5m2).  `shift_` bytes lie between a natural
/// boundary of the swizzle pattern and A.
template <std::uint32_t element_bytes_, std::uint32_t bm, std::uint32_t bk, SmemSwizzle a_swizzle,
          std::uint32_t shift_ = 0>
struct CpAsyncTile {
  static constexpr std::uint32_t element_bytes = element_bytes_, BM = bm, BN = 128, BK = bk;
  static constexpr std::uint32_t VEC_ELEMS = kChunkBytes / element_bytes;
  static constexpr std::uint32_t chunks_per_row_A = BK / VEC_ELEMS;
  static constexpr std::uint32_t chunks_per_row_B = BN / VEC_ELEMS;

  static constexpr SmemSwizzle A_SWZ = a_swizzle;
  static constexpr std::uint32_t span = swizzle_span(a_swizzle);
  static constexpr std::uint32_t atom = kBandRows * span;
  static constexpr std::uint32_t atoms_per_band = BK * element_bytes / span;
  /// From one band of 8 rows to the next.
  static constexpr std::uint32_t A_SBO = atoms_per_band * atom;
  /// Without a swizzle: from one 16-byte cell along K to the next.  Else not used, field 1.
  static constexpr std::uint32_t A_LBO = a_swizzle == SmemSwizzle::none ? atom : 16;
  static constexpr std::uint32_t shift = shift_;

  static constexpr std::uint32_t atoms_per_band_B = BN * element_bytes / kSpanB;
  static constexpr std::uint32_t B_LBO = kBandRows * kSpanB;        ///< next atom along N
  static constexpr std::uint32_t B_SBO = atoms_per_band_B * B_LBO;  ///< next 8 k

  static constexpr std::uint32_t bytes_A = BM * BK * element_bytes;
  static constexpr std::uint32_t bytes_B = BK * BN * element_bytes;
  static constexpr std::uint32_t instruction_K = kInstructionBytes / element_bytes;
  static constexpr std::uint32_t instructions = BK / instruction_K;
  /// A's K that one descriptor can read: a row of one atom, or without a swizzle all.
  static constexpr std::uint32_t panels = a_swizzle == SmemSwizzle::none ? 1 : atoms_per_band;

  /// Begin of A's stages; B's come first, on a 1024-byte boundary.
  static constexpr std::uint32_t offset_A = kCpAsyncStages * bytes_B + shift;
  static constexpr std::uint32_t offset_barriers = offset_A + kCpAsyncStages * bytes_A;
  static constexpr std::uint32_t shared_bytes = offset_barriers + 64;

  static_assert(BK * element_bytes % span == 0 && BK % instruction_K == 0);
  static_assert(bytes_A % 1024 == 0 && bytes_B % 1024 == 0, "every stage as the first");
};

struct CpAsyncParameters {
  const void* a;                   ///< m x k, k contiguous
  const void* b;                   ///< k x n, n contiguous
  std::uint64_t a_pitch, b_pitch;  ///< bytes, multiples of 16
  std::uint32_t m, n, k;
  std::uint32_t instruction;  ///< instruction descriptor
  std::uint32_t bf16;         ///< for wgmma: bf16, else f16
  std::uint32_t base_offset;  ///< of A's descriptors
  Epilogue epilogue;
  SmemDumpBuffer dump;
};

/// Instances of both kernels: X(name, element bytes, BM, BK, swizzle of A, bytes from a natural
/// boundary to A).
#define LC_CP_ASYNC_INSTANCES(X)    \
  X(64B, 2, 128, 32, b64, 0)        \
  X(bm64, 2, 64, 32, b64, 0)        \
  X(bk64_128B, 2, 128, 64, b128, 0) \
  X(bk64_64B, 2, 128, 64, b64, 0)   \
  X(32B, 2, 128, 32, b32, 0)        \
  X(none, 2, 128, 32, none, 0)      \
  X(base128, 2, 128, 32, b64, 128)

/// wgmma reads 8-bit operands K-major only.
#define LC_TCGEN05_CP_ASYNC_INSTANCES(X) \
  LC_CP_ASYNC_INSTANCES(X)               \
  X(fp8, 1, 128, 32, b32, 0)

}  // namespace lc::kernel
