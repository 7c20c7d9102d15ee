#pragma once

#include <string>
#include <vector>

#include "verify/commands/commands.h"
#include "verify/error.h"

namespace lc::verify {

/// What is wrong with a command line that the parser refused: a misspelt command or option, with
/// what was probably meant, a value that is missing or given twice.  `parser_says` is for the rest.
Error misuse(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
             const std::string& parser_says);

/// An error about a field of the question, in terms of the option that gives the field.
Error about_options(const Error& error, const Command& command);

/// The error as a terminal shows it, wrapped.
std::string error_text(const Error& error);

}  // namespace lc::verify
