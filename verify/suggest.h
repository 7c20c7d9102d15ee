#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lc::verify {

/// The name nearest to `text` by edit distance, when near enough to be a slip of the keys.
std::optional<std::string> closest(std::string_view text, const std::vector<std::string>& names);

/// "did you mean 128B?  one of none, 32B, …"
std::string one_of(std::string_view text, const std::vector<std::string>& names);

}  // namespace lc::verify
