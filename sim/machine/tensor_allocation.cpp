#include "sim/machine/tensor_allocation.h"

#include <string>

#include "sim/machine/cluster.h"
#include "sim/machine/tensor_work.h"

namespace lc::machine {
namespace {

Wait until_freed(const Cta& cta) {
  Wait w;
  w.kind = Wait::Kind::columns;
  w.counter = &cta.column_releases;
  w.value = cta.column_releases + 1;
  w.what = "columns of Tensor Memory, which are all taken";
  return w;
}

Wait until_moved(const PairMeeting& meeting) {
  Wait w;
  w.kind = Wait::Kind::counter;
  w.counter = &meeting.moves;
  w.value = meeting.moves + 1;
  w.what = "a warp of the peer CTA that allocates or frees Tensor Memory too";
  return w;
}

void free_in(Cta& cta, std::uint32_t cta_group, std::uint32_t address, std::uint32_t columns) {
  cta.tensor().deallocate(address, columns, cta_group);
  ++cta.column_releases;
}

[[noreturn]] void disagree(const std::string& how) {
  throw Fault(FaultKind::undefined, "tmem.pair-disagrees",
              "the CTAs of the pair do not allocate and free Tensor Memory alike: " + how);
}

/// Does for both CTAs what both ask; nothing when columns are lacking.
std::optional<std::uint32_t> serve(const CtaGroup& group, const PairMeeting::Request& asked) {
  Cta &even = *group.ctas[0], &odd = *group.ctas[1];
  if (asked.frees) {
    for (Cta* cta : group.all()) free_in(*cta, 2, asked.address, asked.columns);
    return asked.address;
  }
  const auto a = even.tensor().allocate(asked.columns, 2);
  const auto b = odd.tensor().allocate(asked.columns, 2);
  if (a != b) disagree("one holds columns that the other does not");
  return a;
}

std::optional<std::uint32_t> meet(Warp& warp, const PairMeeting::Request& asked, Wait& why) {
  Cluster& cluster = warp.cluster();
  const std::uint32_t rank = warp.cta().rank();
  PairMeeting& meeting = cluster.cta(rank & ~1u).tensor_pair;
  PairMeeting::Side &mine = meeting.sides[rank & 1], &other = meeting.sides[~rank & 1];
  const auto number = static_cast<std::int32_t>(warp.number());
  if (mine.warp == number && mine.answered) {  // the peer may have ended since
    const std::uint32_t column = mine.column;
    mine = {};
    ++meeting.moves;
    return column;
  }
  const CtaGroup group = cta_group_of(warp, 2);
  if (mine.warp < 0) {
    mine = {number, false, asked, 0};
    cluster.changed();
  }
  why = until_moved(meeting);
  if (mine.warp != number || other.warp < 0 || other.answered) return std::nullopt;
  if (!(asked == other.asked)) {
    disagree(std::to_string(asked.columns) + " columns here, " +
             std::to_string(other.asked.columns) + " there, or other addresses or instructions");
  }
  const std::optional<std::uint32_t> column = serve(group, asked);
  if (!column) {
    why = until_freed(*group.ctas[0]);
    return std::nullopt;
  }
  other.answered = true;
  other.column = *column;
  mine = {};
  ++meeting.moves;
  cluster.changed();
  return column;
}

}  // namespace

std::optional<std::uint32_t> allocate_columns(Warp& warp, std::uint32_t cta_group,
                                              std::uint32_t columns, Wait& why) {
  if (cta_group == 2) return meet(warp, {false, 0, columns}, why);
  cta_group_of(warp, cta_group);
  const auto column = warp.cta().tensor().allocate(columns, cta_group);
  if (!column) why = until_freed(warp.cta());
  warp.cluster().changed();
  return column;
}

bool free_columns(Warp& warp, std::uint32_t cta_group, std::uint32_t address, std::uint32_t columns,
                  Wait& why) {
  if (cta_group == 2) return meet(warp, {true, address, columns}, why).has_value();
  cta_group_of(warp, cta_group);
  free_in(warp.cta(), cta_group, address, columns);
  warp.cluster().changed();
  return true;
}

}  // namespace lc::machine
