#include <algorithm>
#include <exception>

#include "sim/machine/address_map.h"
#include "sim/machine/deadlock.h"
#include "sim/machine/grid.h"
#include "sim/machine/host_threads.h"

namespace lc::machine {
namespace {

/// Instructions a cluster executes before the others of its round have their chance.
constexpr std::uint64_t kShare = std::uint64_t{1} << 26;
/// Rounds in which every cluster only tested something before that counts as a deadlock.
constexpr std::uint32_t kIdleRounds = 64;
/// … where threads sleep and their registers take new values all the time.
constexpr std::uint32_t kNapRounds = 1 << 14;
/// States that were all different before that counts as such.
constexpr std::size_t kIdleStates = 256;

std::uint64_t clusters_of(const Launch& launch) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < 3; ++i) count *= launch.grid[i] / launch.cluster[i];
  return count;
}

/// Makes the parameters readable while the launch runs.
class MappedParameters {
 public:
  MappedParameters(GlobalMemory& memory, std::vector<std::byte> bytes)
      : memory_(memory), bytes_(std::move(bytes)) {
    if (bytes_.empty()) return;
    memory_.map(kParameterBase, bytes_);
    memory_.protect(kParameterBase);
  }
  ~MappedParameters() {
    if (!bytes_.empty()) memory_.free(kParameterBase);
  }
  MappedParameters(const MappedParameters&) = delete;
  MappedParameters& operator=(const MappedParameters&) = delete;

 private:
  GlobalMemory& memory_;
  std::vector<std::byte> bytes_;
};

}  // namespace

/// A cluster that has its place on the device.
struct Grid::Resident {
  std::uint64_t number = 0;
  std::unique_ptr<Cluster> cluster;  ///< made when it first runs, gone when it has finished
  Cluster::Stop stop = Cluster::Stop::paused;
  bool idle = false;
  std::uint64_t executed = 0;
  std::string output;
  std::optional<Fault> fault;
  std::exception_ptr broken;  ///< of the host, not of the guest
};

Grid::Grid(const Launch& launch, GlobalMemory& memory, const RunOptions& options)
    : launch_(launch), memory_(memory), options_(options) {
  check_launch();
  total_ = clusters_of(launch);
}

Grid::~Grid() = default;

void Grid::admit() {
  const std::uint64_t places = room();
  while (residents_.size() < places && next_ < total_) {
    residents_.push_back(std::make_unique<Resident>());
    residents_.back()->number = next_++;
  }
}

void Grid::run_cluster(Resident& r, Cluster::Turn turn) {
  const std::uint64_t limit = options_.max_instructions;
  const std::uint64_t share = limit == 0 ? kShare : std::min(kShare, limit + 1);
  try {
    if (!r.cluster) r.cluster = std::make_unique<Cluster>(*this, r.number, first_cta(r.number));
    const std::uint64_t changes = r.cluster->changes();
    // A turn without effect leaves a cluster as idle as it was before.
    const bool was_idle = turn == Cluster::Turn::once ? r.idle : true;
    try {
      r.stop = r.cluster->run(turn, share);
    } catch (const Fault& fault) {
      r.fault = fault;
    }
    r.idle = was_idle && r.cluster->changes() == changes &&
             (r.stop == Cluster::Stop::polling || r.stop == Cluster::Stop::wants_turn ||
              turn == Cluster::Turn::once);
    r.executed = r.cluster->executed();
    if (r.fault || r.stop == Cluster::Stop::finished) {
      r.output = std::move(r.cluster->output);
      r.cluster.reset();
    }
  } catch (...) {
    r.broken = std::current_exception();
  }
}

void Grid::run_round() {
  if (residents_.size() == 1 && next_ == total_) {
    run_cluster(*residents_.front(), Cluster::Turn::always);
    return;
  }
  host_->for_each(residents_.size(),
                  [&](std::size_t i) { run_cluster(*residents_[i], Cluster::Turn::never); });
  for (const auto& r : residents_) {
    if (r->fault || r->broken || r->stop != Cluster::Stop::wants_turn) continue;
    run_cluster(*r, Cluster::Turn::once);
  }
}

/// Whether an idle grid may still go on by itself: threads that sleep count how often, as a delay
/// does.  A state that was there before comes again for ever.
bool Grid::counts_naps() {
  std::uint64_t naps = 0, digest = 0;
  for (const auto& r : residents_) naps += r->cluster->naps();
  if (naps == 0 || idle_rounds_ >= kNapRounds) return false;
  if (idle_states_.size() >= kIdleStates) return true;
  for (const auto& r : residents_) digest = digest * 31 + r->cluster->state_digest();
  return idle_states_.insert(digest).second;
}

/// After a round: takes finished clusters out, and finds what ends the run.
void Grid::settle(RunResult& result) {
  bool all_idle = true;
  std::uint64_t running = 0;
  for (const auto& r : residents_) {
    if (r->broken) std::rethrow_exception(r->broken);
    all_idle &= r->idle;
    running += r->executed;
    if (r->fault && !result.fault) result.fault = r->fault;
  }
  result.instructions = ended_instructions_ + running;
  std::erase_if(residents_, [&](const auto& r) {
    if (r->cluster) return false;
    ended_instructions_ += r->executed;
    outputs_[r->number] = std::move(r->output);
    return true;
  });
  if (result.fault) return;
  idle_rounds_ = all_idle && !residents_.empty() ? idle_rounds_ + 1 : 0;
  if (idle_rounds_ == 0) idle_states_.clear();
  if (idle_rounds_ >= kIdleRounds && !counts_naps())
    result.fault = deadlock(*residents_.front()->cluster);
  if (options_.max_instructions != 0 && result.instructions > options_.max_instructions) {
    result.fault = Fault(FaultKind::limit, "limit.instructions",
                         "the launch has executed " + std::to_string(options_.max_instructions) +
                             " instructions, as many as it may");
  }
}

RunResult Grid::run() {
  RunResult result;
  const MappedParameters parameters(memory_, launch_.parameters);
  host_ = std::make_unique<HostThreads>(events().watched() ? 1 : options_.host_threads);
  while (!result.fault) {
    admit();
    if (residents_.empty()) break;
    run_round();
    settle(result);
  }
  for (const auto& r : residents_) {
    if (r->cluster) outputs_[r->number] = std::move(r->cluster->output);
  }
  for (const auto& [number, text] : outputs_) result.output += text;
  result.warnings = warnings_;
  return result;
}

}  // namespace lc::machine
