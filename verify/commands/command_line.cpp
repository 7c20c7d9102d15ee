#include "verify/commands/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "verify/request.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

std::string quoted_if_empty(const std::string& text) {
  return text.empty() ? "''" : text;
}

Error about_command(const std::vector<std::string>& arguments,
                    const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  if (arguments.empty()) return Error("layout-check", "no command", one_of("", names));
  const std::string& first = arguments.front();
  const auto later = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& a) {
    return std::find(names.begin(), names.end(), a) != names.end();
  });
  if (first.starts_with("-") && later != arguments.end()) {
    return Error(first, "options come after the command",
                 fmt::format("layout-check {} {} …", *later, first));
  }
  return Error(quoted_if_empty(first), "no such command", one_of(first, names));
}

const OptionRow* find_option(const Command& command, const std::string& name) {
  for (const OptionRow& row : command.options) {
    if (name == row.option) return &row;
  }
  return nullptr;
}

/// The first option that the command does not have.
std::optional<Error> unknown_option(const Command& command,
                                    const std::vector<std::string>& arguments) {
  std::vector<std::string> names = {"--json", "--help"};
  for (const OptionRow& row : command.options) names.emplace_back(row.option);
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::find(names.begin(), names.end(), name) != names.end()) {
      continue;
    }
    return Error(name, fmt::format("`{}` has no such option", command.name), one_of(name, names));
  }
  return std::nullopt;
}

/// The first option that stands twice, or last and without its value.
std::optional<Error> wrong_count(const Command& command,
                                 const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    const OptionRow* row = find_option(command, name);
    if (row == nullptr || row->kind == OptionKind::flag) continue;
    const auto count = std::count_if(arguments.begin(), arguments.end(), [&](const auto& a) {
      return a == name || a.starts_with(name + '=');
    });
    if (count > 1 && row->kind != OptionKind::many)
      return Error(name, "the option is given twice", "give it once");
    const bool has_value =
        arguments[i] != name || (i + 1 < arguments.size() && !arguments[i + 1].starts_with("--"));
    if (!has_value)
      return Error(name, "the value is missing", fmt::format("{} {}", name, row->value));
  }
  return std::nullopt;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

Error misuse(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
             const std::string& parser_says) {
  const auto chosen = std::find_if(commands.begin(), commands.end(), [&](const Command& c) {
    return !arguments.empty() && arguments.front() == c.name;
  });
  if (chosen == commands.end()) return about_command(arguments, commands);
  if (const auto unknown = unknown_option(*chosen, arguments)) return *unknown;
  if (const auto count = wrong_count(*chosen, arguments)) return *count;
  return Error(chosen->name, parser_says, fmt::format("layout-check {} --help", chosen->name));
}

Error about_options(const Error& error, const Command& command) {
  const std::size_t end = std::min(error.where.find('['), error.where.size());
  const std::string field = error.where.substr(0, end), rest = error.where.substr(end);
  const bool is_number = error.hint == kNumberHint;
  const std::string hint = is_number ? "a number like 64 or 0x400" : error.hint;
  for (const OptionRow& row : command.options) {
    if (field != field_of_option(row.option)) continue;
    if (error.message == kMissingField) {
      return Error(row.option, "the option is missing",
                   fmt::format("{} {}: {}", row.option, row.value, row.help));
    }
    return Error(row.option + rest, error.message, hint);
  }
  const bool positional = command.positional != nullptr && field == command.positional;
  return Error(positional ? upper(field) + rest : error.where, error.message, hint);
}

/// What follows the first line of a message is an excerpt of a file, which is not wrapped.
std::string error_text(const Error& error) {
  const std::size_t end = std::min(error.message.find('\n'), error.message.size());
  std::string text =
      wrap(printable(fmt::format("{}: error: {}", error.where, error.message.substr(0, end))), 0);
  for (std::size_t at = end; at < error.message.size();) {
    const std::size_t next = std::min(error.message.find('\n', at + 1), error.message.size());
    text += '\n' + printable(error.message.substr(at + 1, next - at - 1));
    at = next;
  }
  return error.hint.empty() ? text : text + "\n  try: " + wrap(printable(error.hint), 7);
}

}  // namespace lc::verify
