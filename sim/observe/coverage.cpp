#include "sim/observe/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "sim/observe/site.h"

namespace lc::observe {

void Coverage::see(const machine::StepEvent& event) {
  if (event.resumed) return;
  std::vector<Count>& counts = counts_[event.function];
  if (counts.empty()) counts.resize(event.function->code.size());
  Count& count = counts[static_cast<std::size_t>(event.inst - event.function->code.data())];
  ++count.executed;
  count.threads += static_cast<std::uint64_t>(std::popcount(event.lanes));
}

std::vector<CoverageRow> Coverage::rows() const {
  std::vector<CoverageRow> rows;
  for (const machine::FunctionCode& function : program_->functions) {
    const auto known = counts_.find(&function);
    for (std::size_t i = 0; i < function.code.size(); ++i) {
      const machine::Inst& inst = function.code[i];
      // The return behind the last instruction has no text.
      if (i >= function.texts.size() || function.texts[i].length == 0) continue;
      const Site site = site_of(*program_, function, inst);
      CoverageRow row{function.name, site.line, site.text};
      if (known != counts_.end()) {
        row.executed = known->second[i].executed;
        row.threads = known->second[i].threads;
      }
      rows.push_back(std::move(row));
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  return rows;
}

std::string Coverage::text() const {
  const std::vector<CoverageRow> all = rows();
  const auto reached = std::count_if(all.begin(), all.end(),
                                     [](const CoverageRow& row) { return row.executed != 0; });
  std::string text =
      fmt::format("coverage: {} of {} instructions were executed\n", reached, all.size());
  std::vector<std::vector<std::string>> cells{{"warps", "threads", "line", "instruction"}};
  for (const CoverageRow& row : all) {
    cells.push_back({row.executed == 0 ? "-" : fmt::format("{}", row.executed),
                     row.executed == 0 ? "-" : fmt::format("{}", row.threads),
                     fmt::format("{}", row.line), cut(row.text, 66)});
  }
  return text + columns(cells, 0);
}

std::string Coverage::json() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const CoverageRow& row : rows()) {
    out.push_back({{"function", row.function},
                   {"line", row.line},
                   {"text", row.text},
                   {"executed", row.executed},
                   {"threads", row.threads}});
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace lc::observe
