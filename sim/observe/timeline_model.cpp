#include "sim/observe/timeline_model.h"

#include <algorithm>
#include <optional>

namespace lc::observe {
namespace {

/// Contributions to a phase that have a time.
struct Phase {
  std::uint32_t missing = 0;
  std::uint64_t at = 0;
  Lane cause = Lane::none;
  std::int64_t by = -1;

  void contribute(std::uint64_t when, Lane lane, std::int64_t warp) {
    if (missing != 0) --missing;
    if (when < at) return;
    at = when;
    cause = lane;
    by = warp;
  }
};

class Model {
 public:
  Model(const Record& record, const CostModel& costs) : record_(record), costs_(costs) {
    for (const PhaseRecord& p : record.phases) phases_.push_back({p.contributions});
    clocks_.resize(record.warps.size());
    next_.resize(record.warps.size());
    times_.warps.resize(record.warps.size());
  }

  Times run() {
    while (const auto warp = earliest()) execute(*warp);
    for (std::size_t w = 0; w < next_.size(); ++w) {
      times_.stuck |= next_[w] < record_.warps[w].ops.size();
      times_.end = std::max(times_.end, clocks_[w]);
    }
    for (const auto& [id, span] : times_.items) {
      if (span.done) times_.end = std::max(times_.end, span.end);
    }
    return std::move(times_);
  }

 private:
  bool can_go_on(std::size_t w) const {
    const auto& ops = record_.warps[w].ops;
    if (next_[w] == ops.size()) return false;
    const WarpOp& op = ops[next_[w]];
    if (op.kind == WarpOp::Kind::wait_phase) return phases_[op.value].missing == 0;
    if (op.kind == WarpOp::Kind::wait_item) {
      const auto item = times_.items.find(op.value);
      return item == times_.items.end() || item->second.done;
    }
    return true;
  }

  /// The warp that is furthest behind of those that need not wait.
  std::optional<std::size_t> earliest() const {
    std::optional<std::size_t> best;
    for (std::size_t w = 0; w < clocks_.size(); ++w) {
      if ((!best || clocks_[w] < clocks_[*best]) && can_go_on(w)) best = w;
    }
    return best;
  }

  void execute(std::size_t w) {
    const WarpOp& op = record_.warps[w].ops[next_[w]++];
    switch (op.kind) {
      case WarpOp::Kind::steps:
        work(w, op);
        break;
      case WarpOp::Kind::issue:
        issued_[op.value] = clocks_[w];
        times_.items[op.value];
        resolve(op.value);
        break;
      case WarpOp::Kind::arrive:
        phases_[op.value].contribute(clocks_[w], Lane::none, static_cast<std::int64_t>(w));
        break;
      case WarpOp::Kind::wait_phase: {
        const Phase& p = phases_[op.value];
        wait(w, op, p.at, p.cause, p.by, false);
        break;
      }
      case WarpOp::Kind::wait_item: {
        const auto item = times_.items.find(op.value);
        if (item == times_.items.end()) break;  // issued before the record began
        wait(w, op, item->second.end, record_.items.at(op.value).lane, -1, true);
        break;
      }
    }
  }

  void work(std::size_t w, const WarpOp& op) {
    auto& spans = times_.warps[w];
    const std::uint64_t begin = clocks_[w];
    clocks_[w] += op.value;
    if (!spans.empty() && !spans.back().waits && spans.back().end == begin) {
      spans.back().end = clocks_[w];
    } else {
      spans.push_back({begin, clocks_[w], false, op.line});
    }
  }

  void wait(std::size_t w, const WarpOp& op, std::uint64_t until, Lane cause, std::int64_t by,
            bool for_item) {
    if (until <= clocks_[w]) return;
    WarpSpan span{clocks_[w], until, true, op.line, cause, by, 0, for_item};
    if (!for_item) span.phase = static_cast<PhaseId>(op.value);
    times_.warps[w].push_back(span);
    clocks_[w] = until;
  }

  std::uint64_t occupies(const ItemRecord& item) const {
    const auto up = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
    switch (item.lane) {
      case Lane::tma:
      case Lane::cp_async:
        return std::max<std::uint64_t>(1, up(item.bytes, costs_.copy_bytes));
      case Lane::mma:
        return std::max<std::uint64_t>(
            1, up(item.multiply_adds,
                  record_.is_sm_90 ? costs_.multiply_adds_sm_90 : costs_.multiply_adds));
      case Lane::tmem:
        return costs_.tensor_memory;
      case Lane::none:
        break;
    }
    return 0;
  }

  /// Gives an item its time when what it comes after has one, then those that came after it.
  void resolve(ItemId id) {
    std::vector<ItemId> open{id};
    while (!open.empty()) {
      const ItemId next = open.back();
      open.pop_back();
      if (place(next)) {
        const auto [begin, end] = waiting_.equal_range(next);
        for (auto it = begin; it != end; ++it) open.push_back(it->second);
        waiting_.erase(begin, end);
      }
    }
  }

  bool place(ItemId id) {
    const auto known = record_.items.find(id);
    const auto issued = issued_.find(id);
    if (known == record_.items.end() || issued == issued_.end()) return false;
    const ItemRecord& item = known->second;
    ItemSpan& span = times_.items[id];
    if (span.done) return false;
    std::uint64_t ready = issued->second;
    for (const ItemId before : item.after) {
      if (record_.items.count(before) == 0) continue;
      const auto at = times_.items.find(before);
      if (at == times_.items.end() || !at->second.done) {
        waiting_.emplace(before, id);
        return false;
      }
      ready = std::max(ready, at->second.end);
    }
    const bool queues = item.lane != Lane::none && item.lane != Lane::tmem;
    std::uint64_t& free = free_[{item.rank, item.lane}];
    span.begin = queues ? std::max(ready, free) : ready;
    span.busy = span.begin + occupies(item);
    if (queues) free = span.busy;
    span.end = span.busy + (item.is_load ? costs_.load_latency : 0);
    span.done = true;
    for (const PhaseId phase : item.contributes) {
      phases_[phase].contribute(span.end, item.lane == Lane::none ? Lane::mma : item.lane, -1);
    }
    return true;
  }

  const Record& record_;
  const CostModel& costs_;
  std::vector<Phase> phases_;
  std::vector<std::uint64_t> clocks_;
  std::vector<std::size_t> next_;
  std::map<ItemId, std::uint64_t> issued_;
  std::multimap<ItemId, ItemId> waiting_;  ///< what an item holds up
  std::map<std::pair<std::uint32_t, Lane>, std::uint64_t> free_;
  Times times_;
};

}  // namespace

Times times_of(const Record& record, const CostModel& costs) {
  return Model(record, costs).run();
}

}  // namespace lc::observe
