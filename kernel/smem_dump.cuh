#pragma once

#include <cstddef>
#include <cstdint>

// Copies named tiles of shared memory out of a running kernel.  Drop this file and smem_dump.h into
// any project; they need the C++ library and the CUDA runtime only.
//
//   __global__ void gemm(..., lc::kernel::SmemDump dump) {
//     ...                                       // tile has arrived, everybody sees it
//     dump.cta(lc::kernel::SmemTile("A", a_tile, sizeof a_tile).stage(s).coordinates(k0, m0));
//     ...
//   }
//
// smem_dump.h says what the host does.  Three ways to call, by who takes part:
//   dump.thread(tile)  one thread
//   dump.warp(tile)    32 converged lanes of one warp
//   dump.cta(tile)     every thread of the CTA; begins and ends with a __syncthreads()
// The dump reads shared memory as ordinary loads do (generic proxy), so the caller has waited for
// the copies that fill the tile: mbarrier, cp.async.wait_group and so on.  It leaves with a proxy
// fence, so the tile may be handed back to TMA as after any read.  It writes nothing to shared
// memory and uses none of its own: no tile moves because of it.
//
// Compile with -DLC_SMEM_DUMP=0 and SmemDump is an empty class whose calls are nothing, barriers
// included: no instruction, no register.  A default-constructed SmemDump does nothing at run time.

#ifndef LC_SMEM_DUMP
#define LC_SMEM_DUMP 1
#endif

#if defined(__CUDACC__)
#define LC_SMEM_DUMP_HD __host__ __device__
#else
#define LC_SMEM_DUMP_HD
#endif

namespace lc::kernel {

/// What became of one call.
enum class SmemDumpStatus : std::uint32_t {
  copied = 0,
  no_room = 1,       ///< more bytes than are left in the buffer: nothing copied
  not_shared = 2,    ///< the pointer does not point to shared memory of the CTA
  past_the_end = 3,  ///< the tile ends behind the CTA's shared memory
};

/// One call, as the device writes it down.
struct SmemDumpRecord {
  char name[48];  ///< zero-terminated; longer names are cut
  std::uint64_t bytes, data_offset, descriptor;
  std::uint32_t cta[3], stage;
  std::uint32_t smem_address, destination;  ///< in the shared window of the CTA
  std::int32_t coordinates[5];
  std::uint32_t rank;                  ///< coordinates given, 0 for none
  std::uint32_t has_descriptor, arch;  ///< arch as __CUDA_ARCH__: 900, 1000
  SmemDumpStatus status;
  std::uint32_t reserved;
};
static_assert(sizeof(SmemDumpRecord) == 136, "the host reads what the device wrote");

/// Counters at the head of the buffer.  They go on counting when the buffer is full, so the host
/// can say how much would have been enough.
struct SmemDumpCounters {
  unsigned long long data_bytes;
  unsigned int records, reserved;
};

/// Where a kernel finds the buffer; made by SmemDumper.
struct SmemDumpBuffer {
  SmemDumpCounters* counters;  ///< null: do nothing
  SmemDumpRecord* records;
  unsigned char* data;
  std::uint64_t data_capacity;
  std::uint64_t first_cta, cta_count;  ///< CTAs that take part, numbered x fastest
  std::uint32_t record_capacity;
};

template <bool enabled>
class SmemDumpHandle;

#if defined(__CUDACC__)

/// A tile to be dumped, and what the kernel alone knows about it.
class SmemTile {
 public:
  /// `name` is a string literal or lies in global memory; same name, same description on the host.
  __device__ __forceinline__ SmemTile(const char* name, const void* tile, std::size_t bytes)
      : name_(name),
        bytes_(bytes),
        address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(tile))),
        destination_(address_),
        in_shared_(__isShared(tile)) {}

  /// For kernels that keep 32-bit addresses, as __cvta_generic_to_shared gives them.
  __device__ __forceinline__ SmemTile(const char* name, std::uint32_t address, std::size_t bytes)
      : name_(name), bytes_(bytes), address_(address), destination_(address), in_shared_(true) {}

  /// Pipeline stage.
  __device__ __forceinline__ SmemTile& stage(std::uint32_t stage) {
    stage_ = stage;
    return *this;
  }

  /// Filled by TMA: the coordinates of the copy, innermost first.  Otherwise (mn, k) of the tile's
  /// first element in the matrix, if it has a descriptor.
  template <class... Coordinate>
  __device__ __forceinline__ SmemTile& coordinates(Coordinate... coordinate) {
    static_assert(sizeof...(coordinate) >= 1 && sizeof...(coordinate) <= 5, "rank 1 to 5");
    const std::int32_t list[] = {static_cast<std::int32_t>(coordinate)...};
    for (std::size_t i = 0; i < sizeof...(coordinate); ++i) coordinates_[i] = list[i];
    rank_ = sizeof...(coordinate);
    return *this;
  }

  /// Where the copy went, if the dumped bytes begin before it.
  __device__ __forceinline__ SmemTile& destination(std::uint32_t address) {
    destination_ = address;
    return *this;
  }

  /// Read by the tensor core through this shared-memory descriptor.
  __device__ __forceinline__ SmemTile& descriptor(std::uint64_t descriptor) {
    descriptor_ = descriptor;
    has_descriptor_ = 1;
    return *this;
  }

 private:
  template <bool>
  friend class SmemDumpHandle;

  /// Offset in the CTA's own window.  In a cluster launch the bits from 24 up of an address hold
  /// the rank of the CTA (measured on H200), and a load without them reaches for another CTA.
  static __device__ __forceinline__ std::uint32_t window(std::uint32_t address) {
    return address & 0xFFFFFF;
  }

  const char* name_;
  std::uint64_t bytes_, descriptor_ = 0;
  std::uint32_t address_, destination_, stage_ = 0;
  std::int32_t coordinates_[5] = {};
  std::uint32_t rank_ = 0, has_descriptor_ = 0;
  bool in_shared_;
};

