#include "sim/ptx/function_parser.h"
#include "sim/ptx/special_registers.h"

namespace lc::ptx {
namespace {

constexpr std::string_view kLabelHint = "a label of this scope or of one around it";

std::string near_special_register(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SpecialRegisterRow& row : kSpecialRegisters) {
    if (row.count > 0 && name.starts_with(row.name) && name.ends_with(row.tail)) {
      const auto numbered = [&](std::uint32_t n) {
        return std::string(row.name) + std::to_string(n) + std::string(row.tail);
      };
      return numbered(0) + " to " + numbered(row.count - 1);
    }
    names.push_back(row.name);
  }
  return std::string(nearest(name, names));
}

[[noreturn]] void fail_unknown(const TokenStream& tokens, const Token& token,
                               std::string_view wanted) {
  std::string hint;
  if (token.text.starts_with('%')) {
    hint = near_special_register(token.text);
    if (hint.empty())
      hint = "declare it with .reg before this line, in this scope or one around it";
  }
  tokens.fail_at(token, "no " + std::string(wanted) + " is called " + quoted(token.text) + " here",
                 hint);
}

Token token_at(const Module& module, std::string_view name, Position at) {
  Token token;
  token.text = name;
  token.at = at;
  token.offset = static_cast<std::uint32_t>(name.data() - module.text->data());
  return token;
}

}  // namespace

/// Labels of the body; what is left is a name of the module.
void FunctionParser::resolve_labels() {
  for (std::uint32_t i = 0; i < function_->operands.size(); ++i) {
    Operand& operand = function_->operands[i];
    if (operand.kind != Operand::Kind::unresolved) continue;
    const Waiting& waiting = waiting_[operand.index];
    const auto symbol = symbols_.find_label(waiting.token.text, waiting.scope, function_->scopes);
    if (!symbol && waiting.label) {
      tokens_.fail_at(waiting.token, "no label is called " + quoted(waiting.token.text) + " here",
                      std::string(kLabelHint));
    }
    if (!symbol) {
      pending_.push_back({PendingName::Where::operand, function_index_, i, 0, waiting.token});
      continue;
    }
    operand.index = symbol->index;
    operand.kind =
        symbol->kind == Symbol::Kind::label ? Operand::Kind::label : Operand::Kind::targets;
  }
}

void FunctionParser::resolve_targets() {
  for (std::uint32_t list = 0; list < function_->targets.size(); ++list) {
    Targets& targets = function_->targets[list];
    targets.indices.assign(targets.names.size(), 0);
    for (std::uint32_t i = 0; i < targets.names.size(); ++i) {
      const Token& token = target_tokens_[list][i];
      if (targets.kind == Targets::Kind::call) {
        pending_.push_back({PendingName::Where::call_target, function_index_, list, i, token});
        continue;
      }
      const auto symbol = symbols_.find_label(targets.names[i], targets.scope, function_->scopes);
      if (!symbol || symbol->kind != Symbol::Kind::label) {
        tokens_.fail_at(token, "no label is called " + quoted(targets.names[i]) + " here",
                        std::string(kLabelHint));
      }
      targets.indices[i] = symbol->index;
    }
  }
}

ModuleNames::ModuleNames(const Module& module) {
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    const auto [found, fresh] = functions_.try_emplace(module.functions[i].name, i);
    if (!fresh && module.functions[i].has_body) found->second = i;
  }
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    const auto [found, fresh] = variables_.try_emplace(module.variables[i].name, i);
    if (!fresh && module.variables[i].linkage != Linkage::extern_) found->second = i;
  }
}

std::optional<std::uint32_t> ModuleNames::function(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> ModuleNames::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

void resolve_module(TokenStream& tokens, Module& module, const std::vector<PendingName>& pending) {
  const ModuleNames names(module);
  for (const PendingName& name : pending) {
    Function& function = module.functions[name.function];
    const auto callee = names.function(name.token.text);
    if (name.where == PendingName::Where::call_target) {
      Targets& targets = function.targets[name.index];
      const auto target = names.function(targets.names[name.part]);
      if (!target) fail_unknown(tokens, name.token, "function");
      targets.indices[name.part] = *target;
      continue;
    }
    Operand& operand = function.operands[name.index];
    const auto variable = names.variable(name.token.text);
    if (!callee && !variable) {
      fail_unknown(tokens, name.token, "register, variable, label or function");
    }
    operand.kind = callee ? Operand::Kind::function : Operand::Kind::variable;
    operand.place = Place::module;
    operand.index = callee ? *callee : *variable;
  }
  for (InitialAddress& address : module.addresses) {
    const auto function = names.function(address.name);
    const auto variable = names.variable(address.name);
    if (!function && !variable) {
      fail_unknown(tokens, token_at(module, address.name, address.at), "variable or function");
    }
    address.is_function = !variable.has_value();
    address.index = variable ? *variable : *function;
  }
  for (Alias& alias : module.aliases) {
    const auto from = names.function(alias.name), to = names.function(alias.target);
    if (!from) fail_unknown(tokens, token_at(module, alias.name, alias.at), "function");
    if (!to) fail_unknown(tokens, token_at(module, alias.target, alias.at), "function");
    alias.function = *from;
    alias.target_function = *to;
  }
}

}  // namespace lc::ptx
