#include "sim/machine/cluster.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "sim/machine/deadlock.h"
#include "sim/machine/grid.h"

namespace lc::machine {
namespace {

/// Instructions a warp runs before the next one has its chance.
constexpr std::uint64_t kQuantum = 2048;
/// … under a random schedule at least so many, as hardware starves no warp.
constexpr std::uint64_t kLeast = 32;
/// Rounds in which every warp only polled before the cluster says so.
constexpr std::uint32_t kIdleRounds = 16;

std::uint32_t product(const std::array<std::uint32_t, 3>& v) {
  return v[0] * v[1] * v[2];
}

}  // namespace

Cluster::Cluster(Grid& grid, std::uint64_t number, const std::array<std::uint32_t, 3>& first_cta)
    : grid_(grid),
      number_(number),
      queue_(grid.options().schedule, number, &grid.events()),
      barrier_(product(grid.launch().block) * product(grid.launch().cluster)),
      random_(grid.options().schedule.seed ^ 0x5EED, number) {
  const auto& size = grid.launch().cluster;
  for (std::uint32_t rank = 0; rank < product(size); ++rank) {
    const std::array<std::uint32_t, 3> index{first_cta[0] + rank % size[0],
                                             first_cta[1] + rank / size[0] % size[1],
                                             first_cta[2] + rank / (size[0] * size[1])};
    ctas_.push_back(std::make_unique<Cta>(*this, rank, index));
  }
}

const Launch& Cluster::launch() const {
  return grid_.launch();
}
GlobalMemory& Cluster::global() {
  return grid_.memory();
}

const GlobalMemory& Cluster::global() const {
  return grid_.memory();
}
const Events& Cluster::events() const {
  return grid_.events();
}
Arch Cluster::arch() const {
  return grid_.options().arch;
}
const RunOptions& Cluster::grid_options() const {
  return grid_.options();
}

Cluster::SharedPlace Cluster::shared_place(std::uint64_t address, std::uint32_t own_rank,
                                           SharedWindow window) {
  if (address >> 32 != 0) {
    throw Fault(FaultKind::illegal_address, "shared.not-an-address",
                hex(address) + " is no address of shared memory: those have 32 bits", address);
  }
  const SharedTarget t =
      resolve_shared(static_cast<std::uint32_t>(address), own_rank, size(), window);
  return {ctas_[t.rank].get(), t.offset};
}

MbarrierResult Cluster::apply(BarrierKey barrier, MbarrierOp op, std::uint64_t operand,
                              const Actor& actor, const Place& place) {
  MbarrierUnit& unit = cta(barrier.cta_rank).mbarriers();
  const bool watched = events().watched();
  const Mbarrier before =
      watched && unit.is_live(barrier.offset) ? unit.state(barrier.offset) : Mbarrier{};
  MbarrierResult result = unit.apply(barrier.offset, op, operand, actor);
  changed();
  for (const Finding& finding : result.findings) grid_.warn(finding, place);
  events().emit([&] {
    return BarrierEvent{barrier, op, operand, before, unit.state(barrier.offset), actor, place};
  });
  return result;
}

/// Lets every warp that can run have its share.  False when none could.
bool Cluster::run_round(std::uint64_t& budget) {
  const bool random = grid_.options().schedule.kind == Schedule::Kind::random;
  std::vector<Warp*> warps;
  for (const auto& cta : ctas_) {
    for (const auto& warp : cta->warps()) {
      if (!warp->finished()) warps.push_back(warp.get());
    }
  }
  if (random && !warps.empty()) {
    std::rotate(warps.begin(),
                warps.begin() + static_cast<std::ptrdiff_t>(random_.below(warps.size())),
                warps.end());
  }
  bool any = false;
  all_idle_ = true;
  for (Warp* warp : warps) {
    queue_.tick();
    if (warp->finished() || budget == 0 || !warp->wake()) continue;
    any = true;
    const std::uint64_t quantum =
        std::min(budget, random ? kLeast + random_.below(kQuantum / 4) : kQuantum);
    std::uint64_t left = quantum;
    warp->run(left);
    executed_ += quantum - left;
    budget -= quantum - left;
    if (left == 0) all_idle_ = false;
  }
  return any;
}

/// Nothing can go on by itself: asynchronous work that somebody waits for completes.
bool Cluster::progress() {
  const std::size_t before = queue_.count();
  bool done = false;
  for (const auto& cta : ctas_) {
    for (const auto& warp : cta->warps()) {
      for (const Fragment& f : warp->fragments()) {
        const bool barrier = f.wait.kind == Wait::Kind::mbarrier_parity ||
                             f.wait.kind == Wait::Kind::mbarrier_token || f.wait.polls_barrier;
        if (!done && barrier) done = queue_.progress_for(f.wait.barrier);
      }
    }
  }
  if (!done && before > 0) done = queue_.progress();
  if (done) changed();
  return done;
}

/// try_wait may answer "not yet": every fragment that may gives up its wait.
bool Cluster::give_up_waits() {
  bool any = false;
  for (const auto& cta : ctas_) {
    for (const auto& warp : cta->warps()) {
      for (Fragment& f : warp->fragments()) {
        if (f.wait.kind == Wait::Kind::none || !f.wait.may_give_up) continue;
        f.ended = f.wait;
        f.wait = {};
        f.resumed = f.gave_up = true;
        any = true;
      }
    }
  }
  return any;
}

bool Cluster::wants_turn() const {
  for (const auto& cta : ctas_) {
    for (const auto& warp : cta->warps()) {
      for (const Fragment& f : warp->fragments()) {
        if (f.wait.kind == Wait::Kind::turn) return true;
      }
    }
  }
  return false;
}

std::uint64_t Cluster::state_digest() const {
  std::uint64_t digest = 0;
  const auto add = [&](std::uint64_t value) { digest = (digest ^ value) * 0x9E3779B97F4A7C15 + 1; };
  const auto add_bytes = [&](std::string_view bytes) {
    if (!bytes.empty()) add(std::hash<std::string_view>{}(bytes));
  };
  for (const auto& cta : ctas_) {
    for (const auto& warp : cta->warps()) {
      add_bytes(std::as_const(*warp).local().all());
      for (const Fragment& f : warp->fragments()) {
        add(std::uint64_t{f.lanes} << 32 | f.pc);
        for (const Frame* frame = f.frame.get(); frame != nullptr; frame = frame->caller.get()) {
          add_bytes({reinterpret_cast<const char*>(frame->registers.data()),
                     frame->registers.size() * sizeof(std::uint64_t)});
        }
      }
    }
  }
  return digest;
}

bool Cluster::finished() const {
  return std::all_of(ctas_.begin(), ctas_.end(), [](const auto& cta) { return cta->finished(); });
}

void Cluster::finish() {
  queue_.drain();
  events().emit([&] { return ExitEvent{this}; });
}

void Cluster::take_turn() {
  has_turn_ = true;
  for (const auto& cta : ctas_) {
    for (const auto& warp : cta->warps()) executed_ += warp->run_turn();
  }
}

Cluster::Stop Cluster::run(Turn turn, std::uint64_t instructions) {
  std::uint64_t budget = instructions;
  events().emit([&] { return ClusterEvent{this}; });
  if (turn == Turn::once) {
    take_turn();
    // Combining into global memory is over before others go on.
    has_turn_ = reductions_in_flight > 0;
  } else {
    has_turn_ = turn == Turn::always;
  }
  std::uint32_t idle = 0;
  while (true) {
    if (finished()) {
      finish();
      return Stop::finished;
    }
    if (turn == Turn::once && reductions_in_flight == 0) return Stop::paused;
    if (budget == 0) return Stop::paused;
    const std::uint64_t changes = changes_;
    const bool ran = run_round(budget);
    if (changes_ != changes) {
      idle = 0;
      continue;
    }
    if (ran && !all_idle_) continue;
    // Every warp waits or only tested something.
    if (progress()) continue;
    if (wants_turn()) return Stop::wants_turn;
    if (ran && ++idle < kIdleRounds) continue;
    const bool gave_up = give_up_waits();
    if (gave_up && ++idle < kIdleRounds) continue;
    if (ran || gave_up) return Stop::polling;
    throw deadlock(*this);
  }
}

}  // namespace lc::machine
