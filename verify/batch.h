#pragma once

#include <iosfwd>
#include <string>

namespace lc::verify {

/// Answers one line.  Never throws on any input; the answer has no line end.
std::string answer_line(const std::string& line, std::size_t line_number);

/// Reads JSON lines from `in` and writes one answer each to `out`, in order.  Returns 0 when the
/// stream was read to its end, 2 when reading or writing broke.
int run_batch(std::istream& in, std::ostream& out);

/// Prints the table of ops.
int list_ops(std::ostream& out, bool json);

}  // namespace lc::verify
