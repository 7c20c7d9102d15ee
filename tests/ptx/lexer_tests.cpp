#include "sim/ptx/lexer.h"

#include "tests/golden.h"
#include "tests/test.h"

namespace lc::tests {
namespace {

using Kind = ptx::Token::Kind;

std::vector<ptx::Token> tokens_of(std::string_view text) {
  ptx::Lexer lexer(text, "text");
  std::vector<ptx::Token> tokens;
  for (ptx::Token t = lexer.next(); t.kind != Kind::end; t = lexer.next()) tokens.push_back(t);
  return tokens;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lexer_tests)

BOOST_AUTO_TEST_CASE(one_token_is_one_token) {
  struct Case {
    const char* text;
    Kind kind;
  };
  const Case cases[] = {
      {"a", Kind::identifier},
      {"_", Kind::identifier},
      {"%r12", Kind::identifier},
      {"$L__BB0_2", Kind::identifier},
      {"_Z3fooPi", Kind::identifier},
      {".s32", Kind::dotted},
      {".shared::cta", Kind::dotted},
      {".multicast::cluster::all", Kind::dotted},
      {".2d", Kind::dotted},
      {".32x32b", Kind::dotted},
      {".128x256b", Kind::dotted},
      {".b8x16", Kind::dotted},
      {".warpx2::02_13", Kind::dotted},
      {".16x64b", Kind::dotted},
      {".L2::128B", Kind::dotted},
      {".5", Kind::floating},
      {".05e-3", Kind::floating},
      {"1.", Kind::floating},
      {"1.5", Kind::floating},
      {"1e3", Kind::floating},
      {"0f3F800000", Kind::floating},
      {"0D3FF0000000000000", Kind::floating},
      {"0", Kind::integer},
      {"017", Kind::integer},
      {"0x1fU", Kind::integer},
      {"0B101", Kind::integer},
      {"12U", Kind::integer},
      {"\"a \\ b\"", Kind::string},
      {"<<", Kind::punctuation},
      {"&&", Kind::punctuation},
      {"%", Kind::punctuation},
      {"@", Kind::punctuation},
  };
  for (const Case& c : cases) {
    const std::vector<ptx::Token> tokens = tokens_of(c.text);
    BOOST_TEST_REQUIRE(tokens.size() == 1u, c.text);
    BOOST_TEST((tokens[0].kind == c.kind), c.text);
    BOOST_TEST(tokens[0].text == c.text);
  }
}

/// Places against a count of the text's own, and nothing but white space and comments between.
BOOST_AUTO_TEST_CASE(every_token_knows_its_line_and_column) {
  for (const char* name : {"ptx/calls.ptx", "ptx/operands.ptx", "ptx/opcodes_sm_100.ptx"}) {
    const std::string text = read_text(name);
    std::vector<ptx::Position> places;
    ptx::Position here{1, 1};
    for (const char c : text) {
      places.push_back(here);
      ++here.column;
      if (c == '\n') here = {here.line + 1, 1};
    }
    std::size_t end = 0;
    for (const ptx::Token& token : tokens_of(text)) {
      BOOST_TEST_REQUIRE(token.offset >= end);
      BOOST_TEST_REQUIRE(token.at.line == places[token.offset].line);
      BOOST_TEST_REQUIRE(token.at.column == places[token.offset].column);
      BOOST_TEST_REQUIRE(token.text == text.substr(token.offset, token.text.size()));
      const std::string between = text.substr(end, token.offset - end);
      BOOST_TEST_REQUIRE((between.find_first_not_of(" \t\n") == std::string::npos ||
                          between.find("//") != std::string::npos));
      end = token.end_offset();
    }
  }
}

BOOST_AUTO_TEST_CASE(comments_and_preprocessor_lines_are_white_space) {
  BOOST_TEST(tokens_of("a /* b\n */ c // d\n# 1 \"f\"\n  #line 3\ne\r\n").size() == 3u);
  BOOST_TEST(tokens_of("@@DWARF .byte 0x2b\nx").size() == 1u);
  BOOST_CHECK_THROW(tokens_of("a #b"), ptx::ParseError);
}

BOOST_AUTO_TEST_CASE(neighbours_need_no_space) {
  BOOST_TEST(tokens_of("@!p ld.global.v4{a,b}[r+-4];").size() == 18u);
  BOOST_TEST(tokens_of("p|q").size() == 3u);
  BOOST_TEST(tokens_of("L:bra").size() == 3u);
  BOOST_TEST(tokens_of(".param.u32.ptr.global").size() == 4u);
}

BOOST_AUTO_TEST_CASE(a_long_line_is_shown_in_part) {
  const std::string text = std::string(5000, ' ') + "0xFFu" + std::string(5000, ' ');
  try {
    tokens_of(text);
    BOOST_ERROR("accepted");
  } catch (const ptx::ParseError& error) {
    BOOST_TEST(error.at.column == 5001u);
    BOOST_TEST(error.source_line.size() < 300u);
    BOOST_TEST(error.source_line.find("0xFFu") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace lc::tests
