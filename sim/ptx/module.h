#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/constant.h"
#include "sim/ptx/error.h"
#include "sim/ptx/types.h"

// What PTX text says, as plain values; no meaning of instructions here.
//
// A function body is flat.  `statements` is the text in order; each names an entry of the list of
// its kind, so a reader who only wants to run it walks `instructions`, and a branch is an index
// into them:
//
//     {                            open 0
//       .reg .pred P1;             registers 0        registers[0]: P1, slot 7, scope 1
//     LAB_WAIT:                    label 0            labels[0].instruction == 4
//       @P1 bra DONE;              instruction 4      operands: label 1
//       bra LAB_WAIT;              instruction 5
//     DONE:                        label 1            labels[1].instruction == 6
//     }                            close 0
//
// Names are views into the text, which the module keeps alive; copies share it.  Lists of operands
// are ranges of Function::operands: see operands_of and children_of.
namespace lc::ptx {

/// A stretch of the text.  Like positions, takes no part in comparisons.
struct Span {
  Position at;
  std::uint32_t offset = 0, length = 0;
  friend constexpr bool operator==(const Span&, const Span&) { return true; }
};

/// What a name in an operand or initialiser stands for.
enum class Place : std::uint8_t { module, function, parameter, result };

struct Operand {
  enum class Kind : std::uint8_t {
    sink,        ///< _
    reg,         ///< index = slot
    special,     ///< %tid.x; name says which
    variable,    ///< address of a variable or parameter, + value bytes; place and index say which
    function,    ///< index into Module::functions
    label,       ///< index into Function::labels
    targets,     ///< label of .branchtargets, .calltargets or .callprototype; index into targets
    constant,    ///< value
    address,     ///< [base + value, …]: children are the base and what follows the commas
    element,     ///< name[index]: children are the array and the index (+ value)
    vector,      ///< {a, b, …}
    pair,        ///< d|p
    arguments,   ///< (a, b, …) of call
    unresolved,  ///< inside the parser only
  };
  Kind kind = Kind::sink;
  Place place = Place::module;
  bool negated : 1 = false;                     ///< !p
  bool minus : 1 = false;                       ///< -r, as vmad takes it
  Constant::Kind number = Constant::Kind::s64;  ///< of value, for constants
  std::uint32_t index = 0;
  std::uint32_t first = 0, count = 0;  ///< children: a range of Function::operands; of a variable
                                       ///< declared as name<n>, first says which of them
  Position at;
  std::uint64_t value = 0;  ///< bits of a constant; byte offset, two's complement
  std::string_view name;    ///< as written, without suffix
  std::string_view suffix;  ///< x of v.x, b0 of r.b0, unified of [a].unified

  Constant constant() const { return {number, value}; }
  bool operator==(const Operand&) const = default;
};

/// An opcode with its modifiers.  Each distinct spelling is kept once per module, so whatever an
/// opcode means can be looked up once per spelling.
struct Mnemonic {
  std::string_view opcode;                  ///< "tcgen05"
  std::vector<std::string_view> modifiers;  ///< "mma", "cta_group::1", "kind::f16" as written

