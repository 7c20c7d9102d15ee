#pragma once

#include "tests/gemm/mistakes.h"

namespace lc::tests {

// The same for the persistent kernel, tcgen05_gemm.
inline constexpr const char* kGemm = "tcgen05_gemm";
inline constexpr const char* kGemmFile = "tcgen05_gemm.cu";
inline constexpr const char* kFinishFile = "tcgen05_gemm_finish.cuh";
inline constexpr const char* kContextFile = "tcgen05_gemm_context.cuh";

/// Named: the wrong bytes of a tile.
inline constexpr Mistake kGemmStored[] = {
    {"A's boxes to one place", kGemm, kGemmFile, "c.shared.a(stage) + i * p.fetch_a.box_bytes",
     "c.shared.a(stage)", "--m 256 --n 256 --k 600 --a-major m", "one box further"},
    {"A from the first k", kGemm, kGemmFile, "c.row(place) + i * p.fetch_a.chunk, k);",
     "c.row(place) + i * p.fetch_a.chunk, 0);", "--m 256 --n 256 --k 600", "one box earlier"},
    {"B one K tile further", kGemm, kGemmFile, "c.column_b(place) + i * p.fetch_b.chunk, k);",
     "c.column_b(place) + i * p.fetch_b.chunk, k + p.tile_k);", "--m 256 --n 256 --k 600",
     "one box further"},
    {"coordinates exchanged", kGemm, kGemmFile,
     "&map, barrier, f.mn_major ? mn : k, f.mn_major ? k : mn);\n}",
     "&map, barrier, f.mn_major ? k : mn, f.mn_major ? mn : k);\n}", "--m 256 --n 256 --k 600",
     "two of them exchanged"},
    {"every pair sends the first half of B", kGemm, kGemmFile, "mn += share * f.share_mn;", "",
     "--m 512 --n 256 --k 200 --variant 256x256_multicast", "one box earlier"},
    {"blocks of scale factors overlap", kGemm, kGemmFile, "k_tile * T::kScaleBlocks;", "k_tile;",
     "--m 256 --n 128 --k 600 --type nvf4", "copied from coordinates .0, 1, 0."},
    {"scale factors of A of the other CTA", kGemm, kGemmFile,
     "                                     c.row(place) / 128);",
     "                                     c.row(place) / 256);",
     "--m 256 --n 256 --k 600 --type mxf8", "one box earlier"},
    {"coordinates of the store exchanged", kGemm, kFinishFile,
     "&c_.p.d, static_cast<std::int32_t>(column),\n                        "
     "static_cast<std::int32_t>(row));",
     "&c_.p.d, static_cast<std::int32_t>(row),\n                        "
     "static_cast<std::int32_t>(column));",
     "--m 256 --n 256 --k 600", "two of them exchanged"},
};

/// Named: the tiles are right, what reads them is not.
inline constexpr Mistake kGemmRead[] = {
    {"K step of A twice as long", kGemm, kGemmFile, "a + step * p.fetch_a.step_bytes",
     "a + 2 * step * p.fetch_a.step_bytes", "--m 256 --n 256 --k 600", kReader},
    {"no K step of B", kGemm, kGemmFile, "b + step * p.fetch_b.step_bytes", "b",
     "--m 256 --n 256 --k 600", "K 16 to 31 of A is multiplied with K 0 to 15 of B"},
    {"the steps of the first K tile overwrite each other", kGemm, kGemmFile, "!first || step != 0",
     "!first", "--m 256 --n 256 --k 600", "K 0 to 47 is missing"},
    {"accumulates on what was there", kGemm, kGemmFile, "!first || step != 0", "true",
     "--m 256 --n 1024 --k 200 --variant 256x256_static", kReader},
    {"scale factor byte of A", kGemm, kGemmFile, "byte << 29 | byte << 4", "byte << 4",
     "--m 256 --n 256 --k 600 --type mxf8", kReader},
    {"scale factor byte of B", kGemm, kGemmFile, "byte << 29 | byte << 4", "byte << 29",
     "--m 256 --n 256 --k 600 --type mxf8", kReader},
    {"scale factor block", kGemm, kGemmFile, "kOwnBlock ? step : 0", "0",
     "--m 256 --n 128 --k 600 --type nvf4", kReader},
    {"columns of the scale factors of A", kGemm, kGemmFile, "tmem + T::kColumnScaleA + 4 * i,",
     "tmem + T::kColumnScaleA,", "--m 256 --n 128 --k 600 --type nvf4", kReader},
    {"stride of the scale factors", kGemm, kGemmFile, "m.stride_byte_offset = 128;",
     "m.stride_byte_offset = 256;", "--m 256 --n 256 --k 600 --type mxf8", kReader},
    {"column of the second accumulator", kGemm, kGemmFile, "slot.slot * T::kN, k_tile == 0",
     "slot.slot * T::kN / 2, k_tile == 0", "--m 2560 --n 2304 --k 64 --variant 256x256_static",
     kReader},
    {"reads the first accumulator always", kGemm, kFinishFile, "slot * T::kN + i * columns()",
     "i * columns()", "--m 2560 --n 2304 --k 64 --variant 256x256_static", kReader},
    {"reads the first 32 columns twice", kGemm, kFinishFile,
     "ptx::tcgen05_ld_32x32b(accumulator, source + done);",
     "ptx::tcgen05_ld_32x32b(accumulator, source);", "--m 256 --n 256 --k 600 --output f16",
     "hold those 32 columns to the left"},
    {"D is staged without its swizzle", kGemm, kFinishFile, "(chunk ^ row & 7) << 4", "chunk << 4",
     "--m 256 --n 256 --k 600", "is not swizzled as its tensor map says"},
};

/// Stopped by a fault.
inline constexpr Mistake kGemmStopped[] = {
    {"expect_tx of one CTA of two", kGemm, kGemmFile,
     "      T::kGroup * (T::kBytesA + T::kBytesB +", "      (T::kBytesA + T::kBytesB +",
     "--m 256 --n 256 --k 600", "deadlock"},
    {"expect_tx without scale factors", kGemm, kGemmFile, " + T::kBytesScaleA + T::kBytesScaleB);",
     ");", "--m 256 --n 256 --k 600 --type mxf8", "deadlock"},
    {"mask of the multicast", kGemm, kGemmFile, "0b0101u << c.rank % T::kGroup",
     "0b0011u << c.rank % T::kGroup", "--m 512 --n 256 --k 200 --variant 256x256_multicast",
     "deadlock"},
    {"empty is told to one CTA", kGemm, kGemmFile, "(1u << T::kCtas) - 1", "1",
     "--m 256 --n 256 --k 1200", "deadlock"},
    {"the accumulator is told to one CTA", kGemm, kGemmFile,
     "((1u << T::kGroup) - 1) << c.leader()", "1u << c.leader()", "--m 256 --n 256 --k 600",
     "deadlock"},
    {"fetch does not wait for empty", kGemm, kGemmFile,
     "        ptx::mbarrier_wait(c.shared.empty(at.slot), at.parity ^ 1);  // passes in the first "
     "round\n",
     "", "--m 256 --n 256 --k 1200 --schedule lazy", "mbarrier.pending-underflow"},
    {"multiply does not wait for full", kGemm, kGemmFile,
     "        ptx::mbarrier_wait(c.shared.full(at.slot), at.parity);\n", "",
     "--m 256 --n 256 --k 600 --schedule lazy", "mbarrier.pending-underflow"},
    {"a quarter of the columns is allocated", kGemm, kGemmFile,
     "tcgen05_alloc<T::kGroup>(c.shared.tmem(), T::kColumns)",
     "tcgen05_alloc<T::kGroup>(c.shared.tmem(), T::kColumns / 4)", "--m 256 --n 256 --k 600",
     "tmem.unallocated"},
    {"Tensor Memory is not freed", kGemm, kGemmFile,
     "  if (c.warp == 3) ptx::tcgen05_dealloc<T::kGroup>(tmem, T::kColumns);\n", "",
     "--m 256 --n 256 --k 600", "tmem.leak"},
    {"lane of Tensor Memory", kGemm, kFinishFile, "tmem + (warp_ * 32 << 16)",
     "tmem + (warp_ * 32 << 15)", "--m 256 --n 256 --k 600", "a multiple of 32, not 16"},
};

/// Seen, and rightly called no change of one tile: two writers of the same bytes.
inline constexpr Mistake kGemmUnexplained[] = {
    {"B over the end of A", kGemm, kContextFile, "return a(stage) + T::kBytesA;",
     "return a(stage) + T::kBytesA / 2;", "--m 256 --n 256 --k 600",
     "no single change explains it"},
    {"a staging buffer is written while TMA reads it", kGemm, kFinishFile,
     "      if (c_.lane == 0) ptx::tma_store_wait_read<1>();\n", "",
     "--m 256 --n 256 --k 600 --schedule lazy", "no single change explains it"},
    {"one staging buffer only", kGemm, kFinishFile, "    buffer_ ^= 1;\n", "",
     "--m 256 --n 256 --k 600", "no single change explains it"},
};

/// Seen in D, not named: each copy is as it says, but is of the wrong tile of a matrix; the
/// sentence about D then blames the reader.  What is checked is where D is said to differ.
inline constexpr Mistake kGemmMisplaced[] = {
    {"both CTAs fetch the same half of B", kGemm, kContextFile,
     "column(place) + rank % T::kGroup * T::kRowsB", "column(place)", "--m 256 --n 256 --k 600",
     "in rows 0 to 255 and columns 128 to 255"},
    {"both CTAs fetch the same rows of A", kGemm, kContextFile,
     "(place.m * T::kCtas + rank) * kTileRows", "(place.m * T::kCtas) * kTileRows",
     "--m 256 --n 256 --k 600", "in rows 128 to 255 and columns 0 to 255"},
    {"the next tile skips one", kGemm, kContextFile, "cluster_ += gridDim.x / T::kCtas;",
     "cluster_ += gridDim.x;", "--m 2560 --n 4096 --k 64 --variant 256x256_static",
     "columns 0 to 4095"},
    {"tiles of M and N exchanged", kGemm, kContextFile,
     "tile_place(cluster_, p.tiles_m, p.tiles_n, p.band)",
     "tile_place(cluster_, p.tiles_n, p.tiles_m, p.band)", "--m 512 --n 1024 --k 64",
     "in rows 0 to 511 and columns 512 to 1023"},
};

}  // namespace lc::tests
