#pragma once

#include <string>

#include "sim/layout/finding.h"
#include "verify/json.h"

namespace lc::verify {

/// "global_strides[1]"
std::string field_of(const Finding& finding);
/// The rule's sentence with its numbers filled in.
std::string message_of(const Finding& finding);

/// `[{"severity", "rule", "field", "message"}…]`
Answer to_json(const Findings& findings);

}  // namespace lc::verify
