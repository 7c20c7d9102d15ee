#include "tests/golden.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lc::tests {

std::string read_text(const std::string& name) {
  std::ifstream file(std::string(LC_GOLDEN_DIR) + "/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("no golden file " + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::uint8_t> read_bytes(const std::string& name) {
  const std::string text = read_text(name);
  return {text.begin(), text.end()};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<CsvRow> read_csv(const std::string& name) {
  std::istringstream in(read_text(name));
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> columns = split(line, ',');
  std::vector<CsvRow> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line, ',');
    CsvRow row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row[columns[i]] = i < cells.size() ? cells[i] : std::string();
    }
    rows.push_back(row);
  }
  return rows;
}

std::int64_t integer(const std::string& text) {
  return std::stoll(text, nullptr, 0);
}
std::uint64_t word(const std::string& text) {
  return std::stoull(text, nullptr, 0);
}

}  // namespace lc::tests
