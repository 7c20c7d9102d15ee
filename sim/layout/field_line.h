#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/layout/bit_field.h"

namespace lc {

/// One line of a decoded word, ready for a table: which bits, what stood there, what it says.
struct FieldLine {
  BitField bits;
  std::uint64_t raw = 0;     ///< the field's bits as they stand in the word
  std::int64_t value = 0;    ///< what they count: bytes, rows, arrivals
  const char* meaning = "";  ///< a name or remark; empty when the value says it all
  bool is_reserved = false;  ///< must be zero
};

/// The lines of one word, lowest bit first.
template <std::size_t Capacity>
struct FieldLines {
  std::array<FieldLine, Capacity> items{};
  std::size_t count = 0;

  constexpr void add(const FieldLine& line) { items[count++] = line; }
  constexpr const FieldLine* begin() const { return items.data(); }
  constexpr const FieldLine* end() const { return items.data() + count; }
};

}  // namespace lc
