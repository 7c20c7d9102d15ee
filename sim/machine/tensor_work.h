#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "sim/machine/cta.h"
#include "sim/machine/tensor_core.h"
#include "sim/machine/tmem_movement.h"
#include "sim/machine/warp.h"

/// What warps have the fifth-generation tensor core do, as items of their cluster's queue.
///
/// Matrix instructions, copies and shifts of a CTA, or of a pair, complete in order (PTX ISA 9.0,
/// 9.7.16.6.2 promises less: it names pairs of instructions).  A commit comes after what its thread
/// issued before.  Loads and stores of Tensor Memory are ordered by nothing but the waits: a load
/// may see the cells before or after a matrix instruction whose mbarrier nobody waited for.
namespace lc::machine {

/// The CTAs that a tcgen05 instruction works on: its own, or the pair with the even one first.
struct CtaGroup {
  std::array<Cta*, 2> ctas{};
  std::uint32_t size = 1;

  std::span<Cta* const> all() const { return {ctas.data(), size}; }
};

/// Throws Fault when the cluster has no such pair or the peer has ended, and when an earlier
/// instruction had another cta_group.
CtaGroup cta_group_of(Warp& warp, std::uint32_t cta_group);

/// Each for the thread in `lane`.
void issue_mma(Warp& warp, std::uint32_t lane, const MmaRequest& request);
void issue_tmem_copy(Warp& warp, std::uint32_t lane, std::uint32_t cta_group, const TmemCopy& copy);
void issue_tmem_shift(Warp& warp, std::uint32_t lane, std::uint32_t cta_group,
                      std::uint32_t address);
/// One arrival at the barrier, or at the same offset of every CTA in `cta_mask`, when the earlier
/// work of the thread is done.
void issue_tensor_commit(Warp& warp, std::uint32_t lane, std::uint32_t cta_group,
                         BarrierKey barrier, std::optional<std::uint32_t> cta_mask);

/// For a whole warp.  `registers` are places in the current frame, one per register of a thread; a
/// load writes them when it completes, at the latest before an instruction that touches them; a
/// store's values are read now.
void issue_tmem_load(Warp& warp, const TmemTransfer& transfer, std::span<const Ref> registers);
void issue_tmem_store(Warp& warp, const TmemTransfer& transfer, std::span<const Ref> registers);
/// Completes the warp's loads, or stores, of Tensor Memory.
void finish_tmem_loads(Warp& warp);
void finish_tmem_stores(Warp& warp);

}  // namespace lc::machine
