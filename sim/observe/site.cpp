#include "sim/observe/site.h"

#include <algorithm>

namespace lc::observe {
namespace {

std::string trimmed(std::string_view text) {
  std::string out;
  bool blank = true;  // runs of blanks become one, none at the ends
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (is_blank && !blank) out += ' ';
    if (!is_blank) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    blank = is_blank;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == ';')) out.pop_back();
  return out;
}

}  // namespace

Site site_of(const machine::Program& program, const machine::FunctionCode& function,
             const machine::Inst& inst) {
  const auto index = static_cast<std::size_t>(&inst - function.code.data());
  Site site{inst.line, {}};
  if (index < function.texts.size()) {
    const auto [offset, length] = function.texts[index];
    if (offset <= program.source.size()) {
      site.text = trimmed(program.source.substr(offset, length));
    }
  }
  if (site.text.empty() && inst.mnemonic < program.mnemonics.size()) {
    site.text = program.mnemonics[inst.mnemonic];
  }
  return site;
}

std::string text_of_line(const machine::Program& program, std::uint32_t line) {
  std::string_view text = program.source;
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return trimmed(text.substr(0, text.find('\n')));
}

bool begins_with(std::string_view mnemonic, std::string_view words) {
  return mnemonic.starts_with(words) &&
         (mnemonic.size() == words.size() || mnemonic[words.size()] == '.');
}

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      const bool flush_right = i >= right && i + 1 < widths.size();
      line += (i == 0 ? " " : "  ") + (flush_right ? blanks + row[i] : row[i] + blanks);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace lc::observe
