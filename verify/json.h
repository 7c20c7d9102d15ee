#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lc::verify {

/// Questions: as parsed.  Answers: keys stay in the order they were written.
using Question = nlohmann::json;
using Answer = nlohmann::ordered_json;

}  // namespace lc::verify