  bool has(std::string_view modifier) const;
  /// "tcgen05.mma.cta_group::1.kind::f16"
  std::string text() const;
  /// Same opcode and the same modifiers, counted, in any order.
  bool same_set(const Mnemonic& other) const;
  bool operator==(const Mnemonic&) const = default;
};

struct Instruction {
  std::uint32_t mnemonic = 0;       ///< index into Module::mnemonics
  std::uint32_t first_operand = 0;  ///< the guard, if any, lies just before
  std::uint32_t operand_count = 0;
  std::uint32_t scope = 0;  ///< index into Function::scopes
  bool guarded = false;
  Span span;
  bool operator==(const Instruction&) const = default;
};

/// One name, or a range %r<10> of them.
struct Registers {
  Type type = Type::none;
  std::uint32_t lanes = 1;  ///< 2 or 4 for .v2, .v4
  bool is_range = false;
  std::uint32_t count = 1;  ///< names
  std::uint32_t slot = 0;   ///< number of the first; each name takes `lanes` slots
  std::uint32_t scope = 0;
  std::string_view name;
  Position at;
  bool operator==(const Registers&) const = default;
};

/// A piece of an initialiser, in the order of the text; lists are bracketed by open and close.
struct InitialValue {
  enum class Kind : std::uint8_t { open, close, constant, address };
  Kind kind = Kind::constant;
  Constant::Kind number = Constant::Kind::s64;
  std::uint32_t index = 0;  ///< address: into Module::addresses
  std::uint64_t value = 0;  ///< bits of a constant
  bool operator==(const InitialValue&) const = default;
};

/// mask(generic(symbol) + offset)
struct InitialAddress {
  std::string_view name;
  bool is_function = false;
  std::uint32_t index = 0;  ///< into Module::variables or functions
  bool generic = false;
  std::uint64_t mask = 0;    ///< 0: none, else one of 0xff, 0xff00, …
  std::uint64_t offset = 0;  ///< bytes, two's complement
  Position at;
  bool operator==(const InitialAddress&) const = default;
};

/// A variable in memory, or a parameter.
struct Variable {
  Linkage linkage = Linkage::none;
  Space space = Space::none;
  Type type = Type::none;
  std::uint32_t lanes = 1;  ///< 2 or 4 for .v2, .v4
  std::uint32_t align = 0;  ///< bytes as written; 0: natural, see alignment_of
  std::string_view name;
  std::uint32_t range = 0;          ///< > 0: name<range>, that many variables
  bool unsized = false;             ///< the first dimension is [] and nothing says how long
  std::vector<std::uint64_t> dims;  ///< [4][8]; 0 for the first of an unsized array
  bool is_pointer = false;          ///< .ptr of a kernel parameter
  Space pointee_space = Space::none;
  std::uint32_t pointee_align = 0;  ///< 0: not said
  std::string_view attributes;      ///< text between the parentheses of .attribute
  bool initialised = false;
  std::vector<InitialValue> initial;
  std::uint32_t scope = 0;
  Position at;

  bool operator==(const Variable&) const = default;
};

struct Label {
  std::string_view name;
  std::uint32_t scope = 0;
  std::uint32_t instruction = 0;  ///< the one that follows; the number of instructions at the end
  Position at;
  bool operator==(const Label&) const = default;
};

struct Scope {
  std::uint32_t parent = 0;  ///< scope 0, the body, is its own
  Position at;
  bool operator==(const Scope&) const = default;
};

/// .maxntid 256, .reqnctapercluster 2, 1, 1, .explicitcluster …, and .pragma "…"
struct Performance {
  std::string_view name;  ///< without the dot
  std::vector<std::uint32_t> values;
  std::vector<std::string_view> strings;  ///< of .pragma, with quotes
  Position at;
  bool operator==(const Performance&) const = default;
};

/// What a function takes and gives; also the body of .callprototype.
struct Signature {
  std::vector<Variable> results, parameters;
  std::vector<Performance> performance;
  bool has_parameter_list = false;  ///< () was written
  bool operator==(const Signature&) const = default;
};

/// label: .branchtargets …; label: .calltargets …; label: .callprototype …;
struct Targets {
  enum class Kind : std::uint8_t { branch, call, prototype };
  Kind kind = Kind::branch;
  std::string_view name;
  std::uint32_t scope = 0;
  std::vector<std::string> names;      ///< N<3> is spelt out: N0, N1, N2
  std::vector<std::uint32_t> indices;  ///< labels or functions
  Signature prototype;
  Position at;
  bool operator==(const Targets&) const = default;
};

/// .loc: where the following instructions come from.
struct Location {
  std::uint32_t file = 0, line = 0, column = 0;
  std::string_view function_name;  ///< label of .debug_str, empty: none
  std::int64_t function_offset = 0;
  bool inlined = false;
  std::uint32_t at_file = 0, at_line = 0, at_column = 0;
  bool operator==(const Location&) const = default;
};

struct Statement {
  enum class Kind : std::uint8_t {
    instruction,
    label,
    registers,
    variable,
    open,   ///< index: scope
    close,  ///< index: scope
    location,
    pragma,
    targets,
  };
  Kind kind = Kind::instruction;
  std::uint32_t index = 0;
  bool operator==(const Statement&) const = default;
};

struct Function {
  Linkage linkage = Linkage::none;
  bool entry = false;
  bool has_body = false;
  std::string_view name;
  std::string_view attributes;
  Signature signature;
  Position at;

