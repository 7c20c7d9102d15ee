#include "sim/ptx/constant.h"

#include <charconv>

namespace lc::ptx {
namespace {

constexpr std::string_view kTooLarge = "this constant does not fit 64 bits";
constexpr std::string_view kIntegersOnly = "this operator takes integers only";
constexpr std::string_view kMixed =
    "integers and floating-point numbers do not mix: there are no casts";

Evaluated integer_literal(std::string_view text) {
  const bool forced = text.ends_with('U');
  if (forced) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char second = text[1];
    base = second == 'x' || second == 'X' ? 16 : second == 'b' || second == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::result_out_of_range) return {{}, kTooLarge};
  if (error != std::errc() || end != text.data() + text.size()) {
    return {{}, "this is not a number"};
  }
  const bool is_unsigned = forced || value >> 63 != 0;
  return {
      is_unsigned ? Constant::of_unsigned(value) : Constant::of(static_cast<std::int64_t>(value)),
      {}};
}

Evaluated hexadecimal_float(std::string_view text) {
  const bool single = text[1] == 'f' || text[1] == 'F';
  text.remove_prefix(2);
  std::uint64_t bits = 0;
  std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  return {{single ? Constant::Kind::f32 : Constant::Kind::f64, bits}, {}};
}

Constant integer_like(Constant::Kind kind, std::uint64_t bits) {
  return {kind, bits};
}

Constant truth_of(bool value) {
  return Constant::of(value ? 1 : 0);
}

std::uint64_t quotient(Constant a, Constant b, bool is_unsigned) {
  if (is_unsigned) return a.bits / b.bits;
  if (b.bits == ~std::uint64_t{0}) return 0 - a.bits;  // also the most negative number / -1
  return static_cast<std::uint64_t>(a.as_signed() / b.as_signed());
}

bool ordered(std::string_view op, auto a, auto b) {
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  return (a == b) == (op == "==");
}

bool is_comparison(std::string_view op) {
  return op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=";
}

Evaluated binary_double(std::string_view op, double a, double b) {
  if (op == "+") return {Constant::of_double(a + b), {}};
  if (op == "-") return {Constant::of_double(a - b), {}};
  if (op == "*") return {Constant::of_double(a * b), {}};
  if (op == "/") return {Constant::of_double(a / b), {}};
  if (is_comparison(op)) return {truth_of(ordered(op, a, b)), {}};
  return {{}, kIntegersOnly};
}

Evaluated shifted(std::string_view op, Constant a, Constant b) {
  const unsigned amount = static_cast<unsigned>(b.bits & 63);
  if (op == "<<") return {integer_like(a.kind, a.bits << amount), {}};
  if (a.is_unsigned()) return {integer_like(a.kind, a.bits >> amount), {}};
  return {Constant::of(a.as_signed() >> amount), {}};
}

Evaluated binary_integer(std::string_view op, Constant a, Constant b) {
  const bool is_unsigned = a.is_unsigned() || b.is_unsigned();
  const Constant::Kind kind = is_unsigned ? Constant::Kind::u64 : Constant::Kind::s64;
  if ((op == "/" || op == "%") && b.bits == 0) return {{}, "division by zero"};
  if (op == "+") return {integer_like(kind, a.bits + b.bits), {}};
  if (op == "-") return {integer_like(kind, a.bits - b.bits), {}};
  if (op == "*") return {integer_like(kind, a.bits * b.bits), {}};
  if (op == "/") return {integer_like(kind, quotient(a, b, is_unsigned)), {}};
  if (op == "%") return {Constant::of_unsigned(a.bits % b.bits), {}};
  if (op == "&") return {integer_like(kind, a.bits & b.bits), {}};
  if (op == "|") return {integer_like(kind, a.bits | b.bits), {}};
  if (op == "^") return {integer_like(kind, a.bits ^ b.bits), {}};
  if (op == "&&") return {truth_of(a.truth() && b.truth()), {}};
  if (op == "||") return {truth_of(a.truth() || b.truth()), {}};
  if (op == "<<" || op == ">>") return shifted(op, a, b);
  return {is_unsigned ? truth_of(ordered(op, a.bits, b.bits))
                      : truth_of(ordered(op, a.as_signed(), b.as_signed())),
          {}};
}

}  // namespace

Evaluated literal(std::string_view text) {
  if (text.size() > 2 && text[0] == '0' &&
      (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D')) {
    return hexadecimal_float(text);
  }
  const bool hexadecimal = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
  if (hexadecimal || text.find_first_of(".eE") == std::string_view::npos) {
    return integer_literal(text);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return {{}, "this constant does not fit double precision"};
  }
  return {Constant::of_double(value), {}};
}

Evaluated unary(char op, Constant a) {
  if (a.kind == Constant::Kind::f32) {
    if (op == '+') return {a, {}};
    return {{}, "0f… constants take no part in expressions"};
  }
  if (a.kind == Constant::Kind::f64) {
    if (op == '+') return {a, {}};
    if (op == '-') return {Constant::of_double(-a.as_double()), {}};
    return {{}, kIntegersOnly};
  }
  switch (op) {
    case '-':
      return {integer_like(a.kind, 0 - a.bits), {}};
    case '!':
      return {truth_of(!a.truth()), {}};
    case '~':
      return {Constant::of_unsigned(~a.bits), {}};
    default:
      return {a, {}};
  }
}

Evaluated binary(std::string_view op, Constant a, Constant b) {
  if (a.kind == Constant::Kind::f32 || b.kind == Constant::Kind::f32) {
    return {{}, "0f… constants take no part in expressions"};
  }
  if (a.is_integer() != b.is_integer()) return {{}, kMixed};
  if (!a.is_integer()) return binary_double(op, a.as_double(), b.as_double());
  return binary_integer(op, a, b);
}

int precedence(std::string_view op) {
  struct Level {
    std::string_view op;
    int strength;
  };
  constexpr Level kLevels[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
                               {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
                               {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};
  for (const Level& level : kLevels) {
    if (level.op == op) return level.strength;
  }
  return 0;
}

}  // namespace lc::ptx
