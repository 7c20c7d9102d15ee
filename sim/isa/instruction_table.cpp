#include "sim/isa/instruction_table.h"

#include <map>

namespace lc::isa {
namespace {

using ptx::Operand;

struct Table {
  std::map<std::string_view, std::vector<const Op*>> rows;
  std::vector<std::string_view> names;
};

const Table& table() {
  static const Table all = [] {
    Table t;
    for (const Family& family : families()) {
      for (const Op& op : family.ops) {
        auto& rows = t.rows[op.name];
        if (rows.empty()) t.names.push_back(op.name);
        rows.push_back(&op);
      }
    }
    return t;
  }();
  return all;
}

std::vector<std::string_view> operands_of(std::string_view form) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  const auto add = [&](std::size_t end) {
    std::string_view part = form.substr(begin, end - begin);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    if (!part.empty()) parts.push_back(part);
    begin = end + 1;
  };
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '[' || form[i] == '{') ++depth;
    if (form[i] == ']' || form[i] == '}') --depth;
    if (form[i] == ',' && depth == 0) add(i);
  }
  add(form.size());
  return parts;
}

bool is_address(const Operand& o) {
  return o.kind == Operand::Kind::address || o.kind == Operand::Kind::element;
}

/// Whether the operands have the brackets of the form; else `problem` says what is wrong.
bool fits_form(std::string_view form, std::span<const Operand> operands, std::string& problem) {
  const std::vector<std::string_view> parts = operands_of(form);
  std::size_t least = 0;
  for (const std::string_view part : parts) least += part.back() == '?' ? 0 : 1;
  if (operands.size() < least || operands.size() > parts.size()) {
    problem = std::to_string(operands.size()) + (operands.size() == 1 ? " operand" : " operands") +
              " where the form is `" + std::string(form) + "`";
    return false;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if ((parts[i].front() == '[') != is_address(operands[i])) {
      problem = "operand " + std::to_string(i + 1) + " of the form `" + std::string(form) +
                "` is " + (parts[i].front() == '[' ? "an address in brackets" : "no address");
      return false;
    }
  }
  return true;
}

[[noreturn]] void unknown_opcode(FunctionBinder& function, const ptx::Instruction& instruction,
                                 std::string_view opcode) {
  const std::string_view near = ptx::nearest(opcode, table().names);
  function.fail(instruction.span.at,
                "the virtual GPU does not know the instruction `" + std::string(opcode) + "`",
                near.empty() ? "" : "`" + std::string(near) + "`");
}

}  // namespace

const std::vector<const Op*>& rows_of(std::string_view opcode) {
  static const std::vector<const Op*> none;
  const auto found = table().rows.find(opcode);
  return found == table().rows.end() ? none : found->second;
}

void bind_instruction(FunctionBinder& function, const ptx::Instruction& instruction,
                      const ptx::Mnemonic& mnemonic, Inst& inst) {
  const auto& rows = rows_of(mnemonic.opcode);
  if (rows.empty()) unknown_opcode(function, instruction, mnemonic.opcode);
  const std::span<const Operand> operands = function.ptx().operands_of(instruction);
  Mismatch nearest;
  nearest.filled = -1;
  std::string form_problem;
  for (const Op* op : rows) {
    Modifiers modifiers;
    Mismatch why;
    if (!ModifierPattern::match(op->modifiers, mnemonic, modifiers, why)) {
      if (why.filled > nearest.filled) nearest = why;
      continue;
    }
    if (!fits_form(op->form, operands, form_problem)) continue;
    Binder binder(function, instruction, modifiers, inst);
    const Operand* guard = function.ptx().guard_of(instruction);
    inst.guard = guard == nullptr ? binder.always() : binder.predicate(*guard);
    op->bind(binder);
    return;
  }
  if (!form_problem.empty()) {
    function.fail(instruction.span.at, "`" + mnemonic.text() + "` has " + form_problem, "");
  }
  function.fail(instruction.span.at, nearest.problem, nearest.hint);
}

}  // namespace lc::isa
