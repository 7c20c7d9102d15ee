#include "sim/ptx/printer.h"

#include "sim/ptx/declaration_printer.h"

namespace lc::ptx {
namespace {

class FunctionPrinter {
 public:
  FunctionPrinter(const Module& module, const Function& function, std::string& out)
      : module_(module), function_(function), out_(out) {}

  void body() {
    out_ += "{\n";
    for (const Statement& statement : function_.statements) print_statement(statement);
    out_ += "}\n";
  }

  void print_instruction(const Instruction& instruction) {
    if (const Operand* guard = function_.guard_of(instruction)) {
      out_ += '@';
      print_operand(*guard);
      out_ += ' ';
    }
    out_ += module_.mnemonic_of(instruction).text();
    print_list(function_.operands_of(instruction), " ");
    out_ += ';';
  }

 private:
  void indent() { out_.append(2 * depth_, ' '); }

  void print_statement(const Statement& statement) {
    using Kind = Statement::Kind;
    if (statement.kind == Kind::close) --depth_;
    if (statement.kind == Kind::label) {
      out_.append(2 * (depth_ - 1), ' ');
    } else {
      indent();
    }
    switch (statement.kind) {
      case Kind::instruction:
        print_instruction(function_.instructions[statement.index]);
        break;
      case Kind::label:
        out_ += function_.labels[statement.index].name;
        out_ += ':';
        break;
      case Kind::registers:
        print_registers(out_, function_.registers[statement.index]);
        break;
      case Kind::variable:
        print_variable(out_, module_, function_.variables[statement.index]);
        out_ += ';';
        break;
      case Kind::open:
        out_ += '{';
        ++depth_;
        break;
      case Kind::close:
        out_ += '}';
        break;
      case Kind::location:
        print_location(out_, function_.locations[statement.index]);
        break;
      case Kind::pragma:
        print_performance(out_, function_.pragmas[statement.index]);
        break;
      case Kind::targets:
        print_targets(out_, module_, function_.targets[statement.index]);
        break;
    }
    out_ += '\n';
  }

  void print_list(std::span<const Operand> list, std::string_view before) {
    for (const Operand& operand : list) {
      out_ += before;
      before = ", ";
      print_operand(operand);
    }
  }

  void print_operand(const Operand& operand) {
    using Kind = Operand::Kind;
    if (operand.negated) out_ += '!';
    if (operand.minus) out_ += '-';
    switch (operand.kind) {
      case Kind::sink:
        out_ += '_';
        break;
      case Kind::constant:
        print_constant(out_, operand.constant());
        break;
      case Kind::address:
        print_address(operand);
        break;
      case Kind::element:
        print_element(operand);
        break;
      case Kind::vector:
        out_ += '{';
        print_list(function_.children_of(operand), "");
        out_ += '}';
        break;
      case Kind::pair:
        print_operand(function_.children_of(operand)[0]);
        out_ += '|';
        print_operand(function_.children_of(operand)[1]);
        break;
      case Kind::arguments:
        out_ += '(';
        print_list(function_.children_of(operand), "");
        out_ += ')';
        break;
      default:
        out_ += operand.name;
        print_offset(out_, operand.value);
        break;
    }
    if (!operand.suffix.empty()) (out_ += '.') += operand.suffix;
  }

  void print_address(const Operand& operand) {
    const auto children = function_.children_of(operand);
    out_ += '[';
    print_operand(children[0]);
    print_offset(out_, operand.value);
    print_list(children.subspan(1), ", ");
    out_ += ']';
  }

  void print_element(const Operand& operand) {
    const auto children = function_.children_of(operand);
    print_operand(children[0]);
    out_ += '[';
    print_operand(children[1]);
    print_offset(out_, operand.value);
    out_ += ']';
  }

  const Module& module_;
  const Function& function_;
  std::string& out_;
  std::size_t depth_ = 1;
};

void print_function(std::string& out, const Module& module, const Function& function) {
  if (function.linkage != Linkage::none) ((out += '.') += name_of(function.linkage)) += ' ';
  out += function.entry ? ".entry " : ".func ";
  if (!function.attributes.empty()) ((out += ".attribute(") += function.attributes) += ") ";
  print_signature(out, module, function.signature, function.name, "\n");
  if (!function.has_body) {
    out += ";\n";
    return;
  }
  out += '\n';
  FunctionPrinter(module, function, out).body();
}

void print_item(std::string& out, const Module& module, const ModuleItem& item) {
  using Kind = ModuleItem::Kind;
  switch (item.kind) {
    case Kind::variable:
      print_variable(out, module, module.variables[item.index]);
      out += ";\n";
      break;
    case Kind::function:
      print_function(out, module, module.functions[item.index]);
      break;
    case Kind::file:
      print_file(out, module.files[item.index]);
      break;
    case Kind::section: {
      const DebugSection& section = module.sections[item.index];
      (((out += ".section ") += section.name) += " {\n") += section.body;
      out += "\n}\n";
      break;
    }
    case Kind::alias: {
      const Alias& alias = module.aliases[item.index];
      (((out += ".alias ") += alias.name) += ", ") += alias.target;
      out += ";\n";
      break;
    }
    case Kind::pragma:
      print_performance(out, module.pragmas[item.index]);
      out += '\n';
      break;
  }
}

}  // namespace

std::string print(const Module& module) {
  std::string out = ".version " + std::to_string(module.version_major) + '.' +
                    std::to_string(module.version_minor) + "\n.target ";
  for (std::size_t i = 0; i < module.targets.size(); ++i) {
    (out += i == 0 ? "" : ", ") += module.targets[i];
  }
  out += "\n.address_size " + std::to_string(module.address_size) + "\n\n";
  for (const ModuleItem& item : module.items) print_item(out, module, item);
  return out;
}

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  std::string out;
  FunctionPrinter(module, function, out).print_instruction(instruction);
  return out;
}

}  // namespace lc::ptx
