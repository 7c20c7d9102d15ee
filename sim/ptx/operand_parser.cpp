#include "sim/ptx/constant_parser.h"
#include "sim/ptx/function_parser.h"
#include "sim/ptx/special_registers.h"

namespace lc::ptx {

void FunctionParser::append(const std::vector<Operand>& list, std::uint32_t& first,
                            std::uint32_t& count) {
  first = static_cast<std::uint32_t>(function_->operands.size());
  count = static_cast<std::uint32_t>(list.size());
  function_->operands.insert(function_->operands.end(), list.begin(), list.end());
}

/// The children get their final place; names of theirs that wait for an answer wait there.
void FunctionParser::set_children(Operand& parent, const std::vector<Operand>& children) {
  append(children, parent.first, parent.count);
}

void FunctionParser::guard(Instruction& instruction) {
  tokens_.take();
  const bool negated = tokens_.accept("!");
  const Token name = tokens_.expect(Token::Kind::identifier, "a predicate after `@`");
  Operand predicate;
  resolve(predicate, name);
  if (predicate.kind == Operand::Kind::unresolved) {
    tokens_.fail_at(name, "no predicate is called " + quoted(name.text) + " here",
                    "declare it with .reg .pred before this line");
  }
  if (predicate.kind != Operand::Kind::reg ||
      function_->registers_at(predicate.index).type != Type::pred) {
    tokens_.fail_at(name,
                    "a guard is a predicate register, which " + quoted(name.text) + " is not");
  }
  predicate.negated = negated;
  instruction.guarded = true;
  guard_ = predicate;
}

/// Puts the guard and then the operands at the end of the pool, side by side.
void FunctionParser::finish(Instruction& instruction, const std::vector<Operand>& list) {
  if (instruction.guarded) function_->operands.push_back(guard_);
  append(list, instruction.first_operand, instruction.operand_count);
}

void FunctionParser::operands(Instruction& instruction) {
  std::vector<Operand> list;
  if (!tokens_.peek().is(";")) {
    do {
      list.push_back(operand());
    } while (tokens_.accept(","));
  }
  finish(instruction, list);
}

/// call (results), function, (arguments), prototype: every part but the function optional.
void FunctionParser::call_operands(Instruction& instruction) {
  std::vector<Operand> list;
  do {
    list.push_back(tokens_.peek().is("(") ? argument_list() : operand());
  } while (tokens_.accept(","));
  finish(instruction, list);
}

Operand FunctionParser::argument_list() {
  Operand list;
  list.kind = Operand::Kind::arguments;
  list.at = tokens_.take().at;
  std::vector<Operand> children;
  if (!tokens_.peek().is(")")) {
    do {
      children.push_back(operand());
    } while (tokens_.accept(","));
  }
  tokens_.expect(")", "after the arguments");
  set_children(list, children);
  return list;
}

/// A primary, or d|p.
Operand FunctionParser::operand() {
  const Operand first = primary();
  if (first.kind == Operand::Kind::constant || !tokens_.peek().is("|")) return first;
  tokens_.take();
  Operand pair;
  pair.kind = Operand::Kind::pair;
  pair.at = first.at;
  set_children(pair, {first, name_operand()});
  return pair;
}

Operand FunctionParser::primary() {
  if (at_constant(tokens_)) return constant_operand();
  const Token& token = tokens_.peek();
  if (token.is("[")) return address_operand();
  if (token.is("{")) return vector_operand();
  if (token.is("!") || token.is("-")) return signed_register();
  if (token.kind != Token::Kind::identifier) {
    tokens_.fail("expected an operand, not " + TokenStream::shown(token),
                 token.is("}") ? "a `;` at the end of the instruction" : "");
  }
  Operand named = name_operand();
  if (tokens_.peek().is("[")) return element_operand(named);
  if (tokens_.peek().is("+")) add_offset(named);
  return named;
}

/// !p or -r
Operand FunctionParser::signed_register() {
  const Token sign = tokens_.take();
  const Token name = tokens_.peek();
  Operand operand = name_operand();
  if (operand.kind == Operand::Kind::unresolved) fail_no_register(name);
  if (operand.kind != Operand::Kind::reg && operand.kind != Operand::Kind::special) {
    tokens_.fail_at(name, quoted(sign.text) + " takes a register");
  }
  operand.negated = sign.is("!");
  operand.minus = sign.is("-");
  operand.at = sign.at;
  return operand;
}

void FunctionParser::fail_no_register(const Token& name) {
  tokens_.fail_at(name, "no register is called " + quoted(name.text) + " here",
                  "declare it with .reg before this line, in this scope or one around it");
}

Operand FunctionParser::constant_operand() {
  Operand constant;
  constant.kind = Operand::Kind::constant;
  constant.at = tokens_.peek().at;
  const Constant value = parse_constant(tokens_);
  constant.number = value.kind;
  constant.value = value.bits;
  return constant;
}

/// A name, with the suffix that may follow it.
Operand FunctionParser::name_operand() {
  const Token token = tokens_.expect(Token::Kind::identifier, "a name");
  Operand named;
  if (token.text == "_") {
    named.at = token.at;
    return named;
  }
  resolve(named, token);
  if (tokens_.peek().kind == Token::Kind::dotted) {
    named.suffix = tokens_.take().text.substr(1);
    if (named.kind == Operand::Kind::unresolved) fail_no_register(token);
    if (named.kind != Operand::Kind::reg && named.kind != Operand::Kind::special) {
      tokens_.fail_at(token, "only a register has a part such as ." + std::string(named.suffix));
    }
  }
  return named;
}

/// symbol + bytes
void FunctionParser::add_offset(Operand& named) {
  if (named.kind == Operand::Kind::reg || named.kind == Operand::Kind::special) {
    tokens_.fail("registers are added by an instruction", "the address form [r+4]");
  }
  tokens_.take();
  named.value = parse_integer(tokens_, "an offset in bytes").bits;
}

/// {a, b, _, 0}
Operand FunctionParser::vector_operand() {
  Operand vector;
  vector.kind = Operand::Kind::vector;
  vector.at = tokens_.take().at;
  std::vector<Operand> children;
  do {
    children.push_back(at_constant(tokens_) ? constant_operand() : name_operand());
  } while (tokens_.accept(","));
  tokens_.expect("}", "at the end of the vector");
  set_children(vector, children);
  return vector;
}

/// [base], [base+bytes], [map, {c0, c1}], each perhaps with .unified
Operand FunctionParser::address_operand() {
  Operand address;
  address.kind = Operand::Kind::address;
  address.at = tokens_.take().at;
  std::vector<Operand> children;
  if (at_constant(tokens_)) {
    children.push_back(constant_operand());
  } else {
    children.push_back(name_operand());
    if (tokens_.accept("+")) address.value = parse_integer(tokens_, "an offset in bytes").bits;
    if (tokens_.peek().is("-")) {
      tokens_.fail("an offset is added, never subtracted", "+- before the number: [r+-4]");
    }
  }
  while (tokens_.accept(",")) {
    children.push_back(tokens_.peek().is("{") ? vector_operand()
                       : at_constant(tokens_) ? constant_operand()
                                              : name_operand());
  }
  tokens_.expect("]", "at the end of the address");
  if (tokens_.peek().kind == Token::Kind::dotted) address.suffix = tokens_.take().text.substr(1);
  set_children(address, children);
  return address;
}

/// name[3], name[r], name[r+3]
Operand FunctionParser::element_operand(Operand array) {
  if (array.kind == Operand::Kind::reg || array.kind == Operand::Kind::special) {
    tokens_.fail("a register has no elements");
  }
  Operand element;
  element.kind = Operand::Kind::element;
  element.at = array.at;
  tokens_.take();
  Operand index;
  if (at_constant(tokens_)) {
    index = constant_operand();
  } else {
    index = name_operand();
    const bool minus = tokens_.peek().is("-");
    if (minus || tokens_.accept("+")) {
      element.value = parse_integer(tokens_, "an index").bits;
    }
  }
  tokens_.expect("]", "after the index");
  set_children(element, {array, index});
  return element;
}

/// Names of registers and variables are known when they are used; labels, functions and what the
/// module declares later wait for the end of the body.
void FunctionParser::resolve(Operand& operand, const Token& token) {
  operand.at = token.at;
  operand.name = token.text;
  const std::optional<Symbol> symbol = branching_ ? std::nullopt : symbols_.find(token.text);
  if (!symbol) {
    std::uint32_t number = 0;
    if (special_register(token.text, number)) {
      operand.kind = Operand::Kind::special;
      return;
    }
    operand.kind = Operand::Kind::unresolved;
    operand.index = static_cast<std::uint32_t>(waiting_.size());
    waiting_.push_back({scope(), branching_, token});
    return;
  }
  operand.index = symbol->index;
  switch (symbol->kind) {
    case Symbol::Kind::registers: {
      const Registers& registers = function_->registers[symbol->index];
      operand.kind = Operand::Kind::reg;
      operand.index = registers.slot + symbol->element * registers.lanes;
      return;
    }
    case Symbol::Kind::variable:
      operand.place = Place::function;
      break;
    case Symbol::Kind::parameter:
      operand.place = Place::parameter;
      break;
    default:
      operand.place = Place::result;
      break;
  }
  operand.kind = Operand::Kind::variable;
  operand.first = symbol->element;
}

}  // namespace lc::ptx
