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

namespace {

/// Bytes of the UTF-8 character at the front; 0 when there is none.
std::size_t character_size(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80                    ? 1
                           : lead >= 0xc2 && lead <= 0xdf ? 2
                           : (lead & 0xf0) == 0xe0        ? 3
                           : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                          : 0;
  if (size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return size;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const std::size_t size = byte < 0x20 || byte == 0x7f ? 0 : character_size(text);
    if (size == 0) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (starts && ++columns == width) break;
  }
  return std::string(text.substr(0, end)) + "…";
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
