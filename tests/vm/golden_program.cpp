#include "tests/vm/golden_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "sim/machine/schedule.h"
#include "tests/vm/golden_values.h"

namespace lc::tests {
namespace {

/// A line's directive: keyword and rest.
struct Directive {
  std::string_view keyword, rest;
};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) {
    s.remove_suffix(1);
  }
  return s;
}

std::optional<Directive> directive_of(std::string_view line) {
  if (!line.starts_with("// ")) return std::nullopt;
  for (const std::string_view keyword : {"RUN", "ARG", "EXPECT", "FAULT"}) {
    if (line.substr(3).starts_with(keyword) && line.substr(3 + keyword.size()).starts_with(":")) {
      return Directive{keyword, trimmed(line.substr(4 + keyword.size()))};
    }
  }
  return std::nullopt;
}

std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::array<std::uint32_t, 3> triple(std::string_view text) {
  std::array<std::uint32_t, 3> t{1, 1, 1};
  const auto parts = split_at(text, ',');
  if (parts.size() > 3) throw std::runtime_error("at most three numbers");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    t[i] = static_cast<std::uint32_t>(unsigned_number(parts[i]));
  }
  return t;
}

void set_option(GoldenRun& run, std::string_view key, std::string_view value) {
  if (key == "entry") {
    run.entry = value;
  } else if (key == "grid") {
    run.grid = triple(value);
  } else if (key == "block") {
    run.block = triple(value);
  } else if (key == "cluster") {
    run.cluster = triple(value);
    run.explicit_cluster = true;
  } else if (key == "shared") {
    run.shared = static_cast<std::uint32_t>(unsigned_number(value));
  } else if (key == "arch" && (value == "sm_90" || value == "sm_100")) {
    run.arch = value;
  } else if (key == "gpu" && (value == "no" || value == "yes")) {
    run.gpu = value == "yes";
  } else if (key == "schedule") {
    run.schedules.clear();
    for (const std::string_view s : split_at(value, ';')) {
      if (!machine::parse_schedule(s)) throw std::runtime_error("no such schedule");
      run.schedules.emplace_back(s);
    }
  } else {
    throw std::runtime_error("unknown option " + std::string(key) + "=" + std::string(value));
  }
}

GoldenRun parse_run(std::string_view text) {
  GoldenRun run;
  while (!text.empty()) {
    const std::string_view word = take_word(text);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) throw std::runtime_error("options are key=value");
    set_option(run, word.substr(0, equals), word.substr(equals + 1));
  }
  return run;
}

GoldenArg parse_arg(std::string_view text) {
  GoldenArg arg;
  arg.name = take_word(text);
  std::string_view type = take_word(text);
  if (type == "tensor_map") {
    arg.kind = GoldenArg::Kind::tensor_map;
    arg.json = text;
    return arg;
  }
  const std::size_t bracket = type.find('[');
  arg.kind = bracket == std::string_view::npos ? GoldenArg::Kind::value : GoldenArg::Kind::buffer;
  arg.type = element_type_named(type.substr(0, bracket));
  if (arg.kind == GoldenArg::Kind::value) {
    if (take_word(text) != "=") throw std::runtime_error("a value is written NAME TYPE = V");
    arg.bytes = bytes_of_values(arg.type, parse_values(arg.type, text), 1);
    return arg;
  }
  if (type.back() != ']') throw std::runtime_error("a buffer is written NAME TYPE[COUNT]");
  arg.count = unsigned_number(type.substr(bracket + 1, type.size() - bracket - 2));
  arg.bytes = filled(arg.type, arg.count, text);
  return arg;
}

GoldenExpect parse_expect(const GoldenRun& run, std::string_view text) {
  GoldenExpect expect;
  std::string_view name = take_word(text);
  const std::size_t bracket = name.find('[');
  if (bracket != std::string_view::npos) {
    if (name.back() != ']') throw std::runtime_error("an element is written NAME[AT]");
    expect.at = unsigned_number(name.substr(bracket + 1, name.size() - bracket - 2));
    name = name.substr(0, bracket);
  }
  expect.name = name;
  const auto arg = std::find_if(run.args.begin(), run.args.end(),
                                [&](const GoldenArg& a) { return a.name == name; });
  if (arg == run.args.end() || arg->kind != GoldenArg::Kind::buffer) {
    throw std::runtime_error("there is no buffer " + std::string(name));
  }
  if (text.starts_with("within ")) {
    take_word(text);
    expect.tolerance = std::stod(std::string(take_word(text)));
  }
  expect.everything = text.empty();
  if (expect.everything) return expect;
  if (take_word(text) != "=") throw std::runtime_error("values come after =");
  expect.values = parse_values(arg->type, text);
  if (expect.at + expect.values.size() > arg->count) {
    throw std::runtime_error("more values than the buffer has elements");
  }
  return expect;
}

GoldenFault parse_fault(std::string_view text) {
  GoldenFault fault;
  fault.rule = take_word(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    fault.text = text.substr(1, text.size() - 2);
  } else if (!text.empty()) {
    throw std::runtime_error("the text of a fault stands in quotes");
  }
  return fault;
}

