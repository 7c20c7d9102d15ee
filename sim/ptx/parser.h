#pragma once

#include <string>

#include "sim/ptx/module.h"

namespace lc::ptx {

/// PTX text, versions 3.1 to 9.x, to a module.  `file` is what messages call it.  Zero bytes at the
/// end are cut off, as images in fat binaries have them.  Throws ParseError.
Module parse(std::string text, std::string file);

}  // namespace lc::ptx
