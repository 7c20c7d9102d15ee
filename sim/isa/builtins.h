#pragma once

#include <cstdint>
#include <string_view>

#include "sim/isa/binder.h"

namespace lc::isa {

/// A function that CUDA's device runtime provides.  Arguments are offsets of .param variables in
/// the caller's thread-local frame, in order; `result` is that of the result's, if it has one.
struct BuiltinCall {
  static constexpr std::size_t kMaxArguments = 5;
  std::array<std::uint32_t, kMaxArguments> arguments{};
  std::uint32_t result = 0;
};

struct Builtin {
  std::string_view name;
  std::size_t arguments;
  bool has_result;
  machine::Handler run;  ///< reads info<BuiltinCall>
};

/// nullptr: no such function.
const Builtin* builtin(std::string_view name);

}  // namespace lc::isa
