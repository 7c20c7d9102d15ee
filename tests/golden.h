#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lc::tests {

/// One row of a golden CSV file: column name -> text.
using CsvRow = std::map<std::string, std::string>;

/// Rows of tests/golden/<name>; one header line, commas, no quotes.  Throws where there is no file.
std::vector<CsvRow> read_csv(const std::string& name);
/// Bytes of tests/golden/<name>.
std::vector<std::uint8_t> read_bytes(const std::string& name);
/// Text of tests/golden/<name>.
std::string read_text(const std::string& name);
/// "12" or "0x1f" (or "-3").
std::int64_t integer(const std::string& text);
std::uint64_t word(const std::string& text);
/// Splits at a separator; "" gives no parts.
std::vector<std::string> split(const std::string& text, char separator);

/// FNV-1a 64 over numbers, each as a little-endian uint32 (-1 = 0xffffffff).
struct Fnv {
  std::uint64_t hash = 0xcbf29ce484222325;
  void add(std::uint32_t value) {
    for (int i = 0; i < 4; ++i) {
      hash = (hash ^ ((value >> (8 * i)) & 0xff)) * 0x100000001b3;
    }
  }
};

}  // namespace lc::tests
