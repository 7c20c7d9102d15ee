#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "sim/observe/site.h"
#include "sim/observe/timeline.h"

namespace lc::observe {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumns = 80;   ///< of the picture
constexpr std::size_t kMaxWarps = 20;  ///< a CTA's, in the picture

const char* name_of(Lane lane) {
  switch (lane) {
    case Lane::tma:
      return "TMA";
    case Lane::mma:
      return "MMA";
    case Lane::cp_async:
      return "cp.async";
    case Lane::tmem:
      return "TMEM";
    case Lane::none:
      break;
  }
  return "";
}

char stage_sign(int stage) {
  if (stage < 0) return '#';
  return "0123456789abcdefghijklmnopqrstuvwxyz"[stage % 36];
}

/// Who has most of a column's steps.
class Column {
 public:
  void add(char sign, std::uint64_t steps) { steps_[sign] += steps; }
  char sign(char nothing) const {
    const auto most =
        std::max_element(steps_.begin(), steps_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == steps_.end() ? nothing : most->first;
  }

 private:
  std::map<char, std::uint64_t> steps_;
};

class Row {
 public:
  explicit Row(std::uint64_t end)
      : wide_(std::max<std::uint64_t>(1, (end + kColumns - 1) / kColumns)),
        columns_((end + wide_ - 1) / wide_) {}
  std::uint64_t steps_a_column() const { return wide_; }
  void add(std::uint64_t begin, std::uint64_t end, char sign) {
    while (begin < end) {
      const std::size_t c = begin / wide_;
      const std::uint64_t stop = std::min(end, (c + 1) * wide_);
      if (c < columns_.size()) columns_[c].add(sign, stop - begin);
      begin = stop;
    }
  }
  std::string text(char nothing) const {
    std::string out;
    for (const Column& c : columns_) out += c.sign(nothing);
    return out.substr(0, out.find_last_not_of(' ') + 1);
  }

 private:
  std::uint64_t wide_;
  std::vector<Column> columns_;
};

char wait_sign(const WarpSpan& span) {
  switch (span.cause) {
    case Lane::tma:
    case Lane::cp_async:
      return 't';
    case Lane::mma:
    case Lane::tmem:
      return 'm';
    case Lane::none:
      break;
  }
  return 'w';
}

std::string unit_rows(const Record& record, const Times& times, std::uint32_t rank) {
  std::string text;
  for (const Lane lane : {Lane::tma, Lane::cp_async, Lane::mma, Lane::tmem}) {
    Row row(times.end);
    std::uint64_t busy = 0;
    for (const auto& [id, item] : record.items) {
      const auto span = times.items.find(id);
      if (item.rank != rank || item.lane != lane || span == times.items.end()) continue;
      if (!span->second.done) continue;
      row.add(span->second.begin, span->second.busy, stage_sign(item.stage));
      busy += span->second.busy - span->second.begin;
    }
    if (busy == 0) continue;
    text += fmt::format("  {:<8} |{:<{}}| {:3.0f} %\n", name_of(lane), row.text('.'),
                        (times.end + row.steps_a_column() - 1) / row.steps_a_column(),
                        100.0 * static_cast<double>(busy) / static_cast<double>(times.end));
  }
  return text;
}

std::string warp_rows(const Record& record, const Times& times, std::uint32_t rank) {
  std::map<std::uint32_t, std::size_t> order;
  for (std::size_t w = 0; w < record.warps.size(); ++w) {
    if (record.warps[w].rank == rank) order[record.warps[w].warp] = w;
  }
  std::string text;
  std::size_t shown = 0;
  for (const auto& [warp, w] : order) {
    if (shown++ == kMaxWarps) {
      text += fmt::format("  and {} more warps\n", order.size() - kMaxWarps);
      break;
    }
    Row row(times.end);
    for (const WarpSpan& span : times.warps[w]) {
      row.add(span.begin, span.end, span.waits ? wait_sign(span) : '=');
    }
    text += fmt::format("  warp {:<3} |{:<{}}|\n", warp, row.text(' '),
                        (times.end + row.steps_a_column() - 1) / row.steps_a_column());
  }
  return text;
}

/// Waits of one line of one warp, for the same cause.
struct Waits {
  std::uint64_t steps = 0, count = 0;
};
using WaitKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string, std::string>;

std::map<WaitKey, Waits> waits_of(const Record& record, const Times& times) {
  std::map<WaitKey, Waits> all;
  for (std::size_t w = 0; w < record.warps.size(); ++w) {
    for (const WarpSpan& span : times.warps[w]) {
      if (!span.waits) continue;
      std::string cause = name_of(span.cause);
      if (span.by >= 0) {
        const WarpRecord& other = record.warps[static_cast<std::size_t>(span.by)];
        cause = fmt::format("warp {}", other.warp);
        if (other.rank != record.warps[w].rank) cause += fmt::format(" of CTA {}", other.rank);
      }
      const std::string what = span.for_item ? "a group" : record.phases[span.phase].name;
      Waits& waits = all[{record.warps[w].rank, record.warps[w].warp, span.line, cause, what}];
      waits.steps += span.end - span.begin;
      ++waits.count;
    }
  }
  return all;
}

std::vector<std::pair<WaitKey, Waits>> longest_first(const std::map<WaitKey, Waits>& all) {
  std::vector<std::pair<WaitKey, Waits>> rows(all.begin(), all.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.steps > b.second.steps; });
  return rows;
}

}  // namespace

