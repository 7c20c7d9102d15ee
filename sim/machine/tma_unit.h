#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/layout/im2col_box.h"
#include "sim/layout/tma_box.h"
#include "sim/layout/tma_copy.h"
#include "sim/machine/global_memory.h"
#include "sim/machine/shared_memory.h"
#include "sim/machine/tensor_map_object.h"

/// The tensor memory accelerator: cp.async.bulk.tensor and its reductions, in two halves, so that
/// a schedule can put time between reading the source and writing the result.
///
///   load    plan_load  -> read_global -> write_shared, once for each destination CTA
///   store   plan_store -> read_shared -> write_global
///
/// The outcome rules (which copy faults) and the walk are sim/layout's; captured copies are run
/// through this unit by its suite.
namespace lc::machine {

/// How the instruction walks the tensor; it must agree with the map.
///  scatter4 is gather4 in the other direction.
enum class TmaMode : std::uint8_t { tile, im2col, gather4 };

/// Operands of one tensor copy.  `rank` is the instruction's .1d … .5d.
struct TensorCopy {
  TmaMode mode = TmaMode::tile;
  int rank = 1;
  Coordinates first{};            ///< innermost first; gather4: the column
  std::int64_t rows[4] = {};      ///< gather4: indices in dimension 1
  Im2colOffsets offsets;          ///< im2col loads
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

/// The packed bytes of all rows, fill and value changes included.
std::vector<std::byte> read_global(const TmaPlan& plan, const GlobalMemory& memory);
void write_shared(const TmaPlan& plan, const std::vector<std::byte>& packed, SharedMemory& shared);

std::vector<std::byte> read_shared(const TmaPlan& plan, const SharedMemory& shared);
void write_global(const TmaPlan& plan, const std::vector<std::byte>& packed, TmaOperation operation,
                  GlobalMemory& memory);

/// One destination of a load: the CTA that gets the bytes and the one whose barrier is told.
struct TmaDestination {
  std::uint32_t rank = 0;
  std::uint32_t barrier_rank = 0;

  constexpr bool operator==(const TmaDestination&) const = default;
};

/// Where a load goes.  `destination` and `barrier` are shared::cluster addresses.
///  no multicast   the CTA of `destination`; its own barrier, or with cta_group::2 that of its pair
///  multicast      every CTA of the mask at the same offset; its barrier at the same offset, or
///                 with cta_group::2 that of the pair's CTA with the parity of `barrier`'s rank
///                 (PTX ISA; the pair form was not measured)
std::vector<TmaDestination> tma_destinations(std::uint32_t destination, std::uint32_t barrier,
                                             const std::uint16_t* multicast_mask, int cta_group,
                                             std::uint32_t cluster_size);

}  // namespace lc::machine
