// Commands with the options of their own examples, some of them changed: each ends in 0 or 1, or
// in an error that says where and what; with --json it prints one JSON object.
#include <fuzzer/FuzzedDataProvider.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fuzz/must.h"
#include "tests/fuzz/vocabulary.h"
#include "verify/commands/commands.h"
#include "verify/error.h"

using namespace lc::fuzz;
using namespace lc::verify;

namespace {

/// Commands that read standard input or files have targets of their own.
std::vector<Command> commands() {
  std::vector<Command> out;
  for (const Command& command : all_commands()) {
    const std::string name = command.name;
    if (name != "batch" && name != "check" && name != "run" && name != "gemm") out.push_back(command);
  }
  return out;
}

Question list_of(const std::string& text) {
  Question list = Question::array();
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) list.push_back(part);
  return list;
}

void set(Question& question, const OptionRow& row, const std::string& text) {
  const std::string field = field_of_option(row.option);
  if (field == "svg") return;  // would write a file
  if (row.kind == OptionKind::flag) {
    question[field] = true;
  } else if (row.kind == OptionKind::list) {
    question[field] = list_of(text);
  } else {
    question[field] = text;
  }
}

/// One of the command lines in the command's help.
Question example(const Command& command, Random& random) {
  std::vector<std::string> lines;
  std::string examples = command.example;
  for (std::size_t at; (at = examples.find("\\\n")) != examples.npos;) examples.erase(at, 2);
  std::istringstream text(examples);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::istringstream words(lines[below(random, lines.size())]);
  Question question = Question::object();
  const OptionRow* open = nullptr;
  std::string word;
  words >> word >> word;
  while (words >> word) {
    if (open != nullptr) {
      set(question, *open, word);
      open = nullptr;
    } else if (word.starts_with("--")) {
      for (const OptionRow& row : command.options) {
        if (word != row.option) continue;
        if (row.kind == OptionKind::flag) {
          set(question, row, "");
        } else {
          open = &row;
        }
      }
    } else if (command.positional != nullptr) {
      question[command.positional] = word;
    }
  }
  return question;
}

std::string any_text(FuzzedDataProvider& input, Random& random) {
  switch (below(random, 5)) {
    case 0:
      return input.ConsumeRandomLengthString(64);
    case 1:
      return spelled_names()[below(random, spelled_names().size())];
    case 2:
      return number_text(random) + ',' + number_text(random) + ',' + number_text(random);
    default:
      return number_text(random);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Command> kCommands = commands();
  FuzzedDataProvider input(data, size);
  const Command& command = kCommands[input.ConsumeIntegral<std::uint8_t>() % kCommands.size()];
  const bool json = input.ConsumeBool();
  const bool colour = input.ConsumeBool();
  Random random(input.ConsumeIntegral<std::uint32_t>());
  Question question = example(command, random);
  const std::size_t changes = input.ConsumeIntegralInRange<std::size_t>(0, 4);
  for (std::size_t i = 0; i < changes && !command.options.empty(); ++i) {
    const OptionRow& row =
        command.options[input.ConsumeIntegral<std::uint8_t>() % command.options.size()];
    if (input.ConsumeBool()) {
      question.erase(field_of_option(row.option));
    } else {
      set(question, row, any_text(input, random));
    }
  }
  if (command.positional != nullptr && input.ConsumeBool()) {
    question[command.positional] = any_text(input, random);
  }

  std::ostringstream out;
  try {
    const int code = command.run(question, Output{out, Paint(colour), json});
    must(code == 0 || code == 1, "exit codes are 0 and 1");
    if (json) must(Question::parse(out.str(), nullptr, false).is_object(), "one JSON object");
    if (!json) must(!out.str().empty(), "a person is told something");
  } catch (const Error& e) {
    must(!e.where.empty() && !e.message.empty(), "an error says where and what");
  }
  return 0;
}
