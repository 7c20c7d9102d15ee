#pragma once

#include "kernel/gemm/activation.cuh"
#include "kernel/gemm/tcgen05_gemm_dump.cuh"
#include "kernel/ptx/tma_load.cuh"
#include "kernel/ptx/tma_store.cuh"

// The epilogue of tcgen05_gemm: from accumulators in Tensor Memory to D in global memory.
namespace lc::kernel {

/// Where 16-byte chunk `chunk` of row `row` stands in a staging buffer: swizzle 128B, so that eight
/// rows of one chunk, which eight lanes access at once, lie in eight different bank sectors.
__device__ std::uint32_t staged(std::uint32_t buffer, std::uint32_t row, std::uint32_t chunk) {
  return buffer + row * 128 + ((chunk ^ row & 7) << 4);
}

/// 32 columns of a lane's row of D, from 16-byte chunk `first` of its row in a staging buffer on:
/// c comes from there, D goes there.
struct RowPart {
  std::uint32_t buffer, row, first;

  __device__ std::uint32_t chunk(std::uint32_t i) const { return staged(buffer, row, first + i); }

  /// x[i] += beta * c[i]
  __device__ void add_c(float (&x)[32], float beta, GemmOutput type) const {
    if (type == GemmOutput::f32) {
#pragma unroll
      for (std::uint32_t i = 0; i < 8; ++i) {
        const uint4 c = ptx::ld_shared_v4(chunk(i));
        const std::uint32_t words[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
        for (std::uint32_t j = 0; j < 4; ++j) {
          x[4 * i + j] = fmaf(beta, __uint_as_float(words[j]), x[4 * i + j]);
        }
      }
    } else {
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) {
        const uint4 c = ptx::ld_shared_v4(chunk(i));
        const std::uint32_t words[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
        for (std::uint32_t j = 0; j < 4; ++j) {
          const float2 pair = unpacked_16(words[j], type == GemmOutput::bf16);
          x[8 * i + 2 * j] = fmaf(beta, pair.x, x[8 * i + 2 * j]);
          x[8 * i + 2 * j + 1] = fmaf(beta, pair.y, x[8 * i + 2 * j + 1]);
        }
      }
    }
  }

  __device__ void put(const float (&x)[32], GemmOutput type) const {
    if (type == GemmOutput::f32) {
#pragma unroll
      for (std::uint32_t i = 0; i < 8; ++i) {
        ptx::st_shared_v4(chunk(i),
                          make_uint4(__float_as_uint(x[4 * i]), __float_as_uint(x[4 * i + 1]),
                                     __float_as_uint(x[4 * i + 2]), __float_as_uint(x[4 * i + 3])));
      }
    } else {
      const bool bf16 = type == GemmOutput::bf16;
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) {
        const float* v = x + 8 * i;
        ptx::st_shared_v4(chunk(i),
                          make_uint4(packed_16(v[0], v[1], bf16), packed_16(v[2], v[3], bf16),
                                     packed_16(v[4], v[5], bf16), packed_16(v[6], v[7], bf16)));
      }
    }
  }
};

/// One warp: 32 rows of each tile, 128 bytes of every row at a time, through two staging buffers.
template <class T>
class Finish {
 public:
  __device__ Finish(const Context<T>& c, std::uint32_t tmem)
      : c_(c),
        warp_(c.warp % kFinishWarps),
        tmem_(tmem + (warp_ * 32 << 16)),
        wide_(c.p.output == GemmOutput::f32) {}

  __device__ void run() {
    Tiles<T> tiles(c_);
    RingPosition<kSlots> slot;
    for (TilePlace place; tiles.next(place); slot.advance()) {
      const std::uint32_t row = c_.row(place) + warp_ * 32, column = c_.column(place);
      load_c(0, row, column);
      ptx::mbarrier_wait(c_.shared.tmem_full(slot.slot), slot.parity);
      ptx::tcgen05_fence_after_thread_sync();
      finish_tile(slot.slot, row, column);
      ptx::tcgen05_fence_before_thread_sync();
      __syncwarp();
      if (c_.lane == 0) {
        ptx::mbarrier_arrive_cluster(
            ptx::shared_of_cta(c_.shared.tmem_empty(slot.slot), c_.leader()));
      }
    }
    if (c_.lane == 0) ptx::tma_store_wait<0>();
  }

