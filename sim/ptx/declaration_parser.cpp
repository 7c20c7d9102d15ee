#include "sim/ptx/declaration_parser.h"

#include <bit>

#include "sim/ptx/constant_parser.h"

namespace lc::ptx {
namespace {

constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostNames = std::uint64_t{1} << 24;  ///< of one range

std::uint32_t parse_alignment(TokenStream& tokens) {
  const Token at = tokens.peek();
  const std::uint64_t align = parse_count(tokens, "an alignment", kLargestAlignment);
  if (!std::has_single_bit(align)) tokens.fail_at(at, "an alignment is a power of two");
  return static_cast<std::uint32_t>(align);
}

void parse_pointee(TokenStream& tokens, DeclarationHead& head) {
  head.is_pointer = true;
  while (tokens.peek().kind == Token::Kind::dotted) {
    const std::string_view word = tokens.peek().text.substr(1);
    if (word == "align") {
      tokens.take();
      head.pointee_align = parse_alignment(tokens);
    } else if (space_named(word) != Space::none) {
      tokens.take();
      head.pointee_space = space_named(word);
    } else {
      return;
    }
  }
}

/// One dotted word of the head.
void parse_head_word(TokenStream& tokens, DeclarationHead& head) {
  const Token token = tokens.take();
  const std::string_view word = token.text.substr(1);
  if (word == "align") {
    head.align = parse_alignment(tokens);
  } else if (word == "attribute") {
    head.attributes = parse_attributes(tokens);
  } else if (word == "ptr") {
    parse_pointee(tokens, head);
  } else if (word == "v2" || word == "v4") {
    head.lanes = word == "v2" ? 2 : 4;
  } else {
    const Type type = type_named(word);
    if (type == Type::none) {
      std::vector<std::string_view> names;
      for (const TypeRow& row : kTypes) names.push_back(row.name);
      const std::string_view near = nearest(word, names);
      tokens.fail_at(token, "no type is called " + quoted(token.text),
                     near.empty() ? "" : "." + std::string(near));
    }
    if (head.type != Type::none) tokens.fail_at(token, "this declaration has two types");
    head.type = type;
  }
}

void parse_dimensions(TokenStream& tokens, Variable& variable) {
  std::uint64_t size = element_size_of(variable);
  while (tokens.peek().is("[")) {
    const Token open = tokens.take();
    std::uint64_t dim = 0;
    if (!tokens.peek().is("]")) {
      dim = parse_count(tokens, "the length of an array", kLargestSize);
    } else if (variable.dims.empty()) {
      variable.unsized = true;
    } else {
      tokens.fail("only the first dimension of an array may be left out");
    }
    tokens.expect("]", "after the length of the array");
    if (dim != 0 && size > kLargestSize / dim) tokens.fail_at(open, "this array is too large");
    size *= dim == 0 ? 1 : dim;
    variable.dims.push_back(dim);
  }
}

}  // namespace

std::uint32_t parse_range(TokenStream& tokens) {
  // A plain number: constant expressions know `>` as an operator.
  const Token count = tokens.expect(Token::Kind::integer, "a number of names");
  const Evaluated value = literal(count.text);
  if (!value.problem.empty() || value.value.bits == 0 || value.value.bits > kMostNames) {
    tokens.fail_at(count, "a range has 1 to " + std::to_string(kMostNames) + " names");
  }
  tokens.expect(">", "after the number of names");
  return static_cast<std::uint32_t>(value.value.bits);
}

std::string_view parse_attributes(TokenStream& tokens) {
  tokens.expect("(", "after .attribute");
  const std::uint32_t begin = tokens.peek().offset;
  std::uint32_t end = begin;
  for (int depth = 1; depth > 0;) {
    if (tokens.at_end()) tokens.fail("expected `)` at the end of .attribute");
    const Token token = tokens.take();
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    if (depth > 0) end = token.end_offset();
  }
  return tokens.text_between(begin, end);
}

DeclarationHead parse_head(TokenStream& tokens, Linkage linkage) {
  DeclarationHead head;
  head.linkage = linkage;
  head.space_token = tokens.take();
  head.space = space_named(head.space_token.text.substr(1));
  while (tokens.peek().kind == Token::Kind::dotted) parse_head_word(tokens, head);
  if (head.type == Type::none) tokens.fail("this declaration has no type", "a type such as .b32");
  if (head.type == Type::pred && head.space != Space::reg) {
    tokens.fail_at(head.space_token, "predicates live in registers only");
  }
  return head;
}

Variable parse_declarator(TokenStream& tokens, const DeclarationHead& head, bool sink_allowed) {
  Variable variable;
  variable.linkage = head.linkage;
  variable.space = head.space;
  variable.type = head.type;
  variable.lanes = head.lanes;
  variable.align = head.align;
  variable.attributes = head.attributes;
  variable.is_pointer = head.is_pointer;
  variable.pointee_space = head.pointee_space;
  variable.pointee_align = head.pointee_align;
  const Token name = tokens.expect(Token::Kind::identifier, "a name");
  if (name.text == "_" && !sink_allowed) tokens.fail_at(name, "`_` is not a name");
  variable.name = name.text;
  variable.at = name.at;
  if (tokens.accept("<")) {
    variable.range = parse_range(tokens);
    return variable;
  }
  parse_dimensions(tokens, variable);
  return variable;
}

std::vector<Registers> parse_register_names(TokenStream& tokens, const DeclarationHead& head) {
  std::vector<Registers> list;
  do {
    Registers registers;
    const Token name = tokens.expect(Token::Kind::identifier, "the name of a register");
    if (name.text == "_") tokens.fail_at(name, "`_` is not a name");
    registers.type = head.type;
    registers.lanes = head.lanes;
    registers.name = name.text;
    registers.at = name.at;
    if (tokens.accept("<")) {
      registers.is_range = true;
      registers.count = parse_range(tokens);
    }
    list.push_back(registers);
  } while (tokens.accept(","));
  return list;
}

std::vector<Variable> parse_parameters(TokenStream& tokens, bool sink_allowed) {
  std::vector<Variable> list;
  tokens.expect("(", "before the parameters");
  if (tokens.accept(")")) return list;
  do {
    const Token& token = tokens.peek();
    const Space space =
        token.kind == Token::Kind::dotted ? space_named(token.text.substr(1)) : Space::none;
    if (space != Space::param && space != Space::reg) {
      tokens.fail("expected .param or .reg, not " + TokenStream::shown(token));
    }
    const DeclarationHead head = parse_head(tokens, Linkage::none);
    list.push_back(parse_declarator(tokens, head, sink_allowed));
    if (list.back().range != 0) tokens.fail("a parameter has one name");
  } while (tokens.accept(","));
  tokens.expect(")", "after the parameters");
  return list;
}

}  // namespace lc::ptx
