#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <list>
#include <nlohmann/json.hpp>

#include "verify/commands/command_line.h"
#include "verify/commands/commands.h"
#include "verify/error.h"

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
  struct Text {
    std::string field;
    const std::string* text;
    const CLI::Option* option;
  };
  std::vector<Text> text_fields, list_fields;
  std::list<std::vector<std::string>> repeated;
  std::vector<std::pair<std::string, const std::vector<std::string>*>> many_fields;
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
    if (row.kind == OptionKind::many) {
      p.app->add_option(row.option, p.repeated.emplace_back(), row.help)
          ->type_name(row.value)
          ->allow_extra_args(false);
      p.many_fields.emplace_back(field, &p.repeated.back());
      continue;
    }
    CLI::Option* option = p.app->add_option(row.option, p.texts.emplace_back(), row.help);
    option->type_name(row.value);
    auto& fields = row.kind == OptionKind::list ? p.list_fields : p.text_fields;
    fields.push_back({field, &p.texts.back(), option});
  }
  if (p.command.positional != nullptr) {
    p.app->add_option(p.command.positional, p.values)->type_name("");
  }
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
  for (const auto& [field, text, option] : p.text_fields) {
    if (option->count() > 0) q[field] = *text;
  }
  for (const auto& [field, text, option] : p.list_fields) {
    if (option->count() > 0) q[field] = list_of(*text);
  }
  for (const auto& [field, values] : p.many_fields) {
    if (!values->empty()) q[field] = *values;
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
  std::cerr << error_text(command != nullptr ? about_options(e, command->command) : e) << '\n';
  return 2;
}

/// A reader that went away (`| head`) needs no message; errno is that of the write that failed.
int finish(int code) {
  std::cout.flush();
  if (std::cout) return code;
  if (errno != EPIPE) std::cerr << "standard output: error: cannot be written\n";
  return 2;
}

int run_command(const Parsed& p) {
  const Output output{std::cout, Paint(colour_wanted() && !p.json), p.json};
  try {
    return finish(p.command.run(question_of(p), output));
  } catch (const Error& e) {
    std::cout.flush();
    return report(&p, e);
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Knows, byte by byte, what tensor-core operands look like in shared memory."};
  app.name("layout-check");
  app.set_version_flag("--version", std::string("layout-check ") + kVersion);
  app.require_subcommand(1);
  app.get_formatter()->column_width(14);
  app.footer(
      "Exit codes: 0 holds, 1 differs or is illegal, 2 could not tell.\n"
      "layout-check COMMAND --help shows a copyable example.");
  std::list<Parsed> commands;
  for (const Command& command : all_commands()) {
    Parsed& p = commands.emplace_back();
    p.command = command;
    p.app = app.add_subcommand(command.name, command.summary);
    p.app->formatter(std::make_shared<CLI::Formatter>());  // with columns of its own
    add_options(p);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::cerr << error_text(misuse(arguments, all_commands(), e.what())) << '\n';
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
