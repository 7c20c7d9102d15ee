#include "sim/ptx/error.h"

#include <algorithm>

namespace lc::ptx {
namespace {

constexpr std::size_t kWindow = 120;  ///< bytes of a source line that are shown

std::string printable(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) {
    if (c == '\t') c = ' ';
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  return shown;
}

std::string assembled(const std::string& file, Position at, const std::string& problem,
                      const std::string& source, const std::string& advice) {
  std::string text = file;
  if (at.line != 0) text += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  text += ": error: " + problem;
  if (!source.empty()) text += "\n" + source;
  if (!advice.empty()) text += "\n  try: " + advice;
  return text;
}

/// Levenshtein distance, two rows.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

ParseError::ParseError(std::string file_name, Position position, std::string problem,
                       std::string source, std::string advice)
    : std::runtime_error(assembled(file_name, position, problem, source, advice)),
      file(std::move(file_name)),
      at(position),
      message(std::move(problem)),
      source_line(std::move(source)),
      hint(std::move(advice)) {}

std::string line_around(std::string_view text, std::size_t offset, std::size_t& caret) {
  offset = std::min(offset, text.size());
  const std::size_t window_begin = offset > kWindow ? offset - kWindow : 0;
  std::size_t begin = offset;
  while (begin > window_begin && text[begin - 1] != '\n') --begin;
  const bool cut = begin > 0 && text[begin - 1] != '\n';
  if (cut) begin = std::max(begin, offset - kWindow / 2);
  std::size_t end = begin;
  while (end < text.size() && end - begin < kWindow && text[end] != '\n') ++end;
  caret = offset - begin;
  return printable(text.substr(begin, end - begin));
}

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& names) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, text.size() / 3) + 1;
  if (text.size() > 64) return best;
  for (const std::string_view name : names) {
    const std::size_t d = distance(text, name);
    if (d < best_distance) {
      best = name;
      best_distance = d;
    }
  }
  return best;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  const std::string shown = printable(text.substr(0, kShown));
  return "`" + shown + (text.size() > kShown ? "…" : "") + "`";
}

}  // namespace lc::ptx
