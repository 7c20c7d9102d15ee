#pragma once

#include <cstdint>
#include <vector>

#include "sim/layout/im2col_box.h"
#include "sim/layout/tma_box.h"
#include "sim/layout/tma_copy.h"
#include "sim/machine/tensor_map_object.h"

/// The first step of a tensor copy: is it legal, and which rows does it move.
namespace lc::machine {

/// How the instruction walks the tensor; it must agree with the map.
///  scatter4 is gather4 in the other direction.
enum class TmaMode : std::uint8_t { tile, im2col, gather4, im2col_w, im2col_w_128 };

constexpr bool is_im2col(TmaMode mode) {
  return mode == TmaMode::im2col || mode == TmaMode::im2col_w || mode == TmaMode::im2col_w_128;
}

/// Operands of one tensor copy.  `rank` is the instruction's .1d … .5d.
struct TensorCopy {
  TmaMode mode = TmaMode::tile;
  int rank = 1;
  Coordinates first{};        ///< innermost first; gather4: the column
  std::int64_t rows[4] = {};  ///< gather4: indices in dimension 1
  Im2colOffsets offsets;      ///< im2col loads
  std::uint32_t w_halo = 0;   ///< im2col::w and im2col::w::128
  std::uint32_t w_offset = 0;
  std::uint64_t smem_offset = 0;  ///< in the CTA's window
};

/// A copy that will not be refused: its rows, in the order of their linear shared addresses.
struct TmaPlan {
  TmaBox box;
  std::vector<TmaRow> rows;
  DataType data_type = DataType::u8;
  std::uint64_t global_address = 0;

  /// What each destination's barrier is told.
  std::uint64_t transaction_bytes() const { return box.transaction_bytes; }
  /// Shared addresses [smem_address, end) that the box may touch.
  std::uint64_t smem_end() const { return box.smem_address + box.footprint; }
};

/// `shared_bytes` is the size of the window; it bounds what a hostile map can make us walk.
/// Both throw Fault with the outcome the hardware showed.
TmaPlan plan_load(const TensorMapObject& map, const TensorCopy& copy, Arch arch,
                  std::uint64_t shared_bytes);
TmaPlan plan_store(const TensorMapObject& map, const TensorCopy& copy, TmaOperation operation,
                   Arch arch, std::uint64_t shared_bytes);
/// cp.async.bulk.prefetch.tensor: the same map and coordinates are legal or not; nothing moves.
void check_prefetch(const TensorMapObject& map, const TensorCopy& copy, Arch arch);

}  // namespace lc::machine
