#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/golden.h"

/// Records captured on a GPU: a CSV file, and the binary file of the same name that its `off` and
/// `len` columns point into.
namespace lc::golden {

struct Table {
  std::vector<tests::CsvRow> rows;
  std::vector<std::uint8_t> bytes;
};

/// `name` is a path under tests/golden without its extension, such as "h200/tmap_tiled".
inline Table load(const std::string& name) {
  return {tests::read_csv(name + ".csv"), tests::read_bytes(name + ".bin")};
}

/// One record of a table.
class Row {
 public:
  Row(const Table& table, const tests::CsvRow& cells) : table_(&table), cells_(&cells) {}

  bool has(const std::string& name) const { return cells_->count(name) != 0; }
  const std::string& text(const std::string& name) const { return cells_->at(name); }
  std::int64_t number(const std::string& name) const { return tests::integer(text(name)); }
  std::uint64_t unsigned_number(const std::string& name) const { return tests::word(text(name)); }
  std::int64_t id() const { return number("id"); }
  /// The bytes that columns `off` and `len` name.
  const std::uint8_t* piece() const {
    const std::int64_t off = number("off"), len = number("len");
    if (off < 0 || static_cast<std::size_t>(off + len) > table_->bytes.size()) {
      throw std::runtime_error("record " + text("id") + " has no piece");
    }
    return table_->bytes.data() + off;
  }

 private:
  const Table* table_;
  const tests::CsvRow* cells_;
};

/// Calls `visit(row)` for every record.
template <class Visit>
void for_each_row(const Table& table, Visit&& visit) {
  for (const tests::CsvRow& cells : table.rows) visit(Row(table, cells));
}

}  // namespace lc::golden
