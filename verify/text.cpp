#include "verify/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace lc::verify {

std::string Paint::with(const char* code, std::string_view text) const {
  return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string Paint::cell(std::size_t hue, std::string_view text) const {
  static constexpr int kBackgrounds[] = {24, 29, 64, 94, 130, 125, 91, 61};  // dark, one brightness
  return on_ ? fmt::format("\x1b[97;48;5;{}m{}\x1b[0m", kBackgrounds[hue % 8], text)
             : std::string(text);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0x1b) {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((byte & 0xc0) != 0x80) {
      ++width;
    }
  }
  return width;
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t have = display_width(text);
  return std::string(text) + std::string(have < width ? width - have : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t have = display_width(text);
  return std::string(have < width ? width - have : 0, ' ') + std::string(text);
}

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (const auto& cells : rows_) {
    if (widths.size() < cells.size()) widths.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(cells[i]));
    }
  }
  std::string out;
  for (const auto& cells : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool right = std::find(right_.begin(), right_.end(), i) != right_.end();
      line += right ? pad_left(cells[i], widths[i]) : pad_right(cells[i], widths[i]);
      if (i + 1 < cells.size()) line += "  ";
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + '\n';
  }
  return out;
}

std::string wrap(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t width = display_width(word);
    if (column > indent && column + 1 + width > kColumns) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

bool has_error(const Answer& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Answer& f) { return f.at("severity") == "error"; });
}

void print_findings(const Output& output, const Answer& findings) {
  const auto painted = [&](const std::string& severity) {
    const std::string word = pad_right(severity, 7);
    if (severity == "error") return output.paint.red(word);
    return severity == "warning" ? output.paint.yellow(word) : output.paint.cyan(word);
  };
  for (const char* severity : {"error", "warning", "note"}) {
    for (const Answer& f : findings) {
      if (f.at("severity") != severity) continue;
      const std::string text =
          f.at("field").get<std::string>() + ": " + f.at("message").get<std::string>();
      output.out << "  " << painted(severity) << "  " << wrap(text, 11) << '\n'
                 << std::string(11, ' ')
                 << output.paint.dim(fmt::format("[{}]", f.at("rule").get<std::string>())) << '\n';
    }
  }
}

}  // namespace lc::verify
