#include "sim/numerics/fused_tile.h"

#include <cassert>
#include <cmath>

#include "sim/numerics/accumulator.h"
#include "sim/numerics/tile_methods.h"

namespace lc::numerics {
namespace {

/// Terms that are not finite, gathered.
struct Infinities {
  bool plus = false, minus = false, nan = false;

  void add(SpecialValue value, bool flip) {
    switch (value) {
      case SpecialValue::none:
        break;
      case SpecialValue::nan:
        nan = true;
        break;
      case SpecialValue::plus_infinity:
        (flip ? minus : plus) = true;
        break;
      case SpecialValue::minus_infinity:
        (flip ? plus : minus) = true;
        break;
    }
  }
};

void add_product(SpecialValue a, float a_value, SpecialValue b, float b_value, bool flip,
                 Infinities& seen) {
  if (a == SpecialValue::none && b == SpecialValue::none) return;
  if (a == SpecialValue::nan || b == SpecialValue::nan) {
    seen.nan = true;
  } else if (a == SpecialValue::none) {
    seen.add(a_value == 0 ? SpecialValue::nan : b, flip != std::signbit(a_value));
  } else if (b == SpecialValue::none) {
    seen.add(b_value == 0 ? SpecialValue::nan : a, flip != std::signbit(b_value));
  } else {
    seen.add(a, flip != (b == SpecialValue::minus_infinity));
  }
}

}  // namespace

std::optional<std::uint32_t> special_result(const DotRule& rule, const Operand& a, const Operand& b,
                                            std::size_t m, std::size_t n, std::uint32_t c,
                                            const TileOptions& options) {
  Infinities seen;
  seen.nan = a.scale_is_nan(m) || b.scale_is_nan(n);
  if (a.special_row(m) || b.special_row(n)) {
    const std::uint16_t* position = positions_of_row(options, a, m);
    const bool flip = options.negate_a != options.negate_b;
    for (std::size_t k = 0; k < a.k(); ++k) {
      const std::size_t kb = position == nullptr ? k : position[k];
      add_product(a.special(m, k), a.value(m, k), b.special(n, kb), b.value(n, kb), flip, seen);
    }
  }
  if (options.read_c && is_special_word(rule.d, c)) {
    const Unpacked u = unpack(rule.d, c);
    const bool nan = u.number_class == NumberClass::nan;
    seen.add(nan ? SpecialValue::nan : SpecialValue::plus_infinity, u.negative);
  }
  const FormatRow f = format_row(rule.d);
  if (seen.nan || (seen.plus && seen.minus)) return f.canonical_nan;
  if (!seen.plus && !seen.minus) return std::nullopt;
  return detail::assemble(f, seen.minus, f.max_magnitude() + 1);
}

void fused_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                const TileOptions& options) {
  assert(a.side() == Side::a && b.side() == Side::b);
  assert(options.positions != nullptr || a.k() == b.k());
  switch (rule.method) {
    case Method::window:
      return window_tile(rule, a, b, cd, options);
    case Method::fp8_as_f16:
      return fp8_as_f16_tile(rule, a, b, cd, options);
    case Method::groups_of_16:
      return groups_of_16_tile(rule, a, b, cd, options);
    case Method::integer:
      return integer_tile(rule, a, b, cd, options);
  }
}

std::uint32_t fused_dot(const DotRule& rule, Format a_format, std::span<const std::uint32_t> a,
                        Format b_format, std::span<const std::uint32_t> b, std::uint32_t c,
                        const TileOptions& options) {
  Operand row, column;
  row.decode<std::uint32_t>(a_format, Side::a, 1, a.size(), a);
  column.decode<std::uint32_t>(b_format, Side::b, 1, b.size(), b);
  std::uint32_t d = c;
  fused_tile(rule, row, column, {&d, 1}, options);
  return d;
}

}  // namespace lc::numerics
