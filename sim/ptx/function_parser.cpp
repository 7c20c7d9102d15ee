#include "sim/ptx/function_parser.h"

#include "sim/ptx/constant_parser.h"
#include "sim/ptx/declaration_parser.h"

namespace lc::ptx {
namespace {

constexpr std::size_t kDeepestScope = 256;
constexpr std::uint32_t kMostSlots = 1u << 24;  ///< registers of a function
constexpr std::uint64_t kAnyNumber = 0xffffffff;
constexpr std::uint32_t kMostShorthand = 1u << 20;  ///< targets of a function written N<5>

}  // namespace

std::uint32_t MnemonicTable::index_of(std::vector<Mnemonic>& mnemonics, std::string_view opcode,
                                      const std::vector<std::string_view>& modifiers) {
  key_.assign(opcode);
  for (const std::string_view modifier : modifiers) key_.append(".").append(modifier);
  const auto [found, fresh] =
      by_text_.try_emplace(key_, static_cast<std::uint32_t>(mnemonics.size()));
  if (fresh) mnemonics.push_back({opcode, modifiers});
  return found->second;
}

void FunctionParser::run(Function& function) {
  function_ = &function;
  function.has_body = true;
  const Token open = tokens_.expect("{", "before the body");
  function.scopes.push_back({0, open.at});
  open_scopes_.push_back(0);
  symbols_.open(0);
  declare_signature();
  while (!open_scopes_.empty()) statement();
  resolve_labels();
  resolve_targets();
}

void FunctionParser::declare_signature() {
  const auto declare = [&](std::vector<Variable>& list, Symbol::Kind kind) {
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      const Variable& variable = list[i];
      if (variable.name == "_") continue;
      if (variable.space == Space::reg) {
        Registers registers;
        registers.type = variable.type;
        registers.lanes = variable.lanes;
        registers.name = variable.name;
        registers.at = variable.at;
        add_registers(registers);
      } else if (!symbols_.declare(variable.name, {kind, i})) {
        fail_duplicate(variable.name, variable.at);
      }
    }
  };
  declare(function_->signature.results, Symbol::Kind::result);
  declare(function_->signature.parameters, Symbol::Kind::parameter);
}

void FunctionParser::add(Statement::Kind kind, std::size_t index) {
  function_->statements.push_back({kind, static_cast<std::uint32_t>(index)});
}

void FunctionParser::fail_duplicate(std::string_view name, Position at) {
  Token token;
  token.text = name;
  token.at = at;
  token.offset = static_cast<std::uint32_t>(name.data() - module_.text->data());
  tokens_.fail_at(token, quoted(name) + " is declared twice in this scope",
                  "another name, or a scope { } of its own");
}

void FunctionParser::statement() {
  const Token& token = tokens_.peek();
  if (token.is("{")) return open_scope();
  if (token.is("}")) return close_scope();
  if (token.kind == Token::Kind::dotted) return directive();
  if (token.kind == Token::Kind::identifier && tokens_.peek_second().is(":")) return label();
  if (token.kind == Token::Kind::identifier || token.is("@")) return instruction();
  if (token.kind == Token::Kind::end) {
    tokens_.fail("the body of " + quoted(function_->name) + " has no end", "a closing `}`");
  }
  tokens_.fail("expected an instruction, a label or a directive, not " + TokenStream::shown(token));
}

void FunctionParser::open_scope() {
  const Token open = tokens_.take();
  if (open_scopes_.size() >= kDeepestScope) {
    tokens_.fail_at(open, "scopes are nested more than " + std::to_string(kDeepestScope) + " deep");
  }
  const auto number = static_cast<std::uint32_t>(function_->scopes.size());
  function_->scopes.push_back({scope(), open.at});
  add(Statement::Kind::open, number);
  open_scopes_.push_back(number);
  symbols_.open(number);
}

void FunctionParser::close_scope() {
  tokens_.take();
  if (open_scopes_.size() > 1) add(Statement::Kind::close, scope());
  open_scopes_.pop_back();
  symbols_.close();
}

