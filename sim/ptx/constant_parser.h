#pragma once

#include <cstdint>

#include "sim/ptx/constant.h"
#include "sim/ptx/token_stream.h"

namespace lc::ptx {

/// Can a constant expression begin here?  `!p` and `-r` of registers are none.
bool at_constant(const TokenStream& tokens);

/// A constant expression, evaluated.
Constant parse_constant(TokenStream& tokens);

/// The same, an integer.
Constant parse_integer(TokenStream& tokens, std::string_view what);

/// An integer of 0 … limit.
std::uint64_t parse_count(TokenStream& tokens, std::string_view what, std::uint64_t limit);

}  // namespace lc::ptx
