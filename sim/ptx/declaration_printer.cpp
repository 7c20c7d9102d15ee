#include "sim/ptx/declaration_printer.h"

namespace lc::ptx {
namespace {

void print_hexadecimal(std::string& out, std::string_view prefix, std::uint64_t bits, int digits) {
  out += prefix;
  for (int i = digits - 1; i >= 0; --i) out += "0123456789ABCDEF"[(bits >> (4 * i)) & 15];
}

void print_initial(std::string& out, const Module& module, const Variable& variable) {
  std::string_view before;
  for (const InitialValue& item : variable.initial) {
    if (item.kind == InitialValue::Kind::close) {
      out += '}';
      before = ", ";
      continue;
    }
    out += before;
    before = ", ";
    if (item.kind == InitialValue::Kind::open) {
      out += '{';
      before = "";
    } else if (item.kind == InitialValue::Kind::constant) {
      print_constant(out, {item.number, item.value});
    } else {
      const InitialAddress& address = module.addresses[item.index];
      if (address.mask != 0) {
        out += "0x";
        const int digits = 2 * (std::countr_zero(address.mask) / 8 + 1);
        print_hexadecimal(out, "", address.mask, digits);
        out += '(';
      }
      if (address.generic) out += "generic(";
      out += address.name;
      if (address.generic) out += ')';
      print_offset(out, address.offset);
      if (address.mask != 0) out += ')';
    }
  }
}

void print_parameters(std::string& out, const Module& module, const std::vector<Variable>& list) {
  std::string_view before = "(";
  if (list.empty()) out += before;
  for (const Variable& variable : list) {
    out += before;
    before = ", ";
    print_variable(out, module, variable);
  }
  out += ')';
}

}  // namespace

void print_constant(std::string& out, Constant constant) {
  constexpr std::uint64_t kMostNegative = std::uint64_t{1} << 63;
  switch (constant.kind) {
    case Constant::Kind::s64:
      // The magnitude of the most negative number is an unsigned constant, so it is no literal.
      out += constant.bits == kMostNegative ? "(-9223372036854775807 - 1)"
                                            : std::to_string(constant.as_signed());
      break;
    case Constant::Kind::u64:
      (out += std::to_string(constant.bits)) += 'U';
      break;
    case Constant::Kind::f64:
      print_hexadecimal(out, "0d", constant.bits, 16);
      break;
    case Constant::Kind::f32:
      print_hexadecimal(out, "0f", constant.bits, 8);
      break;
  }
}

void print_offset(std::string& out, std::uint64_t offset) {
  if (offset == 0) return;
  out += '+';
  print_constant(out, Constant::of(static_cast<std::int64_t>(offset)));
}

void print_registers(std::string& out, const Registers& registers) {
  out += ".reg ";
  if (registers.lanes > 1) out += registers.lanes == 2 ? ".v2 " : ".v4 ";
  (((out += '.') += row_of(registers.type).name) += ' ') += registers.name;
  if (registers.is_range) out += "<" + std::to_string(registers.count) + ">";
  out += ';';
}

void print_variable(std::string& out, const Module& module, const Variable& variable) {
  if (variable.linkage != Linkage::none) ((out += '.') += name_of(variable.linkage)) += ' ';
  (out += '.') += name_of(variable.space);
  if (!variable.attributes.empty()) ((out += " .attribute(") += variable.attributes) += ')';
  if (variable.align != 0) out += " .align " + std::to_string(variable.align);
  if (variable.lanes > 1) out += variable.lanes == 2 ? " .v2" : " .v4";
  (out += " .") += row_of(variable.type).name;
  if (variable.is_pointer) {
    out += " .ptr";
    if (variable.pointee_space != Space::none) (out += " .") += name_of(variable.pointee_space);
    if (variable.pointee_align != 0) out += " .align " + std::to_string(variable.pointee_align);
  }
  (out += ' ') += variable.name;
  if (variable.range != 0) out += "<" + std::to_string(variable.range) + ">";
  for (std::size_t i = 0; i < variable.dims.size(); ++i) {
    out += '[';
    if (i != 0 || !variable.unsized) out += std::to_string(variable.dims[i]);
    out += ']';
  }
  if (!variable.initialised) return;
  out += " = ";
  print_initial(out, module, variable);
}

void print_signature(std::string& out, const Module& module, const Signature& signature,
                     std::string_view name, std::string_view separator) {
  if (!signature.results.empty()) {
    print_parameters(out, module, signature.results);
    out += ' ';
  }
  out += name;
  if (signature.has_parameter_list) print_parameters(out, module, signature.parameters);
  for (const Performance& item : signature.performance) {
    out += separator;
    print_performance(out, item);
  }
}

void print_performance(std::string& out, const Performance& item) {
  (out += '.') += item.name;
  std::string_view before = " ";
  for (const std::uint32_t value : item.values) {
    (out += before) += std::to_string(value);
    before = ", ";
  }
  for (const std::string_view text : item.strings) {
    (out += before) += text;
    before = ", ";
  }
  if (!item.strings.empty()) out += ';';
}

void print_targets(std::string& out, const Module& module, const Targets& targets) {
  constexpr std::string_view kWords[] = {".branchtargets ", ".calltargets ", ".callprototype "};
  ((out += targets.name) += ": ") += kWords[static_cast<std::size_t>(targets.kind)];
  if (targets.kind == Targets::Kind::prototype) {
    print_signature(out, module, targets.prototype, "_", " ");
  }
  std::string_view before;
  for (const std::string& name : targets.names) {
    (out += before) += name;
    before = ", ";
  }
  out += ';';
}

void print_location(std::string& out, const Location& location) {
  const auto place = [&](std::uint32_t file, std::uint32_t line, std::uint32_t column) {
    out += ' ' + std::to_string(file) + ' ' + std::to_string(line) + ' ' + std::to_string(column);
  };
  out += ".loc";
  place(location.file, location.line, location.column);
  if (!location.function_name.empty()) {
    (out += ", function_name ") += location.function_name;
    print_offset(out, static_cast<std::uint64_t>(location.function_offset));
  }
  if (location.inlined) {
    out += ", inlined_at";
    place(location.at_file, location.at_line, location.at_column);
  }
}

void print_file(std::string& out, const SourceFile& file) {
  ((out += ".file ") += std::to_string(file.index) + ' ') += file.name;
  if (file.timestamp) {
    out += ", " + std::to_string(*file.timestamp) + ", " + std::to_string(*file.size);
  }
  out += '\n';
}

}  // namespace lc::ptx