 private:
  __device__ std::uint32_t columns() const { return wide_ ? 32 : 64; }

  __device__ void finish_tile(std::uint32_t slot, std::uint32_t row, std::uint32_t column) {
    for (std::uint32_t i = 0; i < T::kN / columns(); ++i) {
      const std::uint32_t at = column + i * columns();
      const std::uint32_t source = tmem_ + slot * T::kN + i * columns();
      if (at >= c_.p.n) break;
      wait_for_buffer();
      if (i + 1 < T::kN / columns()) load_c(1, row, at + columns());
      finish_columns(source, row, at);
      store(row, at);
    }
  }

  /// The copies from the buffer that is used next have been read.
  __device__ void wait_for_buffer() {
    if (c_.p.beta != 0) {
      ptx::mbarrier_wait(c_.shared.c_full(warp_, buffer_), c_parity_ >> buffer_ & 1);
      c_parity_ ^= 1u << buffer_;
    } else {
      if (c_.lane == 0) ptx::tma_store_wait_read<1>();
      __syncwarp();
    }
  }

  /// Fetches C for the columns from `column` into the buffer `ahead` of the next one.
  __device__ void load_c(std::uint32_t ahead, std::uint32_t row, std::uint32_t column) {
    if (c_.p.beta == 0 || column >= c_.p.n) return;
    const std::uint32_t buffer = buffer_ ^ ahead;
    if (c_.lane == 0) {
      ptx::tma_store_wait_read<0>();
      ptx::mbarrier_arrive_expect_tx(c_.shared.c_full(warp_, buffer), kStagingBytes);
      ptx::tma_load_2d(c_.shared.staging(warp_, buffer), &c_.p.c, c_.shared.c_full(warp_, buffer),
                       static_cast<std::int32_t>(column), static_cast<std::int32_t>(row));
    }
    __syncwarp();
  }

  /// 128 bytes of every row: 32 columns of accumulator at a time.
  __device__ void finish_columns(std::uint32_t source, std::uint32_t row, std::uint32_t column) {
#pragma unroll 1
    for (std::uint32_t done = 0; done < columns(); done += 32) {
      std::uint32_t accumulator[32];
      ptx::tcgen05_ld_32x32b(accumulator, source + done);
      ptx::tcgen05_wait_ld();
      float x[32];
#pragma unroll
      for (std::uint32_t i = 0; i < 32; ++i)
        x[i] = __fmul_rn(c_.p.alpha, __uint_as_float(accumulator[i]));
      finish_row({c_.shared.staging(warp_, buffer_), c_.lane, done / 8}, x, row, column + done);
    }
  }

  /// D = activation(x + bias + beta c).  Rows that D does not have stay zero.
  __device__ void finish_row(const RowPart& part, float (&x)[32], std::uint32_t row,
                             std::uint32_t column) {
    const Tcgen05GemmParameters& p = c_.p;
    if (p.bias != nullptr && row + c_.lane < p.m) {
#pragma unroll
      for (std::uint32_t i = 0; i < 32; ++i) {
        if (column + i < p.n) x[i] = __fadd_rn(x[i], __ldg(p.bias + column + i));
      }
    }
    if (p.beta != 0) part.add_c(x, p.beta, p.output);
    activate(p.activation, x);
    part.put(x, p.output);
  }

  __device__ void store(std::uint32_t row, std::uint32_t column) {
    const std::uint32_t buffer = c_.shared.staging(warp_, buffer_);
    ptx::fence_proxy_async_shared();
    __syncwarp();
    if (kDumps) {
      SmemTile tile("D", buffer, kStagingBytes);
      c_.dump.warp(tile.stage(buffer_).coordinates(column, row));
    }
    if (c_.lane == 0) {
      ptx::tma_store_2d(buffer, &c_.p.d, static_cast<std::int32_t>(column),
                        static_cast<std::int32_t>(row));
      ptx::tma_store_commit();
    }
    __syncwarp();
    buffer_ ^= 1;
  }

  const Context<T>& c_;
  std::uint32_t warp_, tmem_;
  bool wide_;
  std::uint32_t buffer_ = 0, c_parity_ = 0;
};

}  // namespace lc::kernel
