#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "verify/check/report.h"
#include "verify/commands/commands.h"
#include "verify/error.h"

namespace lc::verify {
namespace {

using Result = TileReport::Result;

/// 0 same, 1 differs, 2 something could not be checked.
int exit_code(const std::vector<Result>& results) {
  const auto has = [&](Result r) { return std::count(results.begin(), results.end(), r) != 0; };
  if (has(Result::unknown)) return 2;
  return has(Result::differs) ? 1 : 0;
}

void print_total(std::uint64_t same, std::uint64_t differ, std::uint64_t unknown,
                 std::uint64_t unread, const Output& output) {
  const std::uint64_t all = same + differ + unknown;
  output.out << fmt::format("\n{} tile{}: {} same, {} differ, {} could not be checked\n", all,
                            all == 1 ? "" : "s", same, differ, unknown);
  if (unread != 0) {
    output.out << fmt::format("{} file{} could not be read\n", unread, unread == 1 ? "" : "s");
  }
}

int run(const Question& question, const Output& output) {
  if (!question.contains("file")) {
    throw Error("FILE", "no dump file to check", "layout-check check tile.safetensors");
  }
  Answer files = Answer::array();
  std::vector<Result> results;
  std::uint64_t count[3] = {}, unread = 0;
  for (const Question& file : question.at("file")) {
    const FileReport report = check_file(file.get<std::string>());
    results.push_back(report.result());
    unread += report.problem.has_value();
    for (const TileReport& t : report.tiles) ++count[static_cast<int>(t.result)];
    if (output.json) {
      files.push_back(to_json(report));
    } else {
      if (results.size() > 1) output.out << '\n';
      print_report(report, output);
    }
  }
  const int code = exit_code(results);
  if (output.json) {
    const char* const kNames[] = {"same", "differs", "unknown"};
    const Answer answer = {{"ok", code != 2}, {"result", kNames[code]}, {"files", files}};
    output.out << answer.dump(-1, ' ', false, Answer::error_handler_t::replace) << '\n';
  } else {
    print_total(count[0], count[1], count[2], unread, output);
  }
  return code;
}

}  // namespace

Command check_command() {
  return {"check",
          "Do the bytes of a dump agree with the model? If not, what is wrong?",
          "layout-check check tile.safetensors\n"
          "layout-check check --json tests/golden/dumps/*.safetensors",
          "file",
          true,
          {},
          run};
}

}  // namespace lc::verify
