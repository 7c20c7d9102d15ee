#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sim/ptx/module.h"
#include "sim/ptx/symbols.h"
#include "sim/ptx/token_stream.h"

namespace lc::ptx {

/// A name that only the whole module can resolve: a function, or a module's variable.
struct PendingName {
  enum class Where : std::uint8_t { operand, call_target };
  Where where = Where::operand;
  std::uint32_t function = 0;         ///< index into Module::functions
  std::uint32_t index = 0, part = 0;  ///< the operand; or the list and its entry
  Token token;
};

/// Functions and variables of a module by name.
class ModuleNames {
 public:
  explicit ModuleNames(const Module& module);

  /// Index of the definition, else of the first declaration.
  std::optional<std::uint32_t> function(std::string_view name) const;
  std::optional<std::uint32_t> variable(std::string_view name) const;

 private:
  using Table = std::unordered_map<std::string_view, std::uint32_t>;
  Table functions_, variables_;
};

/// Gives the pending names of all functions, the initialisers and the aliases their indices.
void resolve_module(TokenStream& tokens, Module& module, const std::vector<PendingName>& pending);

/// Mnemonics of a module by spelling.
class MnemonicTable {
 public:
  std::uint32_t index_of(std::vector<Mnemonic>& mnemonics, std::string_view opcode,
                         const std::vector<std::string_view>& modifiers);

 private:
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::string key_;
};

/// The body of one function, from `{` to `}`.
class FunctionParser {
 public:
  FunctionParser(TokenStream& tokens, Module& module, MnemonicTable& mnemonics,
                 std::vector<PendingName>& pending, std::uint32_t function_index)
      : tokens_(tokens),
        module_(module),
        mnemonics_(mnemonics),
        pending_(pending),
        function_index_(function_index) {}

  void run(Function& function);

 private:
  struct Waiting {
    std::uint32_t scope;
    bool label;  ///< nothing else will do
    Token token;
  };

  // function_parser.cpp
  void declare_signature();
  void statement();
  void directive();
  void open_scope();
  void close_scope();
  void label();
  void target_list(const Token& name);
  void name_list(Targets& targets, std::vector<Token>& tokens);
  void instruction();
  void location();
  void register_declaration();
  void variable_declaration();
  void add_registers(Registers registers);
  void add(Statement::Kind kind, std::size_t index);
  std::uint32_t scope() const { return open_scopes_.back(); }
  [[noreturn]] void fail_duplicate(std::string_view name, Position at);

  // operand_parser.cpp
  void guard(Instruction& instruction);
  void finish(Instruction& instruction, const std::vector<Operand>& list);
  void operands(Instruction& instruction);
  void call_operands(Instruction& instruction);
  Operand operand();
  Operand primary();
  Operand name_operand();
  Operand address_operand();
  Operand vector_operand();
  Operand argument_list();
  Operand element_operand(Operand array);
  Operand constant_operand();
  Operand signed_register();
  [[noreturn]] void fail_no_register(const Token& name);
  void add_offset(Operand& operand);
  void resolve(Operand& operand, const Token& token);
  void set_children(Operand& parent, const std::vector<Operand>& children);
  void append(const std::vector<Operand>& list, std::uint32_t& first, std::uint32_t& count);

  // name_resolver.cpp
  void resolve_labels();
  void resolve_targets();

  TokenStream& tokens_;
  Module& module_;
  MnemonicTable& mnemonics_;
  std::vector<PendingName>& pending_;
  std::uint32_t function_index_;
  Function* function_ = nullptr;
  Symbols symbols_;
  std::vector<std::uint32_t> open_scopes_;
  std::vector<Waiting> waiting_;                   ///< names of unresolved operands
  std::vector<std::vector<Token>> target_tokens_;  ///< of the names of each target list
  std::uint32_t shorthand_targets_ = 0;
  bool branching_ = false;  ///< the instruction at hand is bra: names are labels
  Operand guard_;
};

}  // namespace lc::ptx
