#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/module.h"

// The modifiers of an instruction, matched against a row's pattern.
//
// A pattern is a list of slots, separated by spaces, that a spelling fills in any order:
//
//     sync            this modifier, once
//     [sat]           this modifier or none
//     rn|rz|rm|rp     one of these
//     [L1::#|wt]      one of these or none; # stands for digits
//     type=u32|s32    one of these; modifiers["type"] says which
//
// Where several slots take the same modifier the first free one gets it, so `cvt`'s
// "d=f32|s32 a=f32|s32" reads types in the order of the text.
namespace lc::isa {

class Modifiers {
 public:
  /// Whether it was written.
  bool has(std::string_view modifier) const;
  /// What filled the named slot; "" for none.
  std::string_view operator[](std::string_view slot) const;
  /// The type that filled the named slot.
  ptx::Type type(std::string_view slot = "type") const { return ptx::type_named((*this)[slot]); }
  /// The number that ends the modifier in the slot: 32 of "x32".
  std::uint32_t number(std::string_view slot) const;

 private:
  friend struct ModifierPattern;
  struct Filled {
    std::string_view slot, modifier;
  };
  std::vector<Filled> filled_;
};

/// How a match failed: `problem` is a sentence without a place, `hint` may be empty.
struct Mismatch {
  std::string problem, hint;
  int filled = 0;  ///< modifiers that fitted: the nearest row has the most
};

struct ModifierPattern {
  /// False, and why, when the spelling does not fit.
  static bool match(std::string_view pattern, const ptx::Mnemonic& spelling, Modifiers& result,
                    Mismatch& why);
};

}  // namespace lc::isa
