#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/dump_file.h"
#include "kernel/operand_store.cuh"

// One tile that tile_probe fills and dumps.  Plain values and host arithmetic, no CUDA.
namespace lc::kernel {

/// Shared memory that a CTA can have on sm_90 and sm_100; the first 1024 bytes of the window are
/// reserved.
inline constexpr std::uint32_t kSmemBegin = 1024, kSmemEnd = 1024 + 227 * 1024;

/// All sources are pieces of one buffer that holds the pattern mix32(kSourceSeed).
inline constexpr std::uint64_t kSourceBytes = std::uint64_t{16} << 20;
inline constexpr std::uint32_t kSourceSeed = 0x1000000;

/// What the dumped window holds before the tile is written.
inline constexpr std::uint8_t kUntouched = 0xCD;

/// The bytes of shared memory that are dumped, tile and surroundings.
struct Window {
  std::uint32_t begin = 0, bytes = 0;
};

/// Filled by one cp.async.bulk.tensor.
struct TmaTile {
  std::string name;
  TensorMapCall map;                ///< global_address is set when it runs
  std::uint64_t source_offset = 0;  ///< of the byte at global_address in the source buffer
  std::vector<std::int32_t> coordinates;
  std::uint32_t destination = kSmemBegin;
  Window window;  ///< empty: the tile
};

/// Bytes of one element of a tensor-map data type; 0 for the packed types, which this probe lacks.
std::uint32_t element_bytes(int data_type);

/// What the copy counts on its barrier: the whole box, fill included.
std::uint64_t transaction_bytes(const TmaTile& tile);

/// Bytes from the destination to the end of the tile.  A row takes the whole swizzle span.
std::uint64_t footprint_bytes(const TmaTile& tile);

/// Throws SmemDumpError, naming what is wrong, unless the tile is well formed, stays inside shared
/// memory and reads inside the source buffer.  The rules of the tensor map are the driver's.
void check(const TmaTile& tile);

/// Filled by cp.async with the swizzle computed in the kernel.
struct OperandCopy {
  std::string name;
  unsigned arch = 90;  ///< 90 or 100: the form of the descriptor
  std::string element = "f16";
  unsigned container = 0;  ///< 8: 16 elements of 4 or 6 bits per 16-byte cell
  bool k_major = true;
  SmemSwizzle swizzle = SmemSwizzle::none;
  std::uint32_t mn = 0, k = 0;
  std::uint32_t start_address = kSmemBegin, leading_byte_offset = 16, stride_byte_offset = 0;
  bool buffer_keys = false;  ///< swizzle by the row inside the buffer, not by address bits
  std::uint32_t base_offset = 0;
  std::uint64_t source_offset = 0;
  std::uint32_t source_pitch = 0;              ///< bytes from row to row of the source; 0: dense
  std::uint32_t slice_begin = 0, slice_k = 0;  ///< K range that the dump describes; 0: all
  Window window;
};

std::uint32_t element_bits(const OperandCopy& copy);

/// Rows of the source, cells in each, source bytes of a cell (12 or 8 for containers, else 16).
struct SourceShape {
  std::uint32_t rows, cells, cell_bytes, pitch;
};
SourceShape source_shape(const OperandCopy& copy);

OperandStore operand_store(const OperandCopy& copy);

/// Base offset that reads a tile written with buffer_keys.
std::uint32_t base_offset_for(const OperandCopy& copy);

/// Descriptor of the described K range.
std::uint64_t descriptor(const OperandCopy& copy);

TileDescription description(const OperandCopy& copy);

/// As above; also refuses two cells at one place.
void check(const OperandCopy& copy);

/// Fills an empty window: the 128-byte lines that the tile touches.
Window window_of(const OperandCopy& copy);
Window window_of(const TmaTile& tile);

}  // namespace lc::kernel
