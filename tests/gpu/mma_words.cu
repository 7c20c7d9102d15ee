#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "tests/gpu/mma_words.h"

// Each form is one row: family, types, k, and the instruction's text.  Rows of A and B are 32 bytes in
// all of them, and then all mma.sync fragments are the same bytes: register i of lane 4 g + t holds
// bytes 16 (i / 2) + 4 t .. + 3 of row g + 8 (i % 2) (PTX ISA 9.0, "Matrix fragments for mma").

#define LC_FORMS(SYNC, WGMMA)                                                                   \
  SYNC(0, f16, f16, f32, 16, false, "m16n8k16.row.col.f32.f16.f16.f32")                         \
  SYNC(1, bf16, bf16, f32, 16, false, "m16n8k16.row.col.f32.bf16.bf16.f32")                     \
  SYNC(2, tf32, tf32, f32, 8, false, "m16n8k8.row.col.f32.tf32.tf32.f32")                       \
  SYNC(3, f16, f16, f16, 16, false, "m16n8k16.row.col.f16.f16.f16.f16")                         \
  SYNC(4, e4m3, e4m3, f32, 32, false, "m16n8k32.row.col.f32.e4m3.e4m3.f32")                     \
  SYNC(5, e4m3, e5m2, f32, 32, false, "m16n8k32.row.col.f32.e4m3.e5m2.f32")                     \
  SYNC(6, e5m2, e4m3, f32, 32, false, "m16n8k32.row.col.f32.e5m2.e4m3.f32")                     \
  SYNC(7, e5m2, e5m2, f32, 32, false, "m16n8k32.row.col.f32.e5m2.e5m2.f32")                     \
  SYNC(8, e4m3, e5m2, f16, 32, false, "m16n8k32.row.col.f16.e4m3.e5m2.f16")                     \
  SYNC(9, e5m2, e4m3, f16, 32, false, "m16n8k32.row.col.f16.e5m2.e4m3.f16")                     \
  SYNC(10, s8, u8, s32, 32, true, "m16n8k32.row.col.satfinite.s32.s8.u8.s32")                   \
  SYNC(11, u8, s8, s32, 32, false, "m16n8k32.row.col.s32.u8.s8.s32")                            \
  SYNC(24, s4, u4, s32, 64, true, "m16n8k64.row.col.satfinite.s32.s4.u4.s32")                   \
  SYNC(25, u4, s4, s32, 64, false, "m16n8k64.row.col.s32.u4.s4.s32")                            \
  SYNC(26, b1, b1, s32, 256, false, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")                 \
  SYNC(27, b1, b1, s32, 256, false, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")                 \
  WGMMA(12, f16, f16, f32, 16, false, "m64n8k16.f32.f16.f16", ", p, 1, 1, 0, 0")                \
  WGMMA(13, bf16, bf16, f32, 16, false, "m64n8k16.f32.bf16.bf16", ", p, 1, 1, 0, 0")            \
  WGMMA(14, tf32, tf32, f32, 8, false, "m64n8k8.f32.tf32.tf32", ", p, 1, 1")                    \
  WGMMA(15, f16, f16, f16, 16, false, "m64n8k16.f16.f16.f16", ", p, 1, 1, 0, 0")                \
  WGMMA(16, e4m3, e4m3, f32, 32, false, "m64n8k32.f32.e4m3.e4m3", ", p, 1, 1")                  \
  WGMMA(17, e4m3, e5m2, f32, 32, false, "m64n8k32.f32.e4m3.e5m2", ", p, 1, 1")                  \
  WGMMA(18, e5m2, e4m3, f32, 32, false, "m64n8k32.f32.e5m2.e4m3", ", p, 1, 1")                  \
  WGMMA(19, e5m2, e5m2, f32, 32, false, "m64n8k32.f32.e5m2.e5m2", ", p, 1, 1")                  \
  WGMMA(20, e4m3, e4m3, f16, 32, false, "m64n8k32.f16.e4m3.e4m3", ", p, 1, 1")                  \
  WGMMA(21, e5m2, e5m2, f16, 32, false, "m64n8k32.f16.e5m2.e5m2", ", p, 1, 1")                  \
  WGMMA(22, s8, s8, s32, 32, true, "m64n8k32.s32.s8.s8.satfinite", ", p")                       \
  WGMMA(23, u8, s8, s32, 32, false, "m64n8k32.s32.u8.s8", ", p")

