#pragma once

#include <string>

#include "sim/ptx/module.h"

namespace lc::ptx {

/// The canonical text of a module: one statement a line, constants evaluated (integers in decimal,
/// floating-point numbers by their bits), one name a declaration.  Parsed again it gives an equal
/// module.
std::string print(const Module& module);

/// One instruction as in `print`, without its line's indentation; for messages and traces.
std::string print(const Module& module, const Function& function, const Instruction& instruction);

}  // namespace lc::ptx
