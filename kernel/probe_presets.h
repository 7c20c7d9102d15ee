#pragma once

#include <vector>

#include "kernel/probe_tile.h"

// Tiles worth looking at by themselves, as two articles on shared-memory layouts describe them.
namespace lc::kernel {

/// A [2][128][32] f16, K-major, 64B, SBO 512 at 0x400 and B [2][32][128] f16, N-major, 128B, LBO
/// 1024, SBO 2048 at 0x4400, written by cp.async: both stages whole, and the two K slices that
/// tcgen05.mma reads.  Then A once more, 128 bytes off its natural boundary: swizzled by address
/// bits (base offset 0) and by row of the buffer (base offset 1).
std::vector<OperandCopy> tcgen05_tile_preset();

/// The same shifted tile with the base offset that does not fit its keys: each reads wrong data.
std::vector<OperandCopy> base_offset_mistakes();

/// 16x256 f16: an 8x64 tile with and without swizzle; a 16x128 slice in one 3-D box {64, 16, 2},
/// column offset 0 and 128.
std::vector<TmaTile> grouped_box_preset();

}  // namespace lc::kernel
