#pragma once

#include <string_view>
#include <vector>

#include "sim/isa/function_binder.h"
#include "sim/isa/op.h"

namespace lc::isa {

/// The rows of an opcode, in the order of the table; none: no such opcode.
const std::vector<const Op*>& rows_of(std::string_view opcode);

/// Finds the row that fits and lets it bind the instruction; throws ptx::ParseError, naming what
/// the nearest row lacks.
void bind_instruction(FunctionBinder& function, const ptx::Instruction& instruction,
                      const ptx::Mnemonic& mnemonic, Inst& inst);

}  // namespace lc::isa
