#include "verify/run/instructions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/isa/load.h"
#include "sim/isa/op.h"
#include "verify/request.h"
#include "verify/run/kernel_file.h"

namespace lc::verify {
namespace {

constexpr std::size_t kOpcodeColumn = 16;

/// Breaks behind blanks and bars; every line starts at `column`.
std::string broken(std::string_view text, std::size_t column) {
  std::string out, line;
  std::string word;
  const auto flush = [&] {
    if (column + line.size() + word.size() > kColumns && !line.empty()) {
      out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n' + std::string(column, ' ');
      line.clear();
    }
    line += word;
    word.clear();
  };
  for (const char c : text) {
    word += c;
    if (c == ' ' || c == '|') flush();
  }
  flush();
  return out + line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string row_text(const isa::Op& op) {
  const std::string blanks(kOpcodeColumn, ' ');
  std::string text = "  " + pad_right(op.name, kOpcodeColumn - 3) + ' ';
  if (text.size() > kOpcodeColumn) text += '\n' + blanks;
  if (!op.modifiers.empty()) text += broken(op.modifiers, kOpcodeColumn) + '\n' + blanks;
  text += op.form.empty() ? "(no operands)" : broken(op.form, kOpcodeColumn);
  text += '\n';
  if (!op.note.empty()) text += blanks + "- " + broken(op.note, kOpcodeColumn + 2) + '\n';
  return text;
}

}  // namespace

int print_instruction_table(const Output& output) {
  Answer rows = Answer::array();
  std::size_t count = 0;
  for (const isa::Family& family : isa::families()) {
    if (family.ops.empty()) continue;
    if (!output.json) output.out << output.paint.bold(family.name) << '\n';
    for (const isa::Op& op : family.ops) {
      ++count;
      if (!output.json) output.out << row_text(op);
      rows.push_back({{"family", family.name},
                      {"opcode", op.name},
                      {"modifiers", op.modifiers},
                      {"form", op.form},
                      {"note", op.note}});
    }
  }
  if (output.json) {
    output.out << Answer{{"ok", true}, {"instructions", rows}}.dump() << '\n';
  } else {
    output.out << fmt::format("\n{} rows; [x] may be left out, a|b is one of them\n", count);
  }
  return 0;
}

int print_known_instructions(const Question& question, const Output& output) {
  const Request request(question);
  std::optional<std::string> device;
  if (request.has("device")) device = request.text("device");
  const KernelFile kernel = read_kernel(question.at("file").at(0).get<std::string>(), "", device);
  const ptx::Module& module = *kernel.module;
  std::size_t all = 0;
  for (const ptx::Function& f : module.functions) all += f.instructions.size();
  const std::vector<isa::Unknown> unknown = isa::unknown_instructions(module);
  if (output.json) {
    Answer list = Answer::array();
    for (const isa::Unknown& u : unknown) {
      list.push_back({{"function", u.function},
                      {"line", u.line},
                      {"mnemonic", u.mnemonic},
                      {"problem", u.problem},
                      {"hint", u.hint}});
    }
    output.out << Answer{{"ok", true},
                         {"file", module.file},
                         {"instructions", all},
                         {"unknown", list}}
                      .dump(-1, ' ', false, Answer::error_handler_t::replace)
               << '\n';
    return unknown.empty() ? 0 : 1;
  }
  output.out << printable(module.file)
             << fmt::format(": {} of {} instructions are known to the virtual GPU\n",
                            all - unknown.size(), all);
  for (const isa::Unknown& u : unknown) {
    output.out << "  "
               << wrap(printable(fmt::format("line {}: {}: {}", u.line, u.mnemonic, u.problem)), 4)
               << '\n';
    if (!u.hint.empty()) output.out << "    try: " << wrap(printable(u.hint), 9) << '\n';
  }
  return unknown.empty() ? 0 : 1;
}

}  // namespace lc::verify
