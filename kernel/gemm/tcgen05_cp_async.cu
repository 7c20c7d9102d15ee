#include "kernel/gemm/epilogue.cuh"
#include "kernel/gemm/tcgen05_cp_async_tile.h"
#include "kernel/ptx/address.cuh"
#include "kernel/ptx/cp_async.cuh"
#include "kernel/ptx/fence.cuh"
#include "kernel/ptx/mbarrier.cuh"
#include "kernel/ptx/shared_access.cuh"
#include "kernel/ptx/tcgen05.cuh"

// The simplest complete tcgen05 GEMM: D = A B, one 128 x 128 tile of D for each CTA of 128 threads.
//
//   all threads   cp.async, 16 bytes each, global memory -> one of two stages in shared memory, the
//                 swizzle done by hand in the destination address
//   thread 0      tcgen05.mma: stage -> accumulator in Tensor Memory
//   all threads   tcgen05.ld: Tensor Memory -> registers -> D
//
//   time t      the tensor core reads stage 0     cp.async fills stage 1
//   time t + 1  the tensor core reads stage 1     cp.async fills stage 0
//
// What the tensor core reads is told by two shared-memory descriptors a K slice.  Everything that
// they say is in tcgen05_cp_async_tile.h; whoever stores a tile by hand has to store it as its
// descriptor says, or the tensor core reads other numbers without complaint.
//
// Not run on Blackwell hardware; run on the virtual GPU.
namespace lc::kernel {

namespace {

constexpr bool kDumps = LC_SMEM_DUMP != 0;
constexpr std::uint32_t kColumns = 128;  ///< of Tensor Memory: one f32 or s32 for each column of D

template <class T>
struct Kernel {
  const Tcgen05CpAsyncParameters& p;
  std::uint32_t shared;         ///< address of the dynamic shared memory
  std::uint32_t row0, column0;  ///< of this CTA's tile of D
  SmemDump dump;

  // Shared memory: B of both stages, A of both stages, barriers.

  __device__ std::uint32_t A_shared(std::uint32_t stage) const {
    return shared + T::offset_A + stage * T::bytes_A;
  }
  __device__ std::uint32_t B_shared(std::uint32_t stage) const {
    return shared + stage * T::bytes_B;
  }
  /// The instructions that read a stage are done.
  __device__ std::uint32_t mma_done(std::uint32_t stage) const {
    return shared + T::offset_barriers + 8 * stage;
  }
  __device__ std::uint32_t tmem_address() const { return shared + T::offset_barriers + 16; }

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

  // Multiply ------------------------------------------------------------------------------------

  /// A of a stage, from its first K slice.  64B: SBO 512, LBO field 1, swizzle code 4.
  __device__ std::uint64_t a_descriptor(std::uint32_t stage) const {
    SmemMatrix a;
    a.start_address = A_shared(stage);
    a.leading_byte_offset = T::A_LBO;
    a.stride_byte_offset = T::A_SBO;
    a.swizzle = T::A_SWZ;
    if constexpr (T::shift != 0) a.base_offset = p.base_offset;
    return smem_descriptor_sm100(a);
  }

