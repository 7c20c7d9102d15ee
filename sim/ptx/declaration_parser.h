#pragma once

#include <string_view>
#include <vector>

#include "sim/ptx/module.h"
#include "sim/ptx/token_stream.h"

namespace lc::ptx {

inline constexpr std::uint64_t kLargestSize = (std::uint64_t{1} << 63) - 1;  ///< bytes of an array

/// What stands before the names of a declaration: space, alignment, type …
struct DeclarationHead {
  Linkage linkage = Linkage::none;
  Space space = Space::none;
  Token space_token;
  Type type = Type::none;
  std::uint32_t lanes = 1;
  std::uint32_t align = 0;
  std::string_view attributes;
  bool is_pointer = false;
  Space pointee_space = Space::none;
  std::uint32_t pointee_align = 0;
};

/// `.space [.align n] [.attribute(…)] [.v2|.v4] .type [.ptr [.space] [.align n]]`, in any order
/// after the space.  The stream stands at the space.
DeclarationHead parse_head(TokenStream& tokens, Linkage linkage);

/// `(…)` of .attribute: the text between the parentheses.
std::string_view parse_attributes(TokenStream& tokens);

/// One name with its dimensions or range, no initialiser.  `_` is a name where `sink_allowed`.
Variable parse_declarator(TokenStream& tokens, const DeclarationHead& head, bool sink_allowed);

/// `n>` of name<n>; the stream stands after the `<`.
std::uint32_t parse_range(TokenStream& tokens);

/// Names of a `.reg` declaration after its head, without the `;`.
std::vector<Registers> parse_register_names(TokenStream& tokens, const DeclarationHead& head);

/// `= value`; the stream stands after the `=`.  Names are left to be resolved: their entries of
/// `addresses` have no index yet.
void parse_initialiser(TokenStream& tokens, Variable& variable,
                       std::vector<InitialAddress>& addresses);

/// `.maxntid 256` and its kin, and `.pragma "…";`; false: something else stands here.
bool parse_performance(TokenStream& tokens, std::vector<Performance>& list);

/// `.pragma "…", "…";`, the stream stands at the word.
Performance parse_pragma(TokenStream& tokens);

/// `( … )` of parameters.
std::vector<Variable> parse_parameters(TokenStream& tokens, bool sink_allowed);

}  // namespace lc::ptx
