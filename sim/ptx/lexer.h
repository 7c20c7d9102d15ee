#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/ptx/error.h"

namespace lc::ptx {

/// One token: a view into the text and its place.
struct Token {
  enum class Kind : std::uint8_t {
    end,
    identifier,   ///< name, %r1, $L__BB0_2, _
    dotted,       ///< .s32 .shared::cta .128x256b: directives, types, modifiers, .x of a vector
    integer,      ///< 12 0x1f 017 0b11, with U
    floating,     ///< 1.5 .05 1e3 0f3F800000 0d3FF0000000000000
    string,       ///< "…" with its quotes
    punctuation,  ///< one character, or one of << >> <= >= == != && ||
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t offset = 0;  ///< bytes from the start of the text
  Position at;

  bool is(std::string_view spelling) const { return kind != Kind::string && text == spelling; }
  std::uint32_t end_offset() const { return offset + static_cast<std::uint32_t>(text.size()); }
};

/// PTX text to tokens, one at a time (PTX ISA, "Syntax").  Comments and lines that begin with '#'
/// are white space.  Throws ParseError at a byte that begins no token.
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file);

  Token next();

  [[noreturn]] void fail(const Token& token, std::string problem, std::string hint = {}) const;

 private:
  void skip_space();
  void skip_line();
  void skip_block_comment();
  Token token(Token::Kind kind, std::size_t length);
  Token identifier();
  Token dotted();
  Token number();
  Token string();
  Token punctuation();
  std::size_t run_of(std::size_t at, bool (*member)(char)) const;
  std::size_t decimal_float_length() const;
  char peek(std::size_t ahead = 0) const {
    return here_ + ahead < text_.size() ? text_[here_ + ahead] : '\0';
  }
  Position position_of(std::size_t offset) const;
  [[noreturn]] void fail_here(std::string problem, std::string hint = {}) const;

  std::string_view text_, file_;
  std::size_t here_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  bool blank_so_far_ = true;  ///< nothing but white space on this line yet
};

}  // namespace lc::ptx