namespace lc::tests {
namespace {

using numerics::Family;
using numerics::Format;

constexpr std::uint32_t kN = 8;

/// The instruction of one form; `d` holds C before.  Two registers of `d` count where D is f16.
template <int kForm>
struct Instruction;

#define LC_SYNC(INDEX, A, B, D, K, SAT, TEXT)                                                     \
  template <>                                                                                     \
  struct Instruction<INDEX> {                                                                     \
    static constexpr bool kWgmma = false, kHalves = Format::D == Format::f16;                     \
    static __device__ void run(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* d) { \
      if constexpr (kHalves) {                                                                    \
        asm volatile("mma.sync.aligned." TEXT                                                     \
                     " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"                           \
                     : "+r"(d[0]), "+r"(d[1])                                                     \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));         \
      } else {                                                                                    \
        asm volatile("mma.sync.aligned." TEXT                                                     \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"           \
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                             \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));         \
      }                                                                                           \
    }                                                                                             \
  };

#define LC_WGMMA(INDEX, A, B, D, K, SAT, TEXT, TAIL)                                              \
  template <>                                                                                     \
  struct Instruction<INDEX> {                                                                     \
    static constexpr bool kWgmma = true, kHalves = Format::D == Format::f16;                      \
    static __device__ void run(std::uint64_t a, std::uint64_t b, std::uint32_t* d) {              \
      if constexpr (kHalves) {                                                                    \
        asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned." TEXT     \
                     " {%0, %1}, %2, %3" TAIL ";}"                                                \
                     : "+r"(d[0]), "+r"(d[1])                                                     \
                     : "l"(a), "l"(b)                                                             \
                     : "memory");                                                                 \
      } else {                                                                                    \
        asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned." TEXT     \
                     " {%0, %1, %2, %3}, %4, %5" TAIL ";}"                                        \
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                             \
                     : "l"(a), "l"(b)                                                             \
                     : "memory");                                                                 \
      }                                                                                           \
    }                                                                                             \
  };

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define LC_HAVE_WGMMA 1
LC_FORMS(LC_SYNC, LC_WGMMA)
#else
#define LC_NO_WGMMA(INDEX, A, B, D, K, SAT, TEXT, TAIL)                             \
  template <>                                                                       \
  struct Instruction<INDEX> {                                                       \
    static constexpr bool kWgmma = true, kHalves = false;                           \
    static __device__ void run(std::uint64_t, std::uint64_t, std::uint32_t*) {}     \
  };
LC_FORMS(LC_SYNC, LC_NO_WGMMA)
#endif

/// Rows in core matrices of 8 rows by 16 bytes, two along K: leading byte offset 128, stride 256.
[[maybe_unused]] __device__ std::uint64_t plain_descriptor(const std::uint8_t* tile) {
  const auto start = static_cast<std::uint64_t>(__cvta_generic_to_shared(tile));
  return start >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
}

[[maybe_unused]] __device__ void copy_to_cores(const std::uint8_t* rows, std::uint32_t count, std::uint8_t* tile) {
  for (std::uint32_t i = threadIdx.x; i < count * kRowBytes; i += blockDim.x) {
    const std::uint32_t row = i / kRowBytes, byte = i % kRowBytes;
    tile[row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16] = rows[i];
  }
}

template <int kForm>
__global__ void one_instruction(const std::uint8_t* a, const std::uint8_t* b, std::uint32_t* cd) {
  using Op = Instruction<kForm>;
  constexpr std::uint32_t kM = Op::kWgmma ? 64 : 16;
  a += blockIdx.x * kM * kRowBytes;
  b += blockIdx.x * kN * kRowBytes;
  cd += blockIdx.x * kM * kN;
  const std::uint32_t lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  std::uint32_t* row = cd + (threadIdx.x / 32 * 16 + g) * kN + 2 * t;
  std::uint32_t d[4] = {row[0], row[1], row[8 * kN], row[8 * kN + 1]};
  if constexpr (Op::kHalves) {
    d[0] |= d[1] << 16;
    d[1] = d[2] | d[3] << 16;
  }
  if constexpr (Op::kWgmma) {
    __shared__ alignas(128) std::uint8_t tile_a[64 * kRowBytes], tile_b[kN * kRowBytes];
    copy_to_cores(a, kM, tile_a);
    copy_to_cores(b, kN, tile_b);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
#if LC_HAVE_WGMMA
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    Op::run(plain_descriptor(tile_a), plain_descriptor(tile_b), d);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
  } else {
    std::uint32_t ra[4], rb[2];
    const auto* words_a = reinterpret_cast<const std::uint32_t*>(a);
    const auto* words_b = reinterpret_cast<const std::uint32_t*>(b);
    for (std::uint32_t i = 0; i < 4; ++i) ra[i] = words_a[(g + i % 2 * 8) * 8 + i / 2 * 4 + t];
    for (std::uint32_t i = 0; i < 2; ++i) rb[i] = words_b[g * 8 + i * 4 + t];
    Op::run(ra, rb, d);
  }
  if constexpr (Op::kHalves) {
    d[3] = d[1] >> 16;
    d[2] = d[1] & 0xffff;
    d[1] = d[0] >> 16;
    d[0] &= 0xffff;
  }
  row[0] = d[0];
  row[1] = d[1];
  row[8 * kN] = d[2];
  row[8 * kN + 1] = d[3];
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// Device memory with the bytes of a span.
class Copy {
 public:
  Copy(const void* from, std::size_t bytes) {
    check(cudaMalloc(&data_, bytes));
    check(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice));
  }
  ~Copy() { cudaFree(data_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

using Kernel = void (*)(const std::uint8_t*, const std::uint8_t*, std::uint32_t*);

struct Row {
  DeviceForm form;
  Kernel kernel;
};

#define LC_SYNC_ROW(INDEX, A, B, D, K, SAT, TEXT) \
  Row{{Family::mma_sync, Format::A, Format::B, Format::D, K, SAT, TEXT}, one_instruction<INDEX>},
#define LC_WGMMA_ROW(INDEX, A, B, D, K, SAT, TEXT, TAIL) \
  Row{{Family::wgmma, Format::A, Format::B, Format::D, K, SAT, TEXT}, one_instruction<INDEX>},

std::vector<Row> rows() { return {LC_FORMS(LC_SYNC_ROW, LC_WGMMA_ROW)}; }

bool gpu_has(Family family) {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  return family != Family::wgmma || major == 9;
}

}  // namespace

std::vector<DeviceForm> device_forms() {
  std::vector<DeviceForm> forms;
  for (const Row& row : rows()) forms.push_back(row.form);
  return forms;
}

bool run_on_device(std::size_t form, std::uint32_t tiles, std::span<const std::uint8_t> a,
                   std::span<const std::uint8_t> b, std::span<std::uint32_t> cd) {
  const Row row = rows().at(form);
  if (!gpu_has(row.form.family)) return false;
  const Copy device_a(a.data(), a.size()), device_b(b.data(), b.size());
  const Copy device_cd(cd.data(), cd.size_bytes());
  row.kernel<<<tiles, row.form.family == Family::wgmma ? 128 : 32>>>(
      static_cast<const std::uint8_t*>(device_a.data()),
      static_cast<const std::uint8_t*>(device_b.data()),
      static_cast<std::uint32_t*>(device_cd.data()));
  check(cudaGetLastError());
  check(cudaMemcpy(cd.data(), device_cd.data(), cd.size_bytes(), cudaMemcpyDeviceToHost));
  return true;
}

}  // namespace lc::tests
