#include "verify/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace lc::verify {
namespace {

/// Levenshtein distance, letters compared without case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                        std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> closest(std::string_view text, const std::vector<std::string>& names) {
  if (text.size() > 60) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(1, text.size() / 3);
  for (const std::string& name : names) {
    const std::size_t d = edit_distance(text, name);
    if (d < least || (d == least && best == nullptr)) {
      best = &name;
      least = d;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string one_of(std::string_view text, const std::vector<std::string>& names) {
  const auto close = closest(text, names);
  const std::string all = fmt::format("one of {}", fmt::join(names, ", "));
  return close ? fmt::format("did you mean `{}`? {}", *close, all) : all;
}

}  // namespace lc::verify
