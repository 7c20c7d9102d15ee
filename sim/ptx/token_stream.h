#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/lexer.h"

namespace lc::ptx {

/// Tokens with one of lookahead, and the questions a parser asks.
class TokenStream {
 public:
  TokenStream(std::string_view text, std::string_view file)
      : text_(text), lexer_(text, file), now_(lexer_.next()), after_(lexer_.next()) {}

  const Token& peek() const { return now_; }
  const Token& peek_second() const { return after_; }
  bool at_end() const { return now_.kind == Token::Kind::end; }

  Token take() {
    Token taken = now_;
    last_end_ = now_.end_offset();
    now_ = after_;
    if (now_.kind != Token::Kind::end) after_ = lexer_.next();
    return taken;
  }
  bool accept(std::string_view spelling) {
    if (!now_.is(spelling)) return false;
    take();
    return true;
  }
  /// `where` completes "expected `;` …": "at the end of the instruction".
  Token expect(std::string_view spelling, std::string_view where) {
    if (!now_.is(spelling))
      fail("expected `" + std::string(spelling) + "` " + std::string(where) + ", not " +
           shown(now_));
    return take();
  }
  Token expect(Token::Kind kind, std::string_view what) {
    if (now_.kind != kind) fail("expected " + std::string(what) + ", not " + shown(now_));
    return take();
  }

  /// Of the token taken last.
  std::uint32_t last_end() const { return last_end_; }
  std::string_view text_between(std::uint32_t begin, std::uint32_t end) const {
    return text_.substr(begin, end - begin);
  }

  [[noreturn]] void fail(std::string problem, std::string hint = {}) const {
    lexer_.fail(now_, std::move(problem), std::move(hint));
  }
  [[noreturn]] void fail_at(const Token& token, std::string problem, std::string hint = {}) const {
    lexer_.fail(token, std::move(problem), std::move(hint));
  }
  static std::string shown(const Token& token) {
    return token.kind == Token::Kind::end ? "the end of the file" : quoted(token.text);
  }

 private:
  std::string_view text_;
  Lexer lexer_;
  Token now_, after_;
  std::uint32_t last_end_ = 0;
};

}  // namespace lc::ptx