std::string Timeline::text() const {
  const Times times = times_of(record_);
  std::string text = fmt::format(
      "timeline of {}: {} steps of a cost model, no cycles; {} steps a column\n"
      "  (an instruction 1 step, copies 64 bytes a step, loads 200 more, {} multiply-adds a "
      "step)\n",
      record_.ctas.size() > 1 ? "the first cluster" : "the first CTA", times.end,
      Row(times.end).steps_a_column(), record_.is_sm_90 ? 4096 : 8192);
  text +=
      "  units: the stage they work for; warps: = executes, waits for t copies, m matrix work,\n"
      "  w warps\n";
  for (std::uint32_t rank = 0; rank < record_.ctas.size(); ++rank) {
    const auto& cta = record_.ctas[rank];
    text += fmt::format("  CTA ({}, {}, {})\n", cta[0], cta[1], cta[2]);
    text += unit_rows(record_, times, rank) + warp_rows(record_, times, rank);
  }
  if (record_.cut) text += "  the run went on; what came later was not kept\n";
  if (times.stuck) text += "  some waits never end: see the fault\n";
  std::vector<std::vector<std::string>> cells{{"steps", "waits", "line", "who", "for", "at"}};
  for (const auto& [key, waits] : longest_first(waits_of(record_, times))) {
    if (cells.size() > 16) break;
    const auto& [rank, warp, line, cause, what] = key;
    std::string who = fmt::format("warp {}", warp);
    if (record_.ctas.size() > 1) who += fmt::format(" of CTA {}", rank);
    cells.push_back({fmt::format("{}", waits.steps), fmt::format("{}", waits.count),
                     fmt::format("{}", line), who, cause, what});
  }
  return cells.size() == 1 ? text + "  nobody waited\n" : text + columns(cells, 6);
}

std::string Timeline::json() const {
  const Times times = times_of(record_);
  Json waits = Json::array();
  for (const auto& [key, w] : longest_first(waits_of(record_, times))) {
    const auto& [rank, warp, line, cause, what] = key;
    waits.push_back({{"cta", rank},
                     {"warp", warp},
                     {"line", line},
                     {"for", cause},
                     {"at", what},
                     {"waits", w.count},
                     {"steps", w.steps}});
  }
  Json units = Json::array();
  for (const auto& [id, item] : record_.items) {
    const auto span = times.items.find(id);
    if (item.lane == Lane::none || span == times.items.end() || !span->second.done) continue;
    units.push_back({{"cta", item.rank},
                     {"unit", name_of(item.lane)},
                     {"line", item.line},
                     {"stage", item.stage},
                     {"begin", span->second.begin},
                     {"busy", span->second.busy},
                     {"end", span->second.end}});
  }
  return Json{{"steps", times.end}, {"waits", waits}, {"units", units}}.dump();
}

std::string Timeline::trace_json() const {
  const Times times = times_of(record_);
  Json events = Json::array();
  const auto name = [&](const char* kind, std::uint32_t pid, std::uint64_t tid,
                        const std::string& text) {
    events.push_back(
        {{"ph", "M"}, {"name", kind}, {"pid", pid}, {"tid", tid}, {"args", {{"name", text}}}});
  };
  for (std::uint32_t rank = 0; rank < record_.ctas.size(); ++rank) {
    const auto& c = record_.ctas[rank];
    name("process_name", rank, 0, fmt::format("CTA ({}, {}, {})", c[0], c[1], c[2]));
    for (const Lane lane : {Lane::tma, Lane::mma, Lane::cp_async, Lane::tmem}) {
      name("thread_name", rank, static_cast<std::uint64_t>(lane), name_of(lane));
    }
  }
  const auto span = [&](const std::string& text, std::uint32_t pid, std::uint64_t tid,
                        std::uint64_t begin, std::uint64_t end, Json args) {
    events.push_back({{"ph", "X"},
                      {"name", text},
                      {"pid", pid},
                      {"tid", tid},
                      {"ts", begin},
                      {"dur", end - begin},
                      {"args", std::move(args)}});
  };
  for (const auto& [id, item] : record_.items) {
    const auto at = times.items.find(id);
    if (item.lane == Lane::none || at == times.items.end() || !at->second.done) continue;
    std::string text = item.what;
    if (item.stage >= 0) text += fmt::format(", stage {}", item.stage);
    span(text, item.rank, static_cast<std::uint64_t>(item.lane), at->second.begin, at->second.busy,
         {{"line", item.line},
          {"bytes", item.bytes},
          {"multiply_adds", item.multiply_adds},
          {"result_at", at->second.end}});
  }
  for (std::size_t w = 0; w < record_.warps.size(); ++w) {
    const WarpRecord& warp = record_.warps[w];
    const std::uint64_t tid = 16 + warp.warp;
    name("thread_name", warp.rank, tid, fmt::format("warp {}", warp.warp));
    for (const WarpSpan& s : times.warps[w]) {
      const std::string what =
          !s.waits ? "executes"
                   : "waits for " + (s.by >= 0 ? std::string("a warp") : name_of(s.cause));
      span(what, warp.rank, tid, s.begin, s.end,
           {{"line", s.line}, {"text", text_of_line(*program_, s.line)}});
    }
  }
  return Json{{"traceEvents", events},
              {"otherData", {{"time", "steps of layout-check's cost model, no cycles"}}}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lc::observe