  std::vector<Statement> statements;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<Registers> registers;  ///< those of .reg parameters first
  std::uint32_t slot_count = 0;      ///< registers in all
  std::vector<Variable> variables;
  std::vector<Label> labels;
  std::vector<Scope> scopes;
  std::vector<Targets> targets;
  std::vector<Location> locations;
  std::vector<Performance> pragmas;

  std::span<const Operand> operands_of(const Instruction& instruction) const {
    return std::span(operands).subspan(instruction.first_operand, instruction.operand_count);
  }
  std::span<const Operand> children_of(const Operand& operand) const {
    if (operand.count == 0) return {};
    return std::span(operands).subspan(operand.first, operand.count);
  }
  /// nullptr: always executed.
  const Operand* guard_of(const Instruction& instruction) const {
    return instruction.guarded ? &operands[instruction.first_operand - 1] : nullptr;
  }
  /// The declaration that a register's slot belongs to.
  const Registers& registers_at(std::uint32_t slot) const;
  bool operator==(const Function&) const = default;
};

/// .file 1 "kernel.cu", timestamp, size
struct SourceFile {
  std::uint32_t index = 0;
  std::string_view name;  ///< with quotes
  std::optional<std::uint64_t> timestamp, size;
  bool operator==(const SourceFile&) const = default;
};

/// .section .debug_info { … }: kept as it stands.
struct DebugSection {
  std::string_view name;
  std::string_view body;
  bool operator==(const DebugSection&) const = default;
};

struct Alias {
  std::string_view name, target;
  std::uint32_t function = 0, target_function = 0;
  Position at;
  bool operator==(const Alias&) const = default;
};

struct ModuleItem {
  enum class Kind : std::uint8_t { variable, function, file, section, alias, pragma };
  Kind kind = Kind::variable;
  std::uint32_t index = 0;
  bool operator==(const ModuleItem&) const = default;
};

struct Module {
  std::shared_ptr<const std::string> text;
  std::string file;
  std::uint32_t version_major = 0, version_minor = 0;
  std::vector<std::string_view> targets;  ///< sm_100a, debug …
  std::uint32_t address_size = 32;

  std::vector<ModuleItem> items;  ///< in the order of the text
  std::vector<Variable> variables;
  std::vector<Function> functions;  ///< declarations and definitions
  std::vector<Mnemonic> mnemonics;
  std::vector<InitialAddress> addresses;
  std::vector<SourceFile> files;
  std::vector<DebugSection> sections;
  std::vector<Alias> aliases;
  std::vector<Performance> pragmas;

  /// The definition of that name, else its first declaration; nullptr: none.
  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
  const Mnemonic& mnemonic_of(const Instruction& instruction) const {
    return mnemonics[instruction.mnemonic];
  }
};

/// Says the same, whatever the places in the text.
bool operator==(const Module& a, const Module& b);

/// Bytes of one variable of the declaration; nullopt: unsized.
std::optional<std::uint64_t> size_of(const Variable& variable);
/// Bytes of an element: type times lanes.
std::uint64_t element_size_of(const Variable& variable);
/// The alignment it must have: as written, else that of its element.
std::uint64_t alignment_of(const Variable& variable);

}  // namespace lc::ptx
