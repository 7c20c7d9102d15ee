#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace lc {

/// One row of an enumeration's table of names.  Each enumeration `E` of the layout model has a
/// function `spellings(E)` returning an array of these; JSON, the command line, reports and
/// documentation all read that one array.
template <class E>
struct Spelled {
  E value;
  const char* name;
};

/// The name of a value, or "?" when the value is outside the enumeration.
template <class E>
constexpr const char* name_of(E value) {
  for (const auto& row : spellings(E{})) {
    if (row.value == value) return row.name;
  }
  return "?";
}

/// The value with that exact name.
template <class E>
constexpr std::optional<E> value_of(std::string_view name) {
  for (const auto& row : spellings(E{})) {
    if (name == row.name) return row.value;
  }
  return std::nullopt;
}

/// The GPU generation whose rules apply: Hopper (wgmma) or Blackwell (tcgen05).
enum class Arch : unsigned char { sm_90, sm_100 };

constexpr std::array<Spelled<Arch>, 2> spellings(Arch) {
  return {{{Arch::sm_90, "sm_90"}, {Arch::sm_100, "sm_100"}}};
}

/// The dimension that is contiguous in shared memory: K, or M/N.
enum class Major : unsigned char { k, mn };

constexpr std::array<Spelled<Major>, 2> spellings(Major) {
  return {{{Major::k, "k"}, {Major::mn, "mn"}}};
}

}  // namespace lc
