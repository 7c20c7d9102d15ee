#pragma once

#include <ostream>

namespace lc::tests {

/// One line of a kernel changed, and what `layout-check gemm` says of it.
struct Mistake {
  const char* what;
  const char* kernel;
  const char* file;  ///< in kernel/gemm
  const char* before;
  const char* after;
  const char* options;
  const char* says;  ///< regular expression, in the first explanation, fault or sentence about D
};

inline std::ostream& operator<<(std::ostream& out, const Mistake& m) {
  return out << m.kernel << ": " << m.what;
}

inline constexpr const char* kCpAsync = "tcgen05_cp_async";
inline constexpr const char* kTma = "tcgen05_tma";
inline constexpr const char* kStages = "cp_async_stages.cuh";
inline constexpr const char* kTmaStages = "tma_stages.cuh";
inline constexpr const char* kThree = "--b-major n --m 128 --n 128 --k 96";  ///< three K tiles
inline constexpr const char* kLazy = "--b-major n --m 128 --n 128 --k 96 --schedule lazy";
inline constexpr const char* kRagged = "--m 128 --n 128 --k 300";
/// What is said where nothing simple explains D.
inline constexpr const char* kReader =
    "the tiles hold: where their slices or stages are read, which products are added, or the "
    "epilogue";

/// Mistakes in what is stored: the bytes of a tile are wrong.
inline constexpr Mistake kStored[] = {
    {"A is stored without a swizzle", kCpAsync, kStages, "in_atom ^ (key & (chunks - 1))",
     "in_atom", kThree, "is not swizzled at all"},
    {"A is swizzled by whole rows", kCpAsync, kStages, "in_band * T::span / 128;", "in_band;",
     kThree, R"(chunk c of row r at c \^ \(r & 3\))"},
    {"B is stored without a swizzle", kCpAsync, kStages, "slot % chunks ^ in_band", "slot % chunks",
     kThree, "is not swizzled at all"},
    {"the other stage is never filled", kCpAsync, "tcgen05_cp_async.cu", "stages.load(other,",
     "stages.load(stage,", kThree, "was never written"},
    {"nobody waits for cp.async", kCpAsync, "tcgen05_cp_async.cu",
     "      ptx::cp_async_wait_group<0>();\n", "", kLazy, "was never written"},
    {"B always of the first k", kCpAsync, kStages, "k + shared_next_row_b,", "shared_next_row_b,",
     kThree, "k -32 on, one K block off"},
    {"a tile off its boundary is written relative to its start", kCpAsync, kStages,
     "key += T::shift / 128 - p.base_offset", "key += 0",
     "--b-major n --m 128 --n 128 --k 96 --variant base128_o0",
     "swizzled relative to its own start"},
    {"base offset is added", kCpAsync, kStages, "T::shift / 128 - p.base_offset",
     "T::shift / 128 + p.base_offset", "--b-major n --m 128 --n 128 --k 96 --variant base128_o1",
     "2 lines of 128 bytes into the swizzle pattern: base"},
    {"coordinates of a grouped box in another order", kTma, kTmaStages,
     "static_cast<std::int32_t>(row),\n                       static_cast<std::int32_t>(column / "
     "o.group)",
     "static_cast<std::int32_t>(column / o.group),\n                       "
     "static_cast<std::int32_t>(row)",
     kRagged, R"(copied from coordinates \(0, 2\))"},
    {"all groups from the first column", kTma, kTmaStages, "column + g * o.group)", "column)",
     kRagged, "one box earlier"},
    {"all groups to one place", kTma, kTmaStages, "tma_load_2d(to + g * o.group_bytes",
     "tma_load_2d(to", "--m 128 --n 128 --k 100", "one box further"},
    {"B from one chunk further", kTma, kTmaStages,
     "B_shared(stage), full(stage), column0,\n                tile * p.tile_k)",
     "B_shared(stage), full(stage), column0,\n                tile * p.tile_k + 8)", kRagged,
     R"(copied from coordinates \(136, 0\))"},
    {"expect_tx of A only", kTma, kTmaStages, "kTmaBytesA + kTmaBytesB);\n      load",
     "kTmaBytesA);\n      load", "--m 128 --n 128 --k 300 --schedule random:1",
     R"(copied from coordinates \(0, 0\))"},
};

/// Mistakes in descriptors that the dump carries: the bytes are not what such a descriptor reads.
inline constexpr Mistake kDescribed[] = {
    {"LBO where SBO belongs", kCpAsync, kStages, "a.stride_byte_offset = T::A_SBO",
     "a.stride_byte_offset = T::A_LBO", kThree, "has SBO 512, not 16"},
    {"LBO and SBO of B exchanged", kCpAsync, kStages,
     "b.leading_byte_offset = T::B_LBO;\n    b.stride_byte_offset = T::B_SBO;",
     "b.leading_byte_offset = T::B_SBO;\n    b.stride_byte_offset = T::B_LBO;", kThree,
     "LBO and SBO exchanged"},
    {"SBO scaled twice", kCpAsync, kStages, "a.stride_byte_offset = T::A_SBO",
     "a.stride_byte_offset = T::A_SBO / 16", kThree, "SBO 512, not 32: the field was shifted by 4"},
    {"base offset is not told", kCpAsync, kStages,
     "    if constexpr (T::shift != 0) a.base_offset = p.base_offset;\n", "",
     "--b-major n --m 128 --n 128 --k 96 --variant base128_o1",
     "swizzled relative to its own start"},
};

/// Mistakes behind right tiles: only D is wrong.
inline constexpr Mistake kRead[] = {
    {"the second slice too far", kCpAsync, kStages,
     "along_k / T::span * T::atom + along_k % T::span",
     "along_k / T::span * T::atom + 2 * (along_k % T::span)", kThree, kReader},
    {"slices of B by LBO", kCpAsync, kStages, "i * T::instruction_K / kBandRows * T::B_SBO",
     "i * T::instruction_K / kBandRows * T::B_LBO", kThree, kReader},
    {"accumulates on what was there", kCpAsync, "tcgen05_cp_async.cu", "accumulate || i != 0",
     "true", kThree, kReader},
    {"begins again with every tile", kCpAsync, "tcgen05_cp_async.cu",
     "multiply(stage, tmem, tile != 0)", "multiply(stage, tmem, false)", kThree,
     "K 0 to 63 is missing"},
    {"column of Tensor Memory", kCpAsync, "tcgen05_cp_async.cu", "(warp * 32 << 16) + column)",
     "(warp * 32 << 16) + column / 2)", kThree, kReader},
    {"rows of D", kCpAsync, "tcgen05_cp_async.cu", "+ lane : p.m", "+ lane % 16 : p.m", kThree,
     kReader},
    {"M of the instruction descriptor", kCpAsync, "tcgen05_cp_async.cu", "p.instruction,\n",
     "p.instruction ^ 12u << 24,\n", kThree, kReader},
    {"a slice in the wrong group", kTma, kTmaStages, "i / o.slices_a_group * o.group_bytes",
     "i / o.slices_a_group * o.slice_bytes", kRagged, kReader},
    {"start address scaled twice", kTma, kTmaStages, "o.descriptor, tile + i /",
     "o.descriptor, tile / 16 + i /", kRagged, kReader},
    {"the other stage is read", kTma, "tcgen05_tma.cu", "multiply_stage(stage, tmem, tile != 0)",
     "multiply_stage(stage ^ 1, tmem, tile != 0)", kRagged,
     "K 0 to 127 is missing; K 128 to 255 counts 2 times"},
    {"D is staged without its swizzle", kTma, kTmaStages, "((chunk ^ row & 7) << 4)",
     "(chunk << 4)", kRagged, "is not swizzled as its tensor map says"},
    {"D is swizzled as 64B", kTma, kTmaStages, "(chunk ^ row & 7)", "(chunk ^ row >> 1 & 3)",
     kRagged, kReader},
    {"CTAs 64 rows apart", kTma, kTmaStages, "row0(blockIdx.x * kTmaTileM)",
     "row0(blockIdx.x * 64)", "--m 256 --n 128 --k 64", "never written"},
    {"Dsmem is written while TMA reads it", kTma, kTmaStages,
     "if (threadIdx.x == 0) ptx::tma_store_wait_read<0>();", "",
     "--m 128 --n 128 --k 300 --schedule lazy", "no single change explains them"},
    {"the second 64 rows begin at row 32", "wgmma_cp_async", "wgmma_cp_async.cu",
     "half * 64 / kBandRows", "half * 32 / kBandRows", kThree, "hold those 32 rows above"},
};

/// Mistakes that stop the kernel.
inline constexpr Mistake kStopped[] = {
    {"the descriptor says 128B", kCpAsync, kStages, "a.swizzle = T::A_SWZ;",
     "a.swizzle = SmemSwizzle::b128;", kThree, "shared.out-of-bounds"},
    {"B is said to be K-major", kCpAsync, "tcgen05_cp_async.cu", "p.instruction,\n",
     "p.instruction ^ 1u << 16,\n", kThree, "shared.out-of-bounds"},
    {"rows are not bounded", kCpAsync, kStages, "row < rows && first < count", "first < count",
     "--b-major n --m 100 --n 128 --k 64", "global.unallocated"},
    {"nobody waits for the last products", kCpAsync, "tcgen05_cp_async.cu",
     "    wait_for_mma(k_tiles - 1);\n", "", kLazy, "tmem.unallocated"},
    {"lane of Tensor Memory", kCpAsync, "tcgen05_cp_async.cu", "tmem + (warp * 32 << 16) + column",
     "tmem + (warp * 16 << 16) + column", kThree, "a multiple of 32, not 16"},
    {"parity of full", kTma, "tcgen05_tma.cu", "ptx::mbarrier_wait(full(stage), round & 1);",
     "ptx::mbarrier_wait(full(stage), (round & 1) ^ 1);", "--m 128 --n 128 --k 300 --schedule lazy",
     "mbarrier.pending-underflow"},
    {"empty is never committed", kTma, "tcgen05_tma.cu",
     "        ptx::tcgen05_commit<1>(empty(stage));\n", "", "--m 128 --n 128 --k 600", "deadlock"},
};

}  // namespace lc::tests
