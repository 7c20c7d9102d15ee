#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sim/numerics/dot_rule.h"
#include "sim/numerics/minifloat.h"

/// Operands that are hard on the rules.
namespace lc::tests {

/// How the codes of a tile are drawn.
enum class Recipe {
  bits,        ///< any code
  finite,      ///< any code but NaN and infinity
  window,      ///< exponents within a few of each other
  subnormal,   ///< half of them subnormal or zero
  powers,      ///< one significand bit
  small_int,   ///< integers from -8 to 8
  sparse_zero  ///< mostly zeros, of both signs
};

inline constexpr Recipe kRecipes[] = {Recipe::bits,       Recipe::finite, Recipe::window,
                                      Recipe::subnormal,  Recipe::powers, Recipe::small_int,
                                      Recipe::sparse_zero};

class OperandMaker {
 public:
  explicit OperandMaker(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  std::uint32_t code(numerics::Format format, Recipe recipe) {
    const numerics::FormatRow f = numerics::format_row(format);
    if (!f.is_float()) return below(2) == 0 ? any(f) : any(f) & 3;
    switch (recipe) {
      case Recipe::bits:
        return any(f);
      case Recipe::finite:
        break;
      case Recipe::window:
        return with_field(f, f.bias + static_cast<int>(below(7)) - 3);
      case Recipe::subnormal:
        return below(2) == 0 ? with_field(f, 0) : finite(f);
      case Recipe::powers:
        return finite(f) & ~(f.mantissa_mask() << f.unused_low_bits);
      case Recipe::small_int: {
        const double value = static_cast<double>(below(17)) - 8;
        return numerics::encode(format, value, numerics::Rounding::nearest_even,
                                numerics::Overflow::saturate);
      }
      case Recipe::sparse_zero:
        return below(4) != 0 ? any(f) & sign_bit(f) : finite(f);
    }
    return finite(f);
  }

  std::vector<std::uint32_t> codes(numerics::Format format, Recipe recipe, std::size_t n) {
    std::vector<std::uint32_t> out(n);
    for (std::uint32_t& c : out) c = code(format, recipe);
    return out;
  }

 private:
  static std::uint32_t sign_bit(const numerics::FormatRow& f) {
    return f.is_signed ? 1u << (f.bits - 1) : 0;
  }
  std::uint32_t any(const numerics::FormatRow& f) {
    return static_cast<std::uint32_t>(random_()) &
           static_cast<std::uint32_t>((std::uint64_t{1} << f.bits) - 1);
  }
  std::uint32_t finite(const numerics::FormatRow& f) {
    for (;;) {
      const std::uint32_t c = any(f);
      if (numerics::magnitude_code(f, c) <= f.max_magnitude()) return c;
    }
  }
  std::uint32_t with_field(const numerics::FormatRow& f, int field) {
    field = std::min(std::max(field, 0), static_cast<int>(f.exponent_mask()));
    const std::uint32_t magnitude =
        (static_cast<std::uint32_t>(field) << f.mantissa_bits) | (any(f) & f.mantissa_mask());
    const std::uint32_t kept = std::min(magnitude, f.max_magnitude());
    return (any(f) & sign_bit(f)) | kept << f.unused_low_bits;
  }

  std::mt19937 random_;
};

}  // namespace lc::tests
