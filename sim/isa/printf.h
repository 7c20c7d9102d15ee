#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lc::isa {

/// Where printf's arguments come from.
struct PrintfSource {
  std::function<std::uint64_t(std::uint32_t bytes)> take;  ///< 4 or 8 bytes, naturally aligned
  std::function<std::string(std::uint64_t address)> text;  ///< what %s points to
};

/// The text of a device printf; conversions that do not exist are printed as they stand.
std::string formatted(std::string_view format, const PrintfSource& source);
/// How many arguments a format takes.
std::size_t count_conversions(std::string_view format);

}  // namespace lc::isa