void FunctionParser::directive() {
  const Token& token = tokens_.peek();
  const std::string_view word = token.text.substr(1);
  if (word == "reg") return register_declaration();
  if (space_named(word) != Space::none) return variable_declaration();
  if (word == "loc") return location();
  if (word == "pragma") {
    add(Statement::Kind::pragma, function_->pragmas.size());
    function_->pragmas.push_back(parse_pragma(tokens_));
    return;
  }
  if (word == "branchtargets" || word == "calltargets" || word == "callprototype") {
    tokens_.fail(quoted(token.text) + " needs a label before it",
                 "targets: " + std::string(token.text));
  }
  const std::string_view near =
      nearest(word, {"reg", "const", "global", "local", "param", "shared", "loc", "pragma"});
  tokens_.fail("no directive inside a body is called " + quoted(token.text),
               near.empty() ? "" : "." + std::string(near));
}

void FunctionParser::add_registers(Registers registers) {
  registers.scope = scope();
  registers.slot = function_->slot_count;
  const std::uint64_t slots = std::uint64_t{registers.count} * registers.lanes;
  if (slots > kMostSlots - function_->slot_count) {
    Token token;
    token.at = registers.at;
    token.offset = static_cast<std::uint32_t>(registers.name.data() - module_.text->data());
    tokens_.fail_at(token, "a function has at most " + std::to_string(kMostSlots) + " registers");
  }
  function_->slot_count += static_cast<std::uint32_t>(slots);
  const Symbol symbol{Symbol::Kind::registers,
                      static_cast<std::uint32_t>(function_->registers.size())};
  const bool fresh = registers.is_range
                         ? symbols_.declare_range(registers.name, symbol, registers.count)
                         : symbols_.declare(registers.name, symbol);
  if (!fresh) fail_duplicate(registers.name, registers.at);
  function_->registers.push_back(registers);
}

void FunctionParser::register_declaration() {
  const DeclarationHead head = parse_head(tokens_, Linkage::none);
  for (const Registers& registers : parse_register_names(tokens_, head)) {
    add(Statement::Kind::registers, function_->registers.size());
    add_registers(registers);
  }
  tokens_.expect(";", "at the end of the declaration");
}

void FunctionParser::variable_declaration() {
  const DeclarationHead head = parse_head(tokens_, Linkage::none);
  do {
    Variable variable = parse_declarator(tokens_, head, false);
    if (tokens_.accept("=")) parse_initialiser(tokens_, variable, module_.addresses);
    variable.scope = scope();
    const Symbol symbol{Symbol::Kind::variable,
                        static_cast<std::uint32_t>(function_->variables.size())};
    const bool fresh = variable.range != 0
                           ? symbols_.declare_range(variable.name, symbol, variable.range)
                           : symbols_.declare(variable.name, symbol);
    if (!fresh) fail_duplicate(variable.name, variable.at);
    add(Statement::Kind::variable, function_->variables.size());
    function_->variables.push_back(std::move(variable));
  } while (tokens_.accept(","));
  tokens_.expect(";", "at the end of the declaration");
}

void FunctionParser::label() {
  const Token name = tokens_.take();
  tokens_.take();
  const Token& next = tokens_.peek();
  if (next.is(".branchtargets") || next.is(".calltargets") || next.is(".callprototype")) {
    return target_list(name);
  }
  const auto index = static_cast<std::uint32_t>(function_->labels.size());
  if (!symbols_.declare_label(name.text, {Symbol::Kind::label, index})) {
    fail_duplicate(name.text, name.at);
  }
  Label label;
  label.name = name.text;
  label.scope = scope();
  label.instruction = static_cast<std::uint32_t>(function_->instructions.size());
  label.at = name.at;
  add(Statement::Kind::label, index);
  function_->labels.push_back(label);
}

