#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <list>
#include <nlohmann/json.hpp>

#include "verify/commands/commands.h"
#include "verify/error.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

constexpr const char* kVersion = "0.1.0";

/// Where CLI11 leaves one command's values until they become a question.
struct Parsed {
  Command command;
  CLI::App* app = nullptr;
  bool json = false;
  std::vector<std::string> values;
  std::list<std::string> texts;
  std::list<bool> flags;
  std::vector<std::pair<std::string, const std::string*>> text_fields, list_fields;
  std::vector<std::pair<std::string, const bool*>> flag_fields;
};

void add_options(Parsed& p) {
  for (const OptionRow& row : p.command.options) {
    const std::string field = field_of_option(row.option);
    if (row.kind == OptionKind::flag) {
      p.app->add_flag(row.option, p.flags.emplace_back(false), row.help);
      p.flag_fields.emplace_back(field, &p.flags.back());
      continue;
    }
    p.app->add_option(row.option, p.texts.emplace_back(), row.help)->type_name(row.value);
    auto& fields = row.kind == OptionKind::list ? p.list_fields : p.text_fields;
    fields.emplace_back(field, &p.texts.back());
  }
  if (p.command.positional != nullptr) p.app->add_option(p.command.positional, p.values);
  p.app->add_flag("--json", p.json, "one JSON object on stdout");
  p.app->footer(fmt::format("Example:\n{}\n", p.command.example));
}

Question list_of(const std::string& text) {
  Question list = Question::array();
  for (const std::string& part : CLI::detail::split(text, ',')) {
    list.push_back(CLI::detail::trim_copy(part));
  }
  return list;
}

Question question_of(const Parsed& p) {
  Question q = Question::object();
  const auto given = [&](const std::string* text) { return !text->empty(); };
  for (const auto& [field, text] : p.text_fields) {
    if (given(text)) q[field] = *text;
  }
  for (const auto& [field, text] : p.list_fields) {
    if (given(text)) q[field] = list_of(*text);
  }
  for (const auto& [field, flag] : p.flag_fields) {
    if (*flag) q[field] = true;
  }
  if (p.command.positional == nullptr || p.values.empty()) return q;
  if (p.command.repeated) {
    q[p.command.positional] = p.values;
  } else if (p.values.size() == 1) {
    q[p.command.positional] = p.values.front();
  } else {
    throw Error(p.values[1], fmt::format("{} takes one {}", p.command.name, p.command.positional));
  }
  return q;
}

/// A misspelt command or option, with what was probably meant.
std::string explain(const CLI::ParseError& error, const std::vector<std::string>& arguments,
                    const std::list<Parsed>& commands) {
  std::vector<std::string> names;
  const Parsed* chosen = nullptr;
  for (const Parsed& p : commands) {
    names.emplace_back(p.command.name);
    if (!arguments.empty() && arguments.front() == p.command.name) chosen = &p;
  }
  if (chosen == nullptr) {
    if (arguments.empty()) return fmt::format("error: no command\n  try: {}", one_of("", names));
    return fmt::format("{}: error: no such command\n  try: {}", arguments.front(),
                       one_of(arguments.front(), names));
  }
  std::vector<std::string> options = {"--json", "--help"};
  for (const OptionRow& row : chosen->command.options) options.emplace_back(row.option);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") ||
        std::find(options.begin(), options.end(), name) != options.end()) {
      continue;
    }
    return fmt::format("{}: error: `{}` has no such option\n  try: {}", name, chosen->command.name,
                       one_of(name, options));
  }
  return fmt::format("{}: error: {}\n  try: layout-check {} --help", chosen->command.name,
                     error.what(), chosen->command.name);
}

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && isatty(STDOUT_FILENO) == 1 &&
         (term == nullptr || std::string_view(term) != "dumb");
}

int report(const Parsed* command, const Error& e) {
  if (command != nullptr && command->json) {
    const Answer error = {{"where", e.where}, {"what", e.message}, {"hint", e.hint}};
    std::cout << Answer{{"ok", false}, {"error", error}}.dump(-1, ' ', false,
                                                              Answer::error_handler_t::replace)
              << '\n';
  }
  std::cerr << e.what() << '\n';
  return 2;
}

int run_command(const Parsed& p) {
  const Output output{std::cout, Paint(colour_wanted() && !p.json), p.json};
  try {
    const int code = p.command.run(question_of(p), output);
    std::cout.flush();
    return std::cout ? code : 2;
  } catch (const Error& e) {
    return report(&p, e);
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Knows, byte by byte, what tensor-core operands look like in shared memory."};
  app.name("layout-check");
  app.set_version_flag("--version", std::string("layout-check ") + kVersion);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 holds, 1 differs or is illegal, 2 could not tell.\n"
      "layout-check COMMAND --help shows a copyable example.");
  std::list<Parsed> commands;
  for (const Command& command : all_commands()) {
    Parsed& p = commands.emplace_back();
    p.command = command;
    p.app = app.add_subcommand(command.name, command.summary);
    add_options(p);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << explain(e, std::vector<std::string>(argv + 1, argv + argc), commands) << '\n';
    return 2;
  }
  for (const Parsed& p : commands) {
    if (p.app->parsed()) return run_command(p);
  }
  return 2;
}

}  // namespace
}  // namespace lc::verify

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return lc::verify::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "layout-check: error: out of memory\n";
  } catch (const std::exception& e) {
    std::cerr << "layout-check: error: " << e.what() << '\n';
  }
  return 2;
}
