#pragma once

#include <cstdint>

#include "sim/layout/host_device.h"

namespace lc {

/// One field of a packed word: value = raw bits << scale.
struct BitField {
  const char* name;
  std::uint8_t lo;     ///< lowest bit
  std::uint8_t width;  ///< bits
  std::uint8_t scale;  ///< 4: the field counts units of 16 bytes

  LC_HD constexpr std::uint64_t mask() const { return (std::uint64_t{1} << width) - 1; }
  /// Bits of the word that this field covers.
  LC_HD constexpr std::uint64_t covered() const { return mask() << lo; }
  LC_HD constexpr std::uint64_t raw(std::uint64_t word) const { return (word >> lo) & mask(); }
  LC_HD constexpr std::uint64_t get(std::uint64_t word) const { return raw(word) << scale; }
  /// The field's bits for `value`; what does not fit is cut off, as the hardware encoders do.
  LC_HD constexpr std::uint64_t put(std::uint64_t value) const {
    return ((value >> scale) & mask()) << lo;
  }
  /// True when get(put(value)) == value.
  LC_HD constexpr bool holds(std::uint64_t value) const {
    return ((value >> scale) & mask()) << scale == value;
  }
};

}  // namespace lc