#endif

/// What a kernel takes as its (last) parameter.
using SmemDump = SmemDumpHandle<(LC_SMEM_DUMP) != 0>;

template <>
class SmemDumpHandle<true> {
 public:
  SmemDumpHandle() = default;
  LC_SMEM_DUMP_HD explicit SmemDumpHandle(const SmemDumpBuffer& buffer) : buffer_(buffer) {}

  const SmemDumpBuffer& buffer() const { return buffer_; }

#if defined(__CUDACC__)
  __device__ void thread(const SmemTile& tile) const {
    if (takes_part()) copy(tile, claim(tile), 0, 1);
  }

  __device__ void warp(const SmemTile& tile) const {
    if (!takes_part()) return;
    __syncwarp();
    copy_by_lanes(tile, 32);
    __syncwarp();
  }

  __device__ void cta(const SmemTile& tile) const {
    if (!takes_part()) return;
    __syncthreads();
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    if (thread_number() < 32) copy_by_lanes(tile, threads < 32 ? threads : 32);
    __syncthreads();
  }

 private:
  static __device__ unsigned thread_number() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  __device__ bool takes_part() const;
  __device__ void copy_by_lanes(const SmemTile& tile, unsigned lanes) const;
  __device__ unsigned char* claim(const SmemTile& tile) const;
  static __device__ void write_down(const SmemTile& tile, SmemDumpRecord& record);
  static __device__ SmemDumpStatus check(const SmemTile& tile);
  __device__ void copy(const SmemTile& tile, unsigned char* to, unsigned lane,
                       unsigned lanes) const;
#endif

 private:
  SmemDumpBuffer buffer_{};
};

template <>
class SmemDumpHandle<false> {
 public:
  SmemDumpHandle() = default;
  LC_SMEM_DUMP_HD explicit SmemDumpHandle(const SmemDumpBuffer&) {}

#if defined(__CUDACC__)
  __device__ void thread(const SmemTile&) const {}
  __device__ void warp(const SmemTile&) const {}
  __device__ void cta(const SmemTile&) const {}
#endif
};

#if defined(__CUDACC__)

