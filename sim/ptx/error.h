#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lc::ptx {

/// Where a token begins; lines and columns count from 1, columns are bytes.
/// Positions take no part in comparisons: two modules are equal when they say the same.
struct Position {
  std::uint32_t line = 0, column = 0;
  friend constexpr bool operator==(const Position&, const Position&) { return true; }
};

/// Something wrong in PTX text or in a container of it.  `what()` is ready to print:
///
///     gemm.ptx:214:9: error: there is no register `%r100`
///       add.s32 %r1, %r2, %r100;
///                         ^
///       try: declare it with `.reg`
struct ParseError : std::runtime_error {
  ParseError(std::string file_name, Position position, std::string problem, std::string source,
             std::string advice);

  std::string file;         ///< as given to the parser
  Position at;              ///< line 0: the file as a whole
  std::string message;      ///< the first line without the place
  std::string source_line;  ///< cut to a window around the column when very long
  std::string hint;         ///< may be empty
};

/// The line of `text` that holds byte `offset`, printable, at most 120 bytes around it; the caret's
/// place in it goes to `caret`.
std::string line_around(std::string_view text, std::size_t offset, std::size_t& caret);

/// The name nearest to `text` when near enough to be a slip of the keys, else "".
std::string_view nearest(std::string_view text, const std::vector<std::string_view>& names);

/// `text` in backquotes for a message: cut to 60 bytes, unprintable bytes shown as '?'.
std::string quoted(std::string_view text);

}  // namespace lc::ptx
