#pragma once

#include <array>
#include <cstdint>

#include "sim/layout/host_device.h"
#include "sim/layout/spelling.h"

namespace lc {

/// Element types of tensor-core operands, by the names the PTX ISA gives them.
enum class Element : std::uint8_t { f16, bf16, tf32, f32, e4m3, e5m2, e2m3, e3m2, e2m1, i8, u8 };

/// How 6- and 4-bit elements stand in shared memory.
///  packed : densely (kinds mxf4, mxf4nvf4: two e2m1 per byte, the even element in the low nibble)
///  byte   : 16 elements per 16-byte cell, as the 8-bit types (kinds f8f6f4, mxf8f6f4); e2m1 fills
///           the low 8 bytes of the cell and e2m3/e3m2 the low 12, the rest is padding
///           (PTX ISA 9.7.16.10.5; not measured)
enum class Container : std::uint8_t { packed, byte };

struct ElementFormat {
  Element element;
  const char* name;
  std::uint8_t bits;           ///< width of one value
  std::uint8_t exponent_bits;  ///< 0 for integers
  std::uint8_t mantissa_bits;  ///< explicit ones; value bits for integers
};

LC_HD constexpr ElementFormat element_format(Element element) {
  constexpr ElementFormat kRows[] = {
      {Element::f16, "f16", 16, 5, 10},   {Element::bf16, "bf16", 16, 8, 7},
      {Element::tf32, "tf32", 32, 8, 10}, {Element::f32, "f32", 32, 8, 23},
      {Element::e4m3, "e4m3", 8, 4, 3},   {Element::e5m2, "e5m2", 8, 5, 2},
      {Element::e2m3, "e2m3", 6, 2, 3},   {Element::e3m2, "e3m2", 6, 3, 2},
      {Element::e2m1, "e2m1", 4, 2, 1},   {Element::i8, "i8", 8, 0, 7},
      {Element::u8, "u8", 8, 0, 8},
  };
  return kRows[static_cast<int>(element)];
}

inline constexpr std::size_t kElementCount = 11;

constexpr std::array<Spelled<Element>, kElementCount> spellings(Element) {
  std::array<Spelled<Element>, kElementCount> rows{};
  for (std::size_t i = 0; i < kElementCount; ++i) {
    const ElementFormat f = element_format(static_cast<Element>(i));
    rows[i] = {f.element, f.name};
  }
  return rows;
}

/// Bits one element occupies in the layout: 8 for 6- and 4-bit elements in byte containers.
LC_HD constexpr std::uint32_t stored_bits(Element element,
                                          Container container = Container::packed) {
  const std::uint32_t bits = element_format(element).bits;
  return bits < 8 && container == Container::byte ? 8 : bits;
}

/// Elements in one 16-byte cell (`T` of the PTX ISA's canonical layouts); 0 for packed 6-bit
/// elements, of which no whole number fits.
LC_HD constexpr std::uint32_t elements_per_cell(Element element,
                                                Container container = Container::packed) {
  const std::uint32_t bits = stored_bits(element, container);
  return 128 % bits == 0 ? 128 / bits : 0;
}

/// Bit inside a 16-byte cell where element `i` (0..15) of a byte container starts: 4-bit elements
/// at 4 i, 6-bit ones at 6 i (PTX ISA 9.7.16.10.5, figures; not measured).
LC_HD constexpr std::uint32_t bit_in_byte_container_cell(Element element, std::uint32_t i) {
  return element_format(element).bits * i;
}

static_assert(elements_per_cell(Element::f16) == 8);
static_assert(elements_per_cell(Element::e2m1) == 32);
static_assert(elements_per_cell(Element::e2m1, Container::byte) == 16);

}  // namespace lc
