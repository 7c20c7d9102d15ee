#pragma once

#include "kernel/gemm/cp_async_tile.h"
#include "kernel/ptx/cp_async.cuh"

// Stages in shared memory that all threads of a CTA fill with cp.async, swizzled by hand.
namespace lc::kernel {

template <class T>
struct CpAsyncStages {
  const CpAsyncParameters& p;
  std::uint32_t shared;         ///< address of the dynamic shared memory
  std::uint32_t row0, column0;  ///< of this CTA's tile of D

  // Shared memory: B of both stages, A of both stages, barriers.

  __device__ std::uint32_t A_shared(std::uint32_t stage) const {
    return shared + T::offset_A + stage * T::bytes_A;
  }
  __device__ std::uint32_t B_shared(std::uint32_t stage) const {
    return shared + stage * T::bytes_B;
  }
  __device__ std::uint32_t barriers() const { return shared + T::offset_barriers; }

  // Store ---------------------------------------------------------------------------------------

  /// Where 16-byte chunk `slot` of row `row` of A stands.
  ///
  /// The tensor core XORs the chunk number with address bits 9:7, less the descriptor's base
  /// offset. A tile on a natural boundary has its row number there (64B: row >> 1), and base offset
  /// 0; one that begins `shift` bytes further sees the pattern shifted, unless base offset shifts
  /// it back (docs/base-offset.md: measured for wgmma, inferred for tcgen05).
  __device__ std::uint32_t swizzled_A(std::uint32_t row, std::uint32_t slot) const {
    constexpr std::uint32_t chunks = T::span / kChunkBytes;
    const std::uint32_t in_band = row % kBandRows, in_atom = slot % chunks;
    std::uint32_t key = in_band * T::span / 128;  // 64B: (row >> 1) & 3
    if constexpr (T::shift != 0) key += T::shift / 128 - p.base_offset;
    const std::uint32_t swz_slot_A = in_atom ^ (key & (chunks - 1));
    return row / kBandRows * T::A_SBO + slot / chunks * T::atom + in_band * T::span +
           swz_slot_A * kChunkBytes;
  }

  /// Where 16-byte chunk `slot` of row `k` of B stands.
  __device__ static std::uint32_t swizzled_B(std::uint32_t k, std::uint32_t slot) {
    constexpr std::uint32_t chunks = kSpanB / kChunkBytes;
    const std::uint32_t in_band = k % kBandRows;
    const std::uint32_t swz_slot_B = slot % chunks ^ in_band;
    return k / kBandRows * T::B_SBO + slot / chunks * T::B_LBO + in_band * kSpanB +
           swz_slot_B * kChunkBytes;
  }

  /// One 16-byte copy: of `count` elements of a row from `first` on, as many as there are; zeros
  /// for the others and for rows that the matrix does not have.
  __device__ static void copy_chunk(std::uint32_t to, const void* matrix, std::uint64_t pitch,
                                    std::uint32_t row, std::uint32_t rows, std::uint32_t first,
                                    std::uint32_t count) {
    const std::uint32_t left = row < rows && first < count ? count - first : 0;
    const std::uint32_t bytes = min(left * T::element_bytes, kChunkBytes);
    const std::uint64_t offset = row * pitch + std::uint64_t{first} * T::element_bytes;
    const auto* from = static_cast<const unsigned char*>(matrix) + (bytes == 0 ? 0 : offset);
    ptx::cp_async_16_zero_fill(to, from, bytes);
  }

  /// A[row0 .. + BM, k .. + BK].  Consecutive threads copy consecutive chunks of a row, so that
  /// they read global memory in whole lines.
  __device__ void load_A(std::uint32_t stage, std::uint32_t k) const {
    constexpr std::uint32_t num_rows_per_iteration_A = kCpAsyncThreads / T::chunks_per_row_A;
    constexpr std::uint32_t num_rd_iterations_per_block_A = T::BM / num_rows_per_iteration_A;
    const std::uint32_t slot_A = threadIdx.x % T::chunks_per_row_A;
#pragma unroll
    for (std::uint32_t i = 0; i < num_rd_iterations_per_block_A; ++i) {
      const std::uint32_t shared_next_row_a =
          threadIdx.x / T::chunks_per_row_A + i * num_rows_per_iteration_A;
      copy_chunk(A_shared(stage) + swizzled_A(shared_next_row_a, slot_A), p.a, p.a_pitch,
                 row0 + shared_next_row_a, p.m, k + slot_A * T::VEC_ELEMS, p.k);
    }
  }

