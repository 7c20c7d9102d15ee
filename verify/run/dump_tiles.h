#pragma once

#include <string>

#include "sim/observe/smem_dump.h"

namespace lc::verify {

/// "exit", "mma", "line:40", "mbarrier:0x400:1", each with ",cta=X,Y,Z" behind it or not.  Throws
/// `Error` for anything else.
observe::DumpPoint parse_dump_point(const std::string& text);

/// Writes the tiles as a dump file (docs/dump-format.md).  Throws `Error` when the path cannot be
/// written.
void write_dump(const std::string& path, const observe::SmemDump& dump, Arch arch,
                const std::string& kernel, const std::string& device);

}  // namespace lc::verify
