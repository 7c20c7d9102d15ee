#pragma once

#include "verify/check/check_file.h"
#include "verify/json.h"
#include "verify/text.h"

namespace lc::verify {

/// A table of the file's tiles, then what is wrong with each wrong one.
void print_report(const FileReport& report, const Output& output);

/// The same as one JSON object.
Answer to_json(const FileReport& report);

}  // namespace lc::verify