  /// f16: LBO 1024, SBO 2048, swizzle code 2.
  __device__ std::uint64_t b_descriptor(std::uint32_t stage) const {
    SmemMatrix b;
    b.start_address = B_shared(stage);
    b.leading_byte_offset = T::B_LBO;
    b.stride_byte_offset = T::B_SBO;
    b.swizzle = SmemSwizzle::b128;
    return smem_descriptor_sm100(b);
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

  /// BK = 32, f16: K 0..15 with a_desc0 at P, K 16..31 with a_desc1 at P + 32.
  __device__ void multiply(std::uint32_t stage, std::uint32_t tmem, bool accumulate) const {
    constexpr auto kind = T::element_bytes == 1 ? ptx::Tcgen05Kind::f8f6f4 : ptx::Tcgen05Kind::f16;
    const std::uint64_t a_desc = a_descriptor(stage), b_desc = b_descriptor(stage);
#pragma unroll
    for (std::uint32_t i = 0; i < T::instructions; ++i) {
      ptx::tcgen05_mma<kind, 1>(tmem, advance_descriptor(a_desc, slice_A(i)),
                                advance_descriptor(b_desc, slice_B(i)), p.instruction,
                                accumulate || i != 0);
    }
  }

  /// Both tiles as the tensor core is told to read them.  A descriptor reads a swizzled K-major
  /// tile no further than the row of one atom, so A is told in as many panels as it has atoms.
  __device__ void dump_stage(std::uint32_t stage, std::uint32_t k) const {
#pragma unroll 1
    for (std::uint32_t panel = 0; panel < T::panels; ++panel) {
      SmemTile a("A", A_shared(stage) + panel * T::atom, T::bytes_A - panel * T::atom);
      a.stage(stage).descriptor(advance_descriptor(a_descriptor(stage), panel * T::atom));
      dump.cta(a.coordinates(row0, k + panel * T::BK / T::panels));
    }
    SmemTile b("B", B_shared(stage), T::bytes_B);
    dump.cta(b.stage(stage).descriptor(b_descriptor(stage)).coordinates(column0, k));
  }

  /// Over all of K; at the end the accumulator is complete.
  __device__ void main_loop(std::uint32_t tmem) const {
    const std::uint32_t k_tiles = (p.k + T::BK - 1) / T::BK;
    load(0, 0);
    for (std::uint32_t tile = 0; tile < k_tiles; ++tile) {
      const std::uint32_t stage = tile % kCpAsyncStages, other = stage ^ 1;
      // The tile has arrived: this thread's copies by wait_group, all threads' by the barrier.
      // cp.async writes through the generic proxy, the tensor core reads through the async proxy:
      // without the fence it may read what was there before.
      ptx::cp_async_wait_group<0>();
      ptx::fence_proxy_async_shared();
      __syncthreads();
      if constexpr (kDumps) dump_stage(stage, tile * T::BK);
      if (threadIdx.x == 0) {
        ptx::tcgen05_fence_after_thread_sync();
        multiply(stage, tmem, tile != 0);
        ptx::tcgen05_commit<1>(mma_done(stage));
      }
      __syncwarp();
      if (tile + 1 < k_tiles) {
        if (tile != 0) wait_for_mma(tile - 1);  // it read the other stage
        load(other, (tile + 1) * T::BK);
      }
    }
    wait_for_mma(k_tiles - 1);
    ptx::tcgen05_fence_after_thread_sync();
  }

  /// A stage's barrier completes a phase each time that its tile was read.
  __device__ void wait_for_mma(std::uint32_t tile) const {
    ptx::mbarrier_wait(mma_done(tile % kCpAsyncStages), tile / kCpAsyncStages & 1);
  }

  // Finish --------------------------------------------------------------------------------------

  /// Warp w reaches Tensor Memory lanes 32 w .. 32 w + 31.  M = 128: lane = row of D.  M = 64: rows
  /// 16 w .. 16 w + 15 are lanes 32 w .. 32 w + 15, the other lanes are not used.
  __device__ void epilogue(std::uint32_t tmem) const {
    constexpr std::uint32_t rows_of_warp = T::BM / 4;
    const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const std::uint32_t row = lane < rows_of_warp ? row0 + warp * rows_of_warp + lane : p.m;
#pragma unroll 1
    for (std::uint32_t column = 0; column < T::BN; column += kRowPart) {
      std::uint32_t accumulator[kRowPart];
      ptx::tcgen05_ld_32x32b(accumulator, tmem + (warp * 32 << 16) + column);
      ptx::tcgen05_wait_ld();
      float x[kRowPart];
      finish(p.epilogue, accumulator, row, column0 + column, x);
      store_row(p.epilogue, x, row, column0 + column);
    }
  }
};

template <class T>
__device__ void gemm(const Tcgen05CpAsyncParameters& p, unsigned char* dynamic) {
  const Kernel<T> kernel{p, ptx::shared_address(dynamic), blockIdx.x * T::BM, blockIdx.y * T::BN,
                         SmemDump(p.dump)};
  if (threadIdx.x == 0) {
    for (std::uint32_t s = 0; s < kCpAsyncStages; ++s) ptx::mbarrier_init(kernel.mma_done(s), 1);
    ptx::fence_mbarrier_init();
  }
  if (threadIdx.x / 32 == 0) {
    __syncwarp();
    ptx::tcgen05_alloc<1>(kernel.tmem_address(), kColumns);
    ptx::tcgen05_relinquish_alloc_permit<1>();
  }
  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();
  ptx::tcgen05_fence_after_thread_sync();
  const std::uint32_t tmem = ptx::ld_shared_u32(kernel.tmem_address());

  kernel.main_loop(tmem);
  kernel.epilogue(tmem);

  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();  // all warps have read their lanes
  ptx::tcgen05_fence_after_thread_sync();
  if (threadIdx.x / 32 == 0) ptx::tcgen05_dealloc<1>(tmem, kColumns);
}

}  // namespace

#define LC_TCGEN05_CP_ASYNC(name, element_bytes, bm, bk, swizzle, shift)               \
  extern "C" __global__ void __launch_bounds__(kCpAsyncThreads)                        \
      tcgen05_cp_async_##name(const __grid_constant__ Tcgen05CpAsyncParameters p) {    \
    extern __shared__ __align__(1024) unsigned char dynamic[];                         \
    gemm<CpAsyncTile<element_bytes, bm, bk, SmemSwizzle::swizzle, shift>>(p, dynamic); \
  }
LC_TCGEN05_CP_ASYNC_INSTANCES(LC_TCGEN05_CP_ASYNC)

}  // namespace lc::kernel
