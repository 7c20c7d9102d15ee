#include "sim/ptx/constant_parser.h"
#include "tests/test.h"

namespace lc::tests {
namespace {

using ptx::Constant;

Constant value_of(const std::string& text) {
  ptx::TokenStream tokens(text, "text");
  const Constant value = ptx::parse_constant(tokens);
  BOOST_TEST_REQUIRE(tokens.at_end(), text);
  return value;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(constant_tests)

BOOST_AUTO_TEST_CASE(literals_are_signed_unless_they_do_not_fit) {
  struct Case {
    const char* text;
    Constant want;
  };
  const Case cases[] = {
      {"42", Constant::of(42)},
      {"0", Constant::of(0)},
      {"0x1234", Constant::of(0x1234)},
      {"0123", Constant::of(0123)},
      {"0b1011", Constant::of(11)},
      {"42U", Constant::of_unsigned(42)},
      {"0U", Constant::of_unsigned(0)},
      {"0xfabc123400000000", Constant::of_unsigned(0xfabc123400000000)},
      {"18446744073709551615", Constant::of_unsigned(~std::uint64_t{0})},
      {"9223372036854775807", Constant::of(0x7fffffffffffffff)},
      {"1.5", Constant::of_double(1.5)},
      {".5", Constant::of_double(0.5)},
      {"2.", Constant::of_double(2)},
      {"1e3", Constant::of_double(1000)},
      {"1.25E-2", Constant::of_double(0.0125)},
      {"0f3F800000", {Constant::Kind::f32, 0x3f800000}},
      {"0F7fc00000", {Constant::Kind::f32, 0x7fc00000}},
      {"0d3FF0000000000000", Constant::of_double(1)},
      {"WARP_SZ", Constant::of(32)},
  };
  for (const Case& c : cases) BOOST_TEST((value_of(c.text) == c.want), c.text);
}

// Each is true (1) for ptxas 13.0: `bar.sync (expression) ? 1 : 99;` is accepted only then.
BOOST_AUTO_TEST_CASE(expressions_are_those_of_the_assembler) {
  const char* const holds[] = {"(1|2)-4 < 0",
                               "(1<<64) == 1",
                               "(-1>>64) == -1",
                               "(-8>>65) == -4",
                               "(-9 % 4)==3",
                               "(-7/2) == -3",
                               "(1 & 3) - 2 < 0",
                               "(1^2) - 4 < 0",
                               "-1U > 0",
                               "2>1>0",
                               "1.5 < 2.5",
                               "(1==1) - 2 < 0",
                               "!5 == 0",
                               "0 || 3 && 0 == 0",
                               "1<<2+1 == 8",
                               "(.s64)(1U) - 2 < 0",
                               "010 == 8",
                               "0b11 == 3",
                               "(1 ? 2 : 1U) - 3 < 0",
                               "0x7fffffffffffffff + 1 < 0",
                               "1 ? 2 : 3",
                               "0 ? 0 : 1 ? 1 : 0"};
  const char* const fails[] = {"(7 % 4)-4 < 0", "(1<<64) == 0", "(~0) < 0", "0-1 < 1U",
                               "(1<<-1) == 0"};
  for (const char* text : holds) BOOST_TEST(value_of(text).truth(), text);
  for (const char* text : fails) BOOST_TEST(!value_of(text).truth(), text);
}

/// The parser against C++ on every expression a op b op c of small numbers.
BOOST_AUTO_TEST_CASE(precedence_and_associativity_are_those_of_c) {
  const auto apply = [](const std::string& op, long a, long b) -> long {
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "<<") return a << b;
    if (op == "&") return a & b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "==") return a == b;
    return a < b;
  };
  // Loosest first; operators of one row associate to the left.
  const std::vector<std::vector<std::string>> rows = {{"|"}, {"^"},  {"&"},      {"=="},
                                                      {"<"}, {"<<"}, {"+", "-"}, {"*"}};
  for (std::size_t first = 0; first < rows.size(); ++first) {
    for (std::size_t second = 0; second < rows.size(); ++second) {
      for (const std::string& op : rows[first]) {
        for (const std::string& other : rows[second]) {
          for (int n = 0; n < 64; ++n) {
            const long a = n % 4, b = n / 4 % 4, c = n / 16;
            const bool right_first = second > first;
            const long inner = right_first ? apply(other, b, c) : apply(op, a, b);
            if (inner < 0 && (op == "<<" || other == "<<")) continue;
            const long want = right_first ? apply(op, a, inner) : apply(other, inner, c);
            const std::string text = std::to_string(a) + " " + op + " " + std::to_string(b) + " " +
                                     other + " " + std::to_string(c);
            BOOST_TEST_REQUIRE(value_of(text).as_signed() == want, text);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_most_negative_number_divides_without_a_trap) {
  const Constant least = value_of("-9223372036854775807 - 1");
  BOOST_TEST(least.as_signed() == std::numeric_limits<std::int64_t>::min());
  BOOST_TEST((value_of("(-9223372036854775807 - 1) / -1") == least));
  BOOST_TEST(value_of("(-9223372036854775807 - 1) % -1").bits == 0x8000000000000000);
}

BOOST_AUTO_TEST_CASE(what_has_no_value_is_refused) {
  for (const char* text : {"1/0", "5 % 0", "1 + 1.5", "1.5 & 2.5", "~1.5", "-0f3F800000",
                           "0f3F800000 + 1.0", "1 +", "(1", "(.u32)1", "1.5 ? 1 : 2", "1 ? 1 : 2.0",
                           "0x", "0b2", "08", "1e999", "12ab", "0fxyz", "18446744073709551616"}) {
    BOOST_CHECK_THROW(value_of(text), ptx::ParseError);
  }
}

BOOST_AUTO_TEST_CASE(deep_nesting_is_refused_not_followed) {
  for (const char* piece : {"(", "-", "!", "1?", "1+("}) {
    std::string text;
    for (int i = 0; i < 1000000; ++i) text += piece;
    BOOST_CHECK_THROW(value_of(text + "1"), ptx::ParseError);
  }
  std::string sum = "0";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  BOOST_TEST(value_of(sum).as_signed() == 100000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace lc::tests
