#include "sim/machine/mbarrier_unit.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

constexpr std::uint32_t kBytes = 8;
/// A guest can make any number of operations in one phase; the ledger lists this many warps.
constexpr std::size_t kMaxShares = 2048;

/// Bounds and alignment of the object; throws.
std::byte* object(SharedMemory& shared, std::uint64_t offset) {
  return shared.bytes(offset, kBytes, kBytes, Access::write);
}

std::uint32_t operand_of(MbarrierOp op, std::uint64_t value, std::uint64_t offset) {
  if (value <= ~std::uint32_t{0}) return static_cast<std::uint32_t>(value);
  const bool arrivals = counts_arrivals(op);
  throw Fault(FaultKind::undefined, arrivals ? "mbarrier.arrivals" : "mbarrier.tx-range",
              "mbarrier operation with the operand " + std::to_string(value) +
                  ", which is far outside its range",
              offset);
}

}  // namespace

MbarrierResult MbarrierUnit::init(SharedMemory& shared, std::uint64_t offset, std::uint64_t count) {
  object(shared, offset);
  MbarrierResult result;
  throw_first_error(FaultKind::undefined, check_mbarrier_count(count), offset);
  const auto at = static_cast<std::uint32_t>(offset);
  if (live_.count(at) != 0) result.findings.add(mbarrier_unit_rules::kReinit);
  const auto n = static_cast<std::uint32_t>(count);
  live_[at] = Live{mbarrier_init(n), n, {}, 0};
  return result;
}

void MbarrierUnit::inval(SharedMemory& shared, std::uint64_t offset) {
  std::byte* bytes = object(shared, offset);
  const std::uint64_t word = encode(find(offset).state);
  std::memcpy(bytes, &word, kBytes);
  live_.erase(static_cast<std::uint32_t>(offset));
}

void MbarrierUnit::note(Live& barrier, MbarrierOp op, std::uint64_t operand, const Actor& actor) {
  auto share =
      std::find_if(barrier.shares.begin(), barrier.shares.end(), [&](const MbarrierShare& s) {
        return s.actor.warp == actor.warp && s.actor.unit == actor.unit &&
               s.actor.cta_rank == actor.cta_rank;
      });
  if (share == barrier.shares.end()) {
    if (barrier.shares.size() == kMaxShares) {
      ++barrier.unlisted;
      return;
    }
    barrier.shares.push_back({actor, 0, 0, 0, 0});
    share = barrier.shares.end() - 1;
  }
  if (actor.lane >= 0) share->lanes |= 1u << (actor.lane & 31);
  switch (op) {
    case MbarrierOp::arrive:
    case MbarrierOp::arrive_drop:
      share->arrivals += operand;
      break;
    case MbarrierOp::expect_tx:
      share->expected_bytes += operand;
      break;
    case MbarrierOp::complete_tx:
      share->completed_bytes += operand;
      break;
    case MbarrierOp::arrive_expect_tx:
      share->arrivals += 1;
      share->expected_bytes += operand;
      break;
  }
}

MbarrierResult MbarrierUnit::apply(std::uint64_t offset, MbarrierOp op, std::uint64_t value,
                                   const Actor& actor) {
  Live& barrier = find(offset);
  const std::uint32_t operand = operand_of(op, value, offset);
  MbarrierResult result;
  result.findings = check_mbarrier(barrier.state, op, operand);
  throw_first_error(FaultKind::undefined, result.findings, offset);
  const Mbarrier before = barrier.state;
  // The token's lower half is the operand of the arrival (seen on an H200).
  result.token = mbarrier_token(before, operand);
  barrier.state = lc::apply(before, op, operand);
  result.phase_turned = barrier.state.phase != before.phase;
  if (result.phase_turned) {
    barrier.shares.clear();
    barrier.unlisted = 0;
  } else {
    note(barrier, op, operand, actor);
  }
  return result;
}

MbarrierResult MbarrierUnit::arrive_no_complete(std::uint64_t offset, std::uint64_t count,
                                                bool drop, const Actor& actor) {
  const Mbarrier before = find(offset).state;
  if (before.pending <= count && before.tx == 0) {
    throw Fault(FaultKind::undefined, "mbarrier.no-complete",
                "arrive.noComplete with " + std::to_string(count) + " of " +
                    std::to_string(before.pending) +
                    " pending arrivals would end the phase, which is undefined",
                offset);
  }
  MbarrierResult result =
      apply(offset, drop ? MbarrierOp::arrive_drop : MbarrierOp::arrive, count, actor);
  result.token = mbarrier_token(before, 1);
  return result;
}

void MbarrierUnit::add_pending(std::uint64_t offset) {
  Live& barrier = find(offset);
  if (barrier.state.pending >= kMbarrierLimit) {
    throw Fault(FaultKind::undefined, "mbarrier.pending-overflow",
                "more than " + std::to_string(kMbarrierLimit) + " arrivals would be pending",
                offset);
  }
  ++barrier.state.pending;
}

bool MbarrierUnit::test_parity(std::uint64_t offset, std::uint32_t parity) const {
  return wait_parity(find(offset).state, parity);
}

bool MbarrierUnit::test_token(std::uint64_t offset, std::uint64_t token) const {
  return wait_token(find(offset).state, token);
}

bool MbarrierUnit::is_live(std::uint64_t offset) const {
  return offset <= ~std::uint32_t{0} && live_.count(static_cast<std::uint32_t>(offset)) != 0;
}

const Mbarrier& MbarrierUnit::state(std::uint64_t offset) const {
  return find(offset).state;
}

MbarrierLedger MbarrierUnit::ledger(std::uint64_t offset) const {
  const Live& barrier = find(offset);
  return {static_cast<std::uint32_t>(offset), barrier.state, barrier.initial_count, barrier.shares,
          barrier.unlisted};
}

std::vector<std::uint32_t> MbarrierUnit::live_in(std::uint64_t begin, std::uint64_t end) const {
  std::vector<std::uint32_t> found;
  const std::uint64_t first = begin < kBytes ? 0 : begin - (kBytes - 1);
  if (begin >= end || first > ~std::uint32_t{0}) return found;
  for (auto at = live_.lower_bound(static_cast<std::uint32_t>(first));
       at != live_.end() && at->first < end; ++at) {
    found.push_back(at->first);
  }
  return found;
}

const MbarrierUnit::Live& MbarrierUnit::find(std::uint64_t offset) const {
  if (offset % kBytes != 0) {
    throw Fault(FaultKind::misaligned_address, "mbarrier.misaligned",
                "mbarrier at " + hex(offset) + ", which is not a multiple of 8", offset);
  }
  const auto at =
      offset <= ~std::uint32_t{0} ? live_.find(static_cast<std::uint32_t>(offset)) : live_.end();
  if (at == live_.end()) {
    throw Fault(FaultKind::undefined, "mbarrier.uninitialised",
                "no mbarrier was initialised at shared address " + hex(offset), offset);
  }
  return at->second;
}

MbarrierUnit::Live& MbarrierUnit::find(std::uint64_t offset) {
  return const_cast<Live&>(static_cast<const MbarrierUnit*>(this)->find(offset));
}

}  // namespace lc::machine
