#include "verify/batch.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "verify/error.h"
#include "verify/ops/ops.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

constexpr int kMaxDepth = 64;
/// The parsed form of a line can take 30 times its length.
constexpr std::size_t kMaxLine = std::size_t{4} << 20;
constexpr std::size_t kEndless = 64 * kMaxLine;  ///< a line this long is no text at all

Question parse(const std::string& line) {
  const auto guard = [](int depth, Question::parse_event_t, Question&) {
    if (depth > kMaxDepth) {
      throw Error("JSON", fmt::format("nested deeper than {} levels", kMaxDepth),
                  "questions are flat objects");
    }
    return true;
  };
  try {
    return Question::parse(line, guard);
  } catch (const Question::exception& e) {
    // nlohmann's text: "[json.exception.…] parse error at line 1, column 7: …"
    std::string text = e.what();
    if (const auto at = text.find("] "); at != std::string::npos) text.erase(0, at + 2);
    if (const auto at = text.find("line 1, "); at != std::string::npos) text.erase(at, 8);
    if (text.size() > 300) text.resize(300);
    throw Error("JSON", text, "one JSON object per line");
  }
}

std::string dump(const Answer& answer) {
  return answer.dump(-1, ' ', false, Answer::error_handler_t::replace);
}

Answer failure(const Answer& id, const std::string& op, const std::string& where,
               const std::string& what, const std::string& hint) {
  Answer answer = {{"id", id}};
  if (!op.empty()) answer["op"] = op;
  answer["ok"] = false;
  answer["error"] = {{"where", where}, {"what", what}, {"hint", hint}};
  return answer;
}

const Op& op_of(const Question& question) {
  const auto it = question.find("op");
  if (it == question.end()) throw Error("op", "the field is missing", "\"op\": \"…\"; see --list");
  if (!it->is_string()) throw Error("op", "expected a name", "see --list");
  const std::string name = it->get<std::string>();
  if (const Op* op = find_op(name)) return *op;
  std::vector<std::string> names;
  for (const Op& op : all_ops()) names.emplace_back(op.name);
  throw Error("op", fmt::format("unknown op \"{:.60}\"", name), one_of(name, names));
}

/// Reads a line without its end and keeps at most kMaxLine + 1 bytes of it.  False at the end of
/// the stream; a line without an end breaks the stream.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  try {
    std::streambuf& buffer = *in.rdbuf();
    constexpr int kEnd = std::char_traits<char>::eof();
    std::size_t size = 0;
    for (int c = buffer.sbumpc(); c != '\n'; c = buffer.sbumpc()) {
      if (c == kEnd) {
        in.setstate(std::ios::eofbit);
        return size != 0;
      }
      if (++size == kEndless) {
        in.setstate(std::ios::badbit);
        return true;
      }
      if (size <= kMaxLine + 1) line += static_cast<char>(c);
    }
    return true;
  } catch (const std::ios::failure&) {
    in.setstate(std::ios::badbit);
    return false;
  }
}

}  // namespace

std::string answer_line(const std::string& line, std::size_t line_number) {
  Answer id;
  std::string op_name;
  const auto at = [&](const std::string& where) {
    return fmt::format("line {}: {}", line_number, where);
  };
  try {
    const Question question = parse(line);
    if (!question.is_object()) throw Error("JSON", "expected an object", "{\"op\": …}");
    if (const auto it = question.find("id"); it != question.end()) id = *it;
    const Op& op = op_of(question);
    op_name = op.name;
    Answer answer = {{"id", id}, {"op", op_name}, {"ok", true}};
    answer.update(run_op(op, question));
    return dump(answer);
  } catch (const Error& e) {
    return dump(failure(id, op_name, at(e.where), e.message, e.hint));
  } catch (const std::bad_alloc&) {
    return dump(failure(id, op_name, at("question"), "the answer does not fit in memory",
                        "ask for fewer elements"));
  } catch (const std::exception& e) {
    return dump(failure(id, op_name, at("question"), e.what(), "please report this question"));
  }
}

int run_batch(std::istream& in, std::ostream& out) {
  std::string line;
  for (std::size_t number = 1; in && read_line(in, line); ++number) {
    if (line.size() > kMaxLine) {
      out << dump(failure(nullptr, "", fmt::format("line {}", number), "the line is too long",
                          fmt::format("at most {} bytes", kMaxLine)));
    } else {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      out << answer_line(line, number);
    }
    out << '\n';
    if (in.rdbuf()->in_avail() <= 0) out.flush();
    if (!out) return 2;
  }
  out.flush();
  return in.eof() && !in.bad() && out ? 0 : 2;
}

int list_ops(std::ostream& out, bool json) {
  if (json) {
    Answer rows = Answer::array();
    for (const Op& op : all_ops()) {
      rows.push_back({{"op", op.name}, {"input", op.input}, {"answer", op.answer}});
    }
    out << Answer{{"ops", rows}}.dump() << '\n';
    return 0;
  }
  for (const Op& op : all_ops()) {
    out << op.name << "\n  in   " << op.input << "\n  out  " << op.answer << '\n';
  }
  return 0;
}

}  // namespace lc::verify
