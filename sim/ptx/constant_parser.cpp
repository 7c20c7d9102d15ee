#include "sim/ptx/constant_parser.h"

namespace lc::ptx {
namespace {

constexpr int kDeepest = 200;  ///< nesting of parentheses and operators; deeper text is refused

class ConstantParser {
 public:
  explicit ConstantParser(TokenStream& tokens) : tokens_(tokens) {}

  /// condition ? a : b, where the value keeps the type of the chosen side.
  Constant ternary(int depth) {
    const Token start = tokens_.peek();
    const Constant condition = climb(1, depth);
    if (!tokens_.accept("?")) return condition;
    if (!condition.is_integer()) tokens_.fail_at(start, "the condition before `?` is an integer");
    const Constant yes = ternary(deeper(depth));
    tokens_.expect(":", "between the sides of `?:`");
    const Constant no = ternary(deeper(depth));
    if (yes.is_integer() != no.is_integer()) {
      tokens_.fail_at(start, "both sides of `?:` are integers or both floating-point");
    }
    return condition.truth() ? yes : no;
  }

 private:
  int deeper(int depth) const {
    if (depth >= kDeepest) tokens_.fail("this expression is nested too deeply");
    return depth + 1;
  }

  Constant checked(const Token& at, const Evaluated& evaluated) const {
    if (!evaluated.problem.empty()) tokens_.fail_at(at, std::string(evaluated.problem));
    return evaluated.value;
  }

  Constant climb(int weakest, int depth) {
    Constant left = unary_or_primary(depth);
    while (true) {
      const Token op = tokens_.peek();
      const int strength = op.kind == Token::Kind::punctuation ? precedence(op.text) : 0;
      if (strength == 0 || strength < weakest) return left;
      tokens_.take();
      left = checked(op, binary(op.text, left, climb(strength + 1, deeper(depth))));
    }
  }

  Constant unary_or_primary(int depth) {
    const Token token = tokens_.peek();
    if (token.is("-") || token.is("+") || token.is("!") || token.is("~")) {
      tokens_.take();
      return checked(token, unary(token.text[0], unary_or_primary(deeper(depth))));
    }
    if (token.is("(")) {
      tokens_.take();
      if (tokens_.peek().kind == Token::Kind::dotted) return cast(depth);
      const Constant value = ternary(deeper(depth));
      tokens_.expect(")", "at the end of the expression");
      return value;
    }
    if (token.is("WARP_SZ")) {
      tokens_.take();
      return Constant::of(32);
    }
    if (token.kind != Token::Kind::integer && token.kind != Token::Kind::floating) {
      tokens_.fail("expected a constant, not " + TokenStream::shown(token));
    }
    tokens_.take();
    return checked(token, literal(token.text));
  }

  /// (.s64)x and (.u64)x
  Constant cast(int depth) {
    const Token type = tokens_.take();
    if (!type.is(".s64") && !type.is(".u64")) {
      tokens_.fail_at(type, "the only casts of a constant are (.s64) and (.u64)");
    }
    tokens_.expect(")", "after the type of the cast");
    const Constant value = unary_or_primary(deeper(depth));
    if (!value.is_integer()) tokens_.fail_at(type, "a cast takes an integer");
    return {type.is(".s64") ? Constant::Kind::s64 : Constant::Kind::u64, value.bits};
  }

  TokenStream& tokens_;
};

}  // namespace

bool at_constant(const TokenStream& tokens) {
  const Token& token = tokens.peek();
  switch (token.kind) {
    case Token::Kind::integer:
    case Token::Kind::floating:
      return true;
    case Token::Kind::identifier:
      return token.text == "WARP_SZ";
    case Token::Kind::punctuation:
      break;
    default:
      return false;
  }
  if (token.is("!") || token.is("-")) {
    const Token& next = tokens.peek_second();
    return next.kind != Token::Kind::identifier || next.text == "WARP_SZ";
  }
  return token.is("+") || token.is("~") || token.is("(");
}

Constant parse_constant(TokenStream& tokens) {
  return ConstantParser(tokens).ternary(0);
}

Constant parse_integer(TokenStream& tokens, std::string_view what) {
  const Token start = tokens.peek();
  const Constant value = parse_constant(tokens);
  if (!value.is_integer()) tokens.fail_at(start, std::string(what) + " is an integer");
  return value;
}

std::uint64_t parse_count(TokenStream& tokens, std::string_view what, std::uint64_t limit) {
  const Token start = tokens.peek();
  const Constant value = parse_integer(tokens, what);
  if ((!value.is_unsigned() && value.as_signed() < 0) || value.bits > limit) {
    tokens.fail_at(start, std::string(what) + " is " + "0 to " + std::to_string(limit));
  }
  return value.bits;
}

}  // namespace lc::ptx
