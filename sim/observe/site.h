#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/program.h"

namespace lc::observe {

/// An instruction of a program, as reports name it.
struct Site {
  std::uint32_t line = 0;  ///< of the PTX text
  std::string text;        ///< without blanks around it and the semicolon
};

Site site_of(const machine::Program& program, const machine::FunctionCode& function,
             const machine::Inst& inst);
/// A line of the program's text, without blanks around it and the semicolon.
std::string text_of_line(const machine::Program& program, std::uint32_t line);
/// "ld", "mbarrier", "cp.async.bulk": what a mnemonic begins with.
bool begins_with(std::string_view mnemonic, std::string_view words);
/// At most `width` bytes, with ".." at the end where something is left out.
std::string cut(const std::string& text, std::size_t width);

/// Rows of cells in aligned columns, two spaces apart; column `right` and later ones flush right,
/// but for the last.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t right);

}  // namespace lc::observe
