#pragma once

#include <span>
#include <string_view>

namespace lc::isa {

class Binder;

/// One row of the instruction table: everything there is to know about an instruction.
struct Op {
  std::string_view name;       ///< "add", "tcgen05"
  std::string_view modifiers;  ///< see modifiers.h: "[sat] type=u32|s32"
  /// Operands as the manual writes them, separated by commas: `d` a register or value, `[a]` an
  /// address, `{d}` a vector, `d|p` a pair whose second may be missing, `x?` one that may be
  /// missing at the end.  Only count and brackets are compared; the binder looks closer.
  std::string_view form;
  /// Chooses the handler and places the operands, once, when a program is loaded.
  void (*bind)(Binder&);
  /// What a reader of the table of instructions should know: "bits differ from hardware", "no
  /// effect here"; empty: as the hardware does it.
  std::string_view note = {};
};

/// All families, in the order of the documentation.
struct Family {
  std::string_view name;  ///< "Integer arithmetic"
  std::span<const Op> ops;
};
std::span<const Family> families();

}  // namespace lc::isa
