#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "verify/json.h"

namespace lc::verify {

/// Columns a report keeps to.
inline constexpr std::size_t kColumns = 100;

/// Terminal colours, or nothing.
class Paint {
 public:
  explicit Paint(bool on = false) : on_(on) {}
  bool on() const { return on_; }
  std::string bold(std::string_view text) const { return with("1", text); }
  std::string dim(std::string_view text) const { return with("2", text); }
  std::string red(std::string_view text) const { return with("31", text); }
  std::string green(std::string_view text) const { return with("32", text); }
  std::string yellow(std::string_view text) const { return with("33", text); }
  std::string cyan(std::string_view text) const { return with("36", text); }
  /// A cell of a picture, background chosen by `hue` (0..7: bank sectors S0..S7).
  std::string cell(std::size_t hue, std::string_view text) const;

 private:
  std::string with(const char* code, std::string_view text) const;
  bool on_;
};

/// Where a command's answer goes.
struct Output {
  std::ostream& out;
  Paint paint{};
  bool json = false;
};

/// Columns a text takes on a terminal (UTF-8 code points; colour sequences take none).
std::size_t display_width(std::string_view text);
/// `text` with spaces up to `width` columns, on the right or on the left.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

/// Rows of cells in aligned columns, two spaces apart.
class Table {
 public:
  explicit Table(std::vector<std::string> header = {}) {
    if (!header.empty()) row(std::move(header));
  }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Columns of numbers are set flush right.
  void align_right(std::size_t column) { right_.push_back(column); }
  std::string text(std::size_t indent = 2) const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> right_;
};

/// Text from a file or a user, safe to print: control characters and bytes that are not UTF-8
/// become
/// `\xNN`.
std::string printable(std::string_view text);
/// At most `width` columns of it, with "…" at the end where something is left out.
std::string shortened(std::string_view text, std::size_t width);

/// Breaks at spaces so that no line passes kColumns; later lines start at column `indent`.
std::string wrap(std::string_view text, std::size_t indent);

/// Prints the findings of an answer, worst first; nothing when there are none.
void print_findings(const Output& output, const Answer& findings);
/// True when one of them is an error.
bool has_error(const Answer& findings);

}  // namespace lc::verify