void FunctionParser::name_list(Targets& targets, std::vector<Token>& names) {
  do {
    const Token name = tokens_.expect(Token::Kind::identifier, "a name");
    if (!tokens_.accept("<")) {
      targets.names.emplace_back(name.text);
      names.push_back(name);
      continue;
    }
    const std::uint32_t count = parse_range(tokens_);
    if (count > kMostShorthand - shorthand_targets_) tokens_.fail_at(name, "too many targets");
    shorthand_targets_ += count;
    for (std::uint32_t i = 0; i < count; ++i) {
      targets.names.push_back(std::string(name.text) + std::to_string(i));
      names.push_back(name);
    }
  } while (tokens_.accept(","));
}

void FunctionParser::target_list(const Token& name) {
  Targets targets;
  targets.name = name.text;
  targets.at = name.at;
  targets.scope = scope();
  const Token word = tokens_.take();
  std::vector<Token> names;
  if (word.is(".callprototype")) {
    targets.kind = Targets::Kind::prototype;
    Signature& prototype = targets.prototype;
    if (tokens_.peek().is("(")) prototype.results = parse_parameters(tokens_, true);
    tokens_.expect("_", "for the name in .callprototype");
    prototype.has_parameter_list = tokens_.peek().is("(");
    if (prototype.has_parameter_list) prototype.parameters = parse_parameters(tokens_, true);
    while (parse_performance(tokens_, prototype.performance)) {
    }
  } else {
    targets.kind = word.is(".branchtargets") ? Targets::Kind::branch : Targets::Kind::call;
    name_list(targets, names);
  }
  tokens_.expect(";", "at the end of the targets");
  const auto index = static_cast<std::uint32_t>(function_->targets.size());
  if (!symbols_.declare_label(name.text, {Symbol::Kind::targets, index})) {
    fail_duplicate(name.text, name.at);
  }
  add(Statement::Kind::targets, index);
  function_->targets.push_back(std::move(targets));
  target_tokens_.push_back(std::move(names));
}

/// .loc 1 9 3, function_name $L__info_string0 + 4, inlined_at 1 21 3
void FunctionParser::location() {
  tokens_.take();
  const auto number = [&] {
    return static_cast<std::uint32_t>(parse_count(tokens_, "a number of .loc", kAnyNumber));
  };
  Location location;
  location.file = number();
  location.line = number();
  location.column = number();
  while (tokens_.peek().is(",")) {
    tokens_.take();
    if (tokens_.accept("function_name")) {
      const Token name = tokens_.take();
      if (name.kind != Token::Kind::identifier && name.kind != Token::Kind::dotted) {
        tokens_.fail_at(name, "expected a label of .debug_str");
      }
      location.function_name = name.text;
      if (tokens_.accept("+")) {
        location.function_offset = parse_integer(tokens_, "an offset").as_signed();
      }
    } else {
      tokens_.expect("inlined_at", "or `function_name` in .loc");
      location.inlined = true;
      location.at_file = number();
      location.at_line = number();
      location.at_column = number();
    }
  }
  add(Statement::Kind::location, function_->locations.size());
  function_->locations.push_back(location);
}

void FunctionParser::instruction() {
  Instruction instruction;
  const Token start = tokens_.peek();
  branching_ = false;
  if (start.is("@")) guard(instruction);
  const Token opcode = tokens_.expect(Token::Kind::identifier, "an opcode");
  std::vector<std::string_view> modifiers;
  while (tokens_.peek().kind == Token::Kind::dotted) {
    modifiers.push_back(tokens_.take().text.substr(1));
  }
  instruction.mnemonic = mnemonics_.index_of(module_.mnemonics, opcode.text, modifiers);
  instruction.scope = scope();
  branching_ = opcode.is("bra");
  if (opcode.is("call")) {
    call_operands(instruction);
  } else {
    operands(instruction);
  }
  tokens_.expect(";", "at the end of the instruction");
  instruction.span = {start.at, start.offset, tokens_.last_end() - start.offset};
  add(Statement::Kind::instruction, function_->instructions.size());
  function_->instructions.push_back(instruction);
}

}  // namespace lc::ptx
