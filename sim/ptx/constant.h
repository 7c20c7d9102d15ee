#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace lc::ptx {

/// A constant as PTX has them: a 64-bit integer, signed or unsigned, a double, or the exact bits of
/// a single-precision number (0f…), which take no part in expressions.
struct Constant {
  enum class Kind : std::uint8_t { s64, u64, f64, f32 };
  Kind kind = Kind::s64;
  std::uint64_t bits = 0;

  bool is_integer() const { return kind == Kind::s64 || kind == Kind::u64; }
  bool is_unsigned() const { return kind == Kind::u64; }
  std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
  double as_double() const { return std::bit_cast<double>(bits); }
  bool truth() const { return bits != 0; }

  static Constant of(std::int64_t value) { return {Kind::s64, static_cast<std::uint64_t>(value)}; }
  static Constant of_unsigned(std::uint64_t value) { return {Kind::u64, value}; }
  static Constant of_double(double value) {
    return {Kind::f64, std::bit_cast<std::uint64_t>(value)};
  }
  bool operator==(const Constant&) const = default;
};

/// A value, or what is wrong with it.
struct Evaluated {
  Constant value;
  std::string_view problem;  ///< empty: none
};

/// The value of an integer or floating token.  Integers are signed unless they do not fit or carry
/// a U (PTX ISA, "Integer Constants").
Evaluated literal(std::string_view text);

/// + - ! ~ before a constant.
Evaluated unary(char op, Constant a);

/// C's operators with the types of PTX ISA, "Constant Expressions".  Where the text is silent or
/// disagrees with itself the rule is what ptxas 13.0 answers: shifts take their amount modulo 64
/// and % gives an unsigned result.
Evaluated binary(std::string_view op, Constant a, Constant b);

/// Binding strength of a binary operator, 0: none.  A higher one binds tighter.
int precedence(std::string_view op);

}  // namespace lc::ptx
