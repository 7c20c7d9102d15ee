#pragma once

#include <string>
#include <string_view>

#include "sim/ptx/module.h"

// Canonical text of what is not an instruction; each appends to `out`, without a line's end unless
// it says so.
namespace lc::ptx {

void print_constant(std::string& out, Constant constant);
/// "+12", "+-4"; nothing for 0.
void print_offset(std::string& out, std::uint64_t offset);
/// With its semicolon.
void print_registers(std::string& out, const Registers& registers);
void print_variable(std::string& out, const Module& module, const Variable& variable);
/// `(results) name(parameters)` and the directives that follow, each after `separator`.
void print_signature(std::string& out, const Module& module, const Signature& signature,
                     std::string_view name, std::string_view separator);
void print_performance(std::string& out, const Performance& item);
/// With its semicolon.
void print_targets(std::string& out, const Module& module, const Targets& targets);
void print_location(std::string& out, const Location& location);
/// With the line's end.
void print_file(std::string& out, const SourceFile& file);

}  // namespace lc::ptx
