#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <vector>

/// Values that a question may hold, sensible and hostile ones alike.
namespace lc::fuzz {

using Random = std::minstd_rand;

/// Below `limit`, which is not 0.
std::size_t below(Random& random, std::size_t limit);

/// Every name that some field understands: architectures, elements, swizzles, modes.
const std::vector<std::string>& spelled_names();

/// Small numbers, powers of two and their neighbours, sizes past every limit.
std::uint64_t number(Random& random);

/// A number as a command line or a JSON string gives it: decimal, 0x…, negative, broken.
std::string number_text(Random& random);

/// A name, a number, a list or something odd.
nlohmann::json any_value(Random& random);

/// Replaces the value, or something inside it, by any value.
void change(nlohmann::json& value, Random& random);

}  // namespace lc::fuzz