void apply(std::vector<GoldenRun>& runs, const Directive& d, std::uint32_t line) {
  if (d.keyword == "RUN") {
    runs.push_back(parse_run(d.rest));
    runs.back().line = line;
  } else if (runs.empty()) {
    throw std::runtime_error("RUN comes first");
  } else if (d.keyword == "ARG") {
    runs.back().args.push_back(parse_arg(d.rest));
  } else if (d.keyword == "EXPECT") {
    runs.back().expects.push_back(parse_expect(runs.back(), d.rest));
    runs.back().expects.back().line = line;
  } else {
    runs.back().fault = parse_fault(d.rest);
  }
  runs.back().last_line = line;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t index_of(const GoldenRun& run, const std::string& name) {
  for (std::size_t i = 0; i < run.args.size(); ++i) {
    if (run.args[i].name == name) return i;
  }
  return run.args.size();
}

/// Lines of at most about 100 columns, each with the index of its first element.
std::vector<std::string> expect_lines(const GoldenArg& arg, const GoldenExpect& expect,
                                      const std::vector<std::uint64_t>& values) {
  const std::string tolerance =
      expect.tolerance ? fmt::format(" within {}", *expect.tolerance) : std::string();
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < values.size();) {
    const std::uint64_t at = expect.at + i;
    std::string line =
        "// EXPECT: " + arg.name + (at == 0 ? "" : fmt::format("[{}]", at)) + tolerance + " =";
    const std::size_t begin = i;
    while (i < values.size()) {
      std::size_t same = i + 1;
      while (same < values.size() && values[same] == values[i]) ++same;
      std::string word = " " + to_text(arg.type, values[i]);
      std::size_t taken = 1;
      if (same - i >= 4) {
        taken = same - i;
        word += fmt::format("*{}", taken);
      }
      if (i > begin && line.size() + word.size() > 100) break;
      line += word;
      i += taken;
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> blessed_lines(const GoldenRun& run, const GoldenOutcome& outcome) {
  if (outcome.fault) {
    return {"// FAULT: " + outcome.fault->rule + " \"" + outcome.fault->text + "\""};
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < run.expects.size(); ++i) {
    const GoldenExpect& expect = run.expects[i];
    const std::size_t index = index_of(run, expect.name);
    // Lines that follow each other are one expectation that was broken into lines.
    const bool continues = i > 0 && run.expects[i - 1].name == expect.name &&
                           run.expects[i - 1].at + run.expects[i - 1].values.size() == expect.at;
    if (continues) continue;
    GoldenExpect whole = expect;
    std::size_t count = expect.values.size();
    for (std::size_t j = i + 1; j < run.expects.size() && run.expects[j].name == expect.name &&
                                run.expects[j].at == expect.at + count;
         ++j) {
      count += run.expects[j].values.size();
    }
    const auto all = values_of_bytes(run.args[index].type, outcome.buffers[index]);
    if (expect.everything) count = all.size() - expect.at;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(expect.at);
    const std::vector<std::uint64_t> values(begin, begin + static_cast<std::ptrdiff_t>(count));
    for (std::string& line : expect_lines(run.args[index], whole, values)) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace

GoldenProgram parse_golden_program(const std::string& file, const std::string& text) {
  GoldenProgram program{file, text, {}};
  std::uint32_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const auto d = directive_of(line);
    if (!d) continue;
    try {
      apply(program.runs, *d, number);
    } catch (const std::exception& e) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file, number, e.what()));
    }
  }
  for (const GoldenRun& run : program.runs) {
    if (run.expects.empty() && !run.fault) {
      throw std::runtime_error(fmt::format("{}:{}: neither EXPECT nor FAULT", file, run.line));
    }
  }
  if (program.runs.empty()) throw std::runtime_error(file + ": no RUN line");
  return program;
}

std::vector<std::string> differences(const GoldenProgram& program, const GoldenRun& run,
                                     const GoldenOutcome& outcome, bool tolerant) {
  std::vector<std::string> found;
  const auto say = [&](std::uint32_t line, const std::string& what) {
    if (found.size() < 10) found.push_back(fmt::format("{}:{}: {}", program.file, line, what));
  };
  if (outcome.fault && !run.fault) {
    say(run.line, "stopped: " + outcome.fault->rule + ": " + outcome.fault->text);
  } else if (run.fault && !outcome.fault) {
    say(run.line, "ran to its end instead of " + run.fault->rule);
  } else if (run.fault && (outcome.fault->rule != run.fault->rule ||
                           outcome.fault->text.find(run.fault->text) == std::string::npos)) {
    say(run.line, "stopped otherwise: " + outcome.fault->rule + ": " + outcome.fault->text);
  }
  if (outcome.fault) return found;
  for (const GoldenExpect& expect : run.expects) {
    if (expect.everything) say(expect.line, "no values yet: run with LC_BLESS=1");
    const std::size_t index = index_of(run, expect.name);
    const ElementType type = run.args[index].type;
    const auto values = values_of_bytes(type, outcome.buffers[index]);
    for (std::size_t i = 0; i < expect.values.size(); ++i) {
      const std::uint64_t got = values[expect.at + i], want = expect.values[i];
      if (got == want ||
          (tolerant && expect.tolerance && is_near(type, got, want, *expect.tolerance))) {
        continue;
      }
      say(expect.line,
          fmt::format("{}[{}] is {} ({:#x}), expected {} ({:#x})", expect.name, expect.at + i,
                      to_text(type, got), got, to_text(type, want), want));
    }
  }
  return found;
}

std::string blessed(const GoldenProgram& program, const std::vector<GoldenOutcome>& outcomes) {
  const std::vector<std::string> lines = lines_of(program.text);
  std::string text;
  std::size_t run = 0;
  for (std::uint32_t number = 1; number <= lines.size(); ++number) {
    const auto d = directive_of(lines[number - 1]);
    const bool rewritten = d && (d->keyword == "EXPECT" || d->keyword == "FAULT");
    if (!rewritten) text += lines[number - 1] + "\n";
    if (run < program.runs.size() && number == program.runs[run].last_line) {
      for (const std::string& line : blessed_lines(program.runs[run], outcomes[run])) {
        text += line + "\n";
      }
      ++run;
    }
  }
  return text;
}

}  // namespace lc::tests
