#pragma once

#include "verify/json.h"
#include "verify/text.h"

namespace lc::verify {

/// Every instruction the virtual GPU knows, from its table.
int print_instruction_table(const Output& output);

/// Which instructions of a file the virtual GPU knows: 0 all, 1 some it does not.
int print_known_instructions(const Question& question, const Output& output);

}  // namespace lc::verify