__device__ inline bool SmemDumpHandle<true>::takes_part() const {
  const std::uint64_t cta = blockIdx.x + static_cast<std::uint64_t>(gridDim.x) *
                                             (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
  return buffer_.counters != nullptr && cta - buffer_.first_cta < buffer_.cta_count;
}

/// Lanes 0 .. lanes-1 of a warp, converged.
__device__ inline void SmemDumpHandle<true>::copy_by_lanes(const SmemTile& tile,
                                                           unsigned lanes) const {
  const unsigned mask = lanes == 32 ? 0xFFFFFFFFu : (1u << lanes) - 1;
  const unsigned lane = thread_number() % 32;
  unsigned long long to = 0;
  if (lane == 0) to = reinterpret_cast<unsigned long long>(claim(tile));
  to = __shfl_sync(mask, to, 0);
  copy(tile, reinterpret_cast<unsigned char*>(to), lane, lanes);
}

/// Takes a record and room for the bytes; null if there is nothing to copy.
__device__ inline unsigned char* SmemDumpHandle<true>::claim(const SmemTile& tile) const {
  const unsigned index = atomicAdd(&buffer_.counters->records, 1u);
  if (index >= buffer_.record_capacity) return nullptr;
  SmemDumpRecord& record = buffer_.records[index];
  write_down(tile, record);
  record.status = check(tile);
  if (record.status != SmemDumpStatus::copied) return nullptr;
  const std::uint64_t padded = (tile.bytes_ + 15) / 16 * 16;
  record.data_offset = atomicAdd(&buffer_.counters->data_bytes, padded);
  if (record.data_offset <= buffer_.data_capacity &&
      padded <= buffer_.data_capacity - record.data_offset) {
    return buffer_.data + record.data_offset;
  }
  record.status = SmemDumpStatus::no_room;
  return nullptr;
}

__device__ inline void SmemDumpHandle<true>::write_down(const SmemTile& tile,
                                                        SmemDumpRecord& record) {
  int length = 0;
  for (; length < int{sizeof record.name} - 1 && tile.name_[length] != 0; ++length) {
    record.name[length] = tile.name_[length];
  }
  record.name[length] = 0;
  record.bytes = tile.bytes_;
  record.data_offset = 0;
  record.descriptor = tile.descriptor_;
  record.has_descriptor = tile.has_descriptor_;
  record.cta[0] = blockIdx.x;
  record.cta[1] = blockIdx.y;
  record.cta[2] = blockIdx.z;
  record.stage = tile.stage_;
  record.smem_address = SmemTile::window(tile.address_);
  record.destination = SmemTile::window(tile.destination_);
  for (int i = 0; i < 5; ++i) record.coordinates[i] = tile.coordinates_[i];
  record.rank = tile.rank_;
#if defined(__CUDA_ARCH__)
  record.arch = __CUDA_ARCH__;
#endif
}

/// Reading past the CTA's shared memory would end the launch.
__device__ inline SmemDumpStatus SmemDumpHandle<true>::check(const SmemTile& tile) {
  std::uint32_t window_end = 1u << 24, rank = tile.address_ >> 24;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%aggr_smem_size;" : "=r"(window_end));  // static, dynamic and reserved bytes
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  if (!tile.in_shared_ || tile.address_ >> 24 != rank) return SmemDumpStatus::not_shared;
  const std::uint32_t address = SmemTile::window(tile.address_);
  const bool inside = address <= window_end && tile.bytes_ <= window_end - address;
  return inside ? SmemDumpStatus::copied : SmemDumpStatus::past_the_end;
}

/// Volatile loads, so that the compiler neither merges nor moves them.  16 bytes at a time where
/// the tile allows it.
__device__ inline void SmemDumpHandle<true>::copy(const SmemTile& tile, unsigned char* to,
                                                  unsigned lane, unsigned lanes) const {
  if (to == nullptr) return;
  const std::uint32_t bytes = static_cast<std::uint32_t>(tile.bytes_);
  const std::uint32_t whole = tile.address_ % 16 == 0 ? bytes / 16 * 16 : 0;
  for (std::uint32_t i = lane * 16; i < whole; i += lanes * 16) {
    uint4 v;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(tile.address_ + i)
                 : "memory");
    *reinterpret_cast<uint4*>(to + i) = v;
  }
  for (std::uint32_t i = whole + lane; i < bytes; i += lanes) {
    std::uint32_t v;
    asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(v) : "r"(tile.address_ + i) : "memory");
    to[i] = static_cast<unsigned char>(v);
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

#endif  // __CUDACC__

}  // namespace lc::kernel
