#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/vm/golden_program.h"

/// Element types, values and fills of golden programs; all throw std::runtime_error.
namespace lc::tests {

ElementType element_type_named(std::string_view name);
std::uint64_t unsigned_number(std::string_view text);
/// "1 2 0x7f800000 0*4" as the bits of elements.
std::vector<std::uint64_t> parse_values(ElementType type, std::string_view text);
std::vector<std::uint8_t> bytes_of_values(ElementType type,
                                          const std::vector<std::uint64_t>& values,
                                          std::uint64_t count);
std::vector<std::uint64_t> values_of_bytes(ElementType type,
                                           const std::vector<std::uint8_t>& bytes);
/// What FILL says, see golden_program.h.
std::vector<std::uint8_t> filled(ElementType type, std::uint64_t count, std::string_view fill);
/// Numbers whose difference is at most `relative` times the wanted one; NaNs are near each other.
bool is_near(ElementType type, std::uint64_t got, std::uint64_t want, double relative);

}  // namespace lc::tests
