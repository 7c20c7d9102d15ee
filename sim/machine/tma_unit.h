#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/layout/tma_copy.h"
#include "sim/machine/global_memory.h"
#include "sim/machine/mbarrier_unit.h"
#include "sim/machine/shared_memory.h"
#include "sim/machine/tma_plan.h"

/// The tensor memory accelerator: cp.async.bulk.tensor and its reductions, in two halves, so that
/// a schedule can put time between reading the source and writing the result.
///
///   load    plan_load  -> read_global -> write_shared, once for each destination CTA
///   store   plan_store -> read_shared -> write_global
///
/// The outcome rules (which copy faults) and the walk are sim/layout's; captured copies are run
/// through this unit by its suite.
namespace lc::machine {

/// The packed bytes of all rows, fill and value changes included.
std::vector<std::byte> read_global(const TmaPlan& plan, const GlobalMemory& memory);
void write_shared(const TmaPlan& plan, const std::vector<std::byte>& packed, SharedMemory& shared);

std::vector<std::byte> read_shared(const TmaPlan& plan, const SharedMemory& shared);
void write_global(const TmaPlan& plan, const std::vector<std::byte>& packed, TmaOperation operation,
                  GlobalMemory& memory);

/// A contiguous run of shared memory that a copy touches, in the order of the walk.
struct SharedPiece {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};
std::vector<SharedPiece> shared_pieces(const TmaPlan& plan);

/// Offsets of the live barriers that a load would write over; gaps of the box do not count.
std::vector<std::uint32_t> overwritten_barriers(const TmaPlan& plan, const MbarrierUnit& barriers);

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
