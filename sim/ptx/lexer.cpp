#include "sim/ptx/lexer.h"

namespace lc::ptx {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_octal(char c) {
  return c >= '0' && c <= '7';
}
bool is_bit(char c) {
  return c == '0' || c == '1';
}
bool is_follow(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// Punctuation of two characters.
constexpr std::string_view kPairs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kSingles = "{}()[],;:@!~+-*/%&|^<>=?";

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view file) : text_(text), file_(file) {}

Position Lexer::position_of(std::size_t offset) const {
  return {line_, static_cast<std::uint32_t>(offset - line_start_ + 1)};
}

void Lexer::fail(const Token& token, std::string problem, std::string hint) const {
  std::size_t caret = 0;
  const std::string line = line_around(text_, token.offset, caret);
  throw ParseError(std::string(file_), token.at, std::move(problem),
                   "  " + line + "\n  " + std::string(caret, ' ') + "^", std::move(hint));
}

void Lexer::fail_here(std::string problem, std::string hint) const {
  Token token;
  token.offset = static_cast<std::uint32_t>(here_);
  token.at = position_of(here_);
  fail(token, std::move(problem), std::move(hint));
}

void Lexer::skip_line() {
  while (here_ < text_.size() && text_[here_] != '\n') ++here_;
}

void Lexer::skip_block_comment() {
  const std::size_t end = text_.find("*/", here_ + 2);
  if (end == std::string_view::npos) fail_here("this comment has no end", "close it with */");
  for (std::size_t i = here_; i < end; ++i) {
    if (text_[i] != '\n') continue;
    ++line_;
    line_start_ = i + 1;
  }
  here_ = end + 2;
}

void Lexer::skip_space() {
  while (here_ < text_.size()) {
    const char c = text_[here_];
    if (c == '\n') {
      ++here_;
      ++line_;
      line_start_ = here_;
      blank_so_far_ = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++here_;
    } else if (c == '/' && peek(1) == '/') {
      skip_line();
    } else if (c == '/' && peek(1) == '*') {
      skip_block_comment();
    } else if (blank_so_far_ && (c == '#' || text_.substr(here_, 7) == "@@DWARF")) {
      skip_line();  // what the C preprocessor leaves behind; debug lines of PTX 1.x
    } else {
      return;
    }
  }
}

std::size_t Lexer::run_of(std::size_t at, bool (*member)(char)) const {
  std::size_t length = 0;
  while (at + length < text_.size() && member(text_[at + length])) ++length;
  return length;
}

Token Lexer::token(Token::Kind kind, std::size_t length) {
  Token t;
  t.kind = kind;
  t.text = text_.substr(here_, length);
  t.offset = static_cast<std::uint32_t>(here_);
  t.at = position_of(here_);
  here_ += length;
  blank_so_far_ = false;
  return t;
}

Token Lexer::next() {
  skip_space();
  if (here_ >= text_.size()) return token(Token::Kind::end, 0);
  const char c = peek();
  if (is_letter(c) || c == '_' || c == '$' || (c == '%' && is_follow(peek(1)))) {
    return identifier();
  }
  if (is_digit(c)) return number();
  if (c == '.') return decimal_float_length() > 0 ? number() : dotted();
  if (c == '"') return string();
  return punctuation();
}

Token Lexer::identifier() {
  return token(Token::Kind::identifier, 1 + run_of(here_ + 1, is_follow));
}

/// '.' word ('::' word)*
Token Lexer::dotted() {
  std::size_t length = 1 + run_of(here_ + 1, is_word);
  if (length == 1) fail_here("a name is expected after the dot");
  while (peek(length) == ':' && peek(length + 1) == ':') {
    const std::size_t more = run_of(here_ + length + 2, is_word);
    if (more == 0) fail_here("a name is expected after `::`");
    length += 2 + more;
  }
  return token(Token::Kind::dotted, length);
}

/// Length of a decimal floating-point literal here, 0 if there is none: 1.5, 1., .05, 1e3, 1.e-3.
/// `.2d` and `.16x256b` are modifiers.
std::size_t Lexer::decimal_float_length() const {
  std::size_t length = run_of(here_, is_digit);
  const std::size_t whole = length;
  bool is_float = false;
  if (peek(length) == '.') {
    const std::size_t fraction = run_of(here_ + length + 1, is_digit);
    if (whole == 0 && fraction == 0) return 0;
    length += 1 + fraction;
    is_float = true;
  }
  if (peek(length) == 'e' || peek(length) == 'E') {
    const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
    const std::size_t digits = run_of(here_ + length + 1 + sign, is_digit);
    if (digits > 0) {
      length += 1 + sign + digits;
      is_float = true;
    }
  }
  if (!is_float || (whole == 0 && is_follow(peek(length)))) return 0;
  return length;
}

Token Lexer::number() {
  Token::Kind kind = Token::Kind::integer;
  std::size_t length = 0;
  const char second = peek(1);
  if (peek() == '0' && (second == 'x' || second == 'X')) {
    length = 2 + run_of(here_ + 2, is_hex);
  } else if (peek() == '0' && (second == 'b' || second == 'B')) {
    length = 2 + run_of(here_ + 2, is_bit);
  } else if (peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    kind = Token::Kind::floating;
    length = 2 + run_of(here_ + 2, is_hex);
    const std::size_t digits = second == 'f' || second == 'F' ? 8 : 16;
    if (length != 2 + digits) {
      fail_here("a floating-point constant in hexadecimal has " + std::to_string(digits) +
                " digits after " + std::string(text_.substr(here_, 2)));
    }
  } else if ((length = decimal_float_length()) > 0) {
    kind = Token::Kind::floating;
  } else {
    length = run_of(here_, is_digit);
    if (peek() == '0' && run_of(here_, is_octal) != length) {
      fail_here("a constant that begins with 0 is octal: its digits are 0 to 7");
    }
  }
  if (kind == Token::Kind::integer && length == 2 && is_letter(second)) {
    fail_here("digits are missing in this constant");
  }
  if (kind == Token::Kind::integer && peek(length) == 'U') ++length;
  if (is_follow(peek(length))) {
    fail_here("this constant runs into a name",
              "constants have no suffix but U; a space between constant and name");
  }
  return token(kind, length);
}

/// A backslash is a character like any other.
Token Lexer::string() {
  std::size_t length = 1;
  while (peek(length) != '"') {
    if (here_ + length >= text_.size() || peek(length) == '\n') {
      fail_here("this string has no end on its line");
    }
    ++length;
  }
  return token(Token::Kind::string, length + 1);
}

Token Lexer::punctuation() {
  const std::string_view two = text_.substr(here_, 2);
  for (const std::string_view pair : kPairs) {
    if (two == pair) return token(Token::Kind::punctuation, 2);
  }
  if (kSingles.find(peek()) == std::string_view::npos) {
    fail_here("no PTX token begins with " + quoted(text_.substr(here_, 1)),
              peek() == '\\' ? "join the lines: PTX has no line continuation" : "");
  }
  return token(Token::Kind::punctuation, 1);
}

}  // namespace lc::ptx
