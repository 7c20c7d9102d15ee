#include "sim/machine/deadlock.h"

#include <map>
#include <set>
#include <string>

#include "sim/machine/cluster.h"
#include "sim/machine/ledger.h"

namespace lc::machine {
namespace {

std::string who(const Cta& cta, const Warp& warp, const Fragment& f) {
  const auto& i = cta.index();
  std::string text = "CTA (" + std::to_string(i[0]) + "," + std::to_string(i[1]) + "," +
                     std::to_string(i[2]) + ") warp " + std::to_string(warp.number());
  if (f.lanes != warp.born()) text += " lanes " + hex(f.lanes);
  return text + ", line " + std::to_string(f.frame->code->code[f.pc].line);
}

std::string barrier_name(const Cluster& cluster, const BarrierKey& key) {
  std::string text = "mbarrier " + hex(key.offset);
  if (cluster.size() > 1) text += " of CTA rank " + std::to_string(key.cta_rank);
  return text;
}

class Report {
 public:
  explicit Report(Cluster& cluster) : cluster_(cluster) {}

  Fault fault() {
    for (std::uint32_t rank = 0; rank < cluster_.size(); ++rank) {
      for (const auto& warp : cluster_.cta(rank).warps()) add(cluster_.cta(rank), *warp);
    }
    std::string text =
        missing_lanes_ ? "lanes of a warp wait for others that do not come" : "nothing can go on";
    for (const auto& [what, people] : waits_) {
      text += "\n  " + what + ": waited for by";
      std::size_t shown = 0;
      for (const std::string& person : people) {
        if (shown++ == 8) {
          text += "\n    and " + std::to_string(people.size() - 8) + " more";
          break;
        }
        text += "\n    " + person;
      }
    }
    for (const std::string& ledger : ledgers_) text += "\n  " + ledger;
    Fault fault(missing_lanes_ ? FaultKind::illegal_instruction : FaultKind::deadlock,
                missing_lanes_ ? "warp.missing-lanes" : "deadlock", text);
    fault.place = first_;
    return fault;
  }

 private:
  void add(Cta& cta, Warp& warp) {
    bool only_lanes = !warp.fragments().empty();
    for (const Fragment& f : warp.fragments()) {
      only_lanes &= f.wait.kind == Wait::Kind::lanes;
      const std::string what = describe_wait(cta, f);
      waits_[what].push_back(who(cta, warp, f));
      if (!first_.known()) {
        first_.line = static_cast<int>(f.frame->code->code[f.pc].line);
        std::copy(cta.index().begin(), cta.index().end(), first_.cta);
        first_.warp = static_cast<int>(warp.number());
        first_.function = f.frame->code->name;
      }
    }
    missing_lanes_ |= only_lanes;
  }

  std::string describe_wait(Cta& cta, const Fragment& f) {
    // A try_wait that answered "not yet" is on its way round the loop.
    const Wait& w = f.wait.kind == Wait::Kind::none ? f.ended : f.wait;
    switch (w.kind) {
      case Wait::Kind::mbarrier_parity:
      case Wait::Kind::mbarrier_token:
        note_barrier(w.barrier);
        return barrier_name(cluster_, w.barrier) +
               (w.kind == Wait::Kind::mbarrier_parity
                    ? " to complete the phase of parity " + std::to_string(w.value)
                    : std::string(" to complete the phase of a token"));
      case Wait::Kind::counter:
      case Wait::Kind::columns: {
        const std::string what = w.what;
        if (what == "named barrier") {
          return what + " " + std::to_string(w.number) + " of CTA rank " +
                 std::to_string(cta.rank()) + " (" + cta.barriers().ledger(w.number) + ")";
        }
        if (what == "the cluster barrier") return what + " (" + cluster_.barrier().ledger() + ")";
        return what;
      }
      case Wait::Kind::lanes:
        return "lanes " + hex(w.value) + " of its warp at this instruction, where " +
               hex(f.lanes & w.value) + " are";
      case Wait::Kind::poll:
        if (w.polls_barrier) {
          note_barrier(w.barrier);
          return barrier_name(cluster_, w.barrier) + ", which it tests again and again";
        }
        return "something it tests again and again";
      case Wait::Kind::turn:
        return "its turn";
      case Wait::Kind::none:
        return "a loop in which nothing changes";
    }
    return "";
  }

  void note_barrier(const BarrierKey& key) {
    if (!seen_.insert(key).second) return;
    const MbarrierUnit& unit = cluster_.cta(key.cta_rank).mbarriers();
    if (!unit.is_live(key.offset)) return;
    const auto in_flight = cluster_.queue().in_flight(&key);
    std::string text = describe(unit.ledger(key.offset), in_flight);
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) {
      text.replace(at, 1, "\n  ");
    }
    ledgers_.push_back(std::move(text));
  }

  Cluster& cluster_;
  std::map<std::string, std::vector<std::string>> waits_;
  std::vector<std::string> ledgers_;
  std::set<BarrierKey> seen_;
  Place first_;
  bool missing_lanes_ = false;
};

}  // namespace

Fault deadlock(Cluster& cluster) {
  return Report(cluster).fault();
}

}  // namespace lc::machine
