#pragma once

#include <string>
#include <vector>

#include "verify/picture/grid.h"

namespace lc::verify {

/// The memory lines of an operand as an SVG picture: one cell per 16-byte bank sector, coloured by
/// the chunk it holds.  At most `max_lines` lines; a note says how many were left out.
std::string memory_svg(const std::string& title, const OperandMap& map,
                       const std::vector<MemoryLine>& lines, std::size_t max_lines);

}  // namespace lc::verify