  /// B[k .. + BK, column0 .. + BN].
  __device__ void load_B(std::uint32_t stage, std::uint32_t k) const {
    constexpr std::uint32_t num_rows_per_iteration_B = kCpAsyncThreads / T::chunks_per_row_B;
    constexpr std::uint32_t num_rd_iterations_per_block_B = T::BK / num_rows_per_iteration_B;
    const std::uint32_t slot_B = threadIdx.x % T::chunks_per_row_B;
#pragma unroll
    for (std::uint32_t i = 0; i < num_rd_iterations_per_block_B; ++i) {
      const std::uint32_t shared_next_row_b =
          threadIdx.x / T::chunks_per_row_B + i * num_rows_per_iteration_B;
      copy_chunk(B_shared(stage) + swizzled_B(shared_next_row_b, slot_B), p.b, p.b_pitch,
                 k + shared_next_row_b, p.k, column0 + slot_B * T::VEC_ELEMS, p.n);
    }
  }

  __device__ void load(std::uint32_t stage, std::uint32_t k) const {
    load_A(stage, k);
    load_B(stage, k);
    ptx::cp_async_commit_group();
  }

  // Read ----------------------------------------------------------------------------------------

  /// A of a stage, from its first K slice.  64B: SBO 512, LBO field 1.
  __device__ SmemMatrix a_matrix(std::uint32_t stage) const {
    SmemMatrix a;
    a.start_address = A_shared(stage);
    a.leading_byte_offset = T::A_LBO;
    a.stride_byte_offset = T::A_SBO;
    a.swizzle = T::A_SWZ;
    if constexpr (T::shift != 0) a.base_offset = p.base_offset;
    return a;
  }

  /// f16: LBO 1024, SBO 2048.
  __device__ SmemMatrix b_matrix(std::uint32_t stage) const {
    SmemMatrix b;
    b.start_address = B_shared(stage);
    b.leading_byte_offset = T::B_LBO;
    b.stride_byte_offset = T::B_SBO;
    b.swizzle = SmemSwizzle::b128;
    return b;
  }

  /// Bytes from the stage's begin to K slice `i`: 32 bytes along a row of the atom, as long as the
  /// row goes, then on to the next atom.  The start address moves; the pattern, and with it base
  /// offset, stays where it is.
  __device__ static constexpr std::uint32_t slice_A(std::uint32_t i) {
    const std::uint32_t along_k = i * kInstructionBytes;
    return along_k / T::span * T::atom + along_k % T::span;
  }
  /// To K slice `i` of B: whole bands of 8 k.
  __device__ static constexpr std::uint32_t slice_B(std::uint32_t i) {
    return i * T::instruction_K / kBandRows * T::B_SBO;
  }

  /// Both tiles as the tensor core is told to read them.  A descriptor reads a swizzled K-major
  /// tile no further than the row of one atom, so A is told in as many panels as it has atoms.
  __device__ void dump_stage(const SmemDump& dump, std::uint32_t stage, std::uint32_t k,
                             std::uint64_t a_descriptor, std::uint64_t b_descriptor) const {
#pragma unroll 1
    for (std::uint32_t panel = 0; panel < T::panels; ++panel) {
      SmemTile a("A", A_shared(stage) + panel * T::atom, T::bytes_A - panel * T::atom);
      a.stage(stage).descriptor(advance_descriptor(a_descriptor, panel * T::atom));
      dump.cta(a.coordinates(row0, k + panel * T::BK / T::panels));
    }
    SmemTile b("B", B_shared(stage), T::bytes_B);
    dump.cta(b.stage(stage).descriptor(b_descriptor).coordinates(column0, k));
  }
};

}  // namespace lc::kernel
