#include <algorithm>
#include <bit>

#include "sim/ptx/constant_parser.h"
#include "sim/ptx/declaration_parser.h"

namespace lc::ptx {
namespace {

/// The values after `=`.  Lists nest as the array does; the walk is a loop, not a recursion, so
/// that no text can exhaust the stack.
class InitialiserParser {
 public:
  InitialiserParser(TokenStream& tokens, Variable& variable, std::vector<InitialAddress>& addresses)
      : tokens_(tokens), variable_(variable), addresses_(addresses), extents_(variable.dims) {
    if (variable.lanes > 1) extents_.push_back(variable.lanes);
  }

  void run() {
    if (extents_.empty()) {
      value();
      return;
    }
    open();
    while (!counts_.empty()) {
      if (tokens_.peek().is("}")) {
        close();
        if (!counts_.empty() && !tokens_.peek().is("}")) separator();
        continue;
      }
      count_entry();
      if (counts_.size() < extents_.size()) {
        open();
        continue;
      }
      value();
      if (!tokens_.peek().is("}")) separator();
    }
  }

 private:
  void separator() {
    tokens_.expect(",", "between the values of an initialiser");
    if (tokens_.peek().is("}")) tokens_.fail("expected a value after the comma");
  }

  void open() {
    tokens_.expect("{", "for the values of an array or vector");
    push(InitialValue::Kind::open);
    counts_.push_back(0);
  }

  void close() {
    tokens_.take();
    push(InitialValue::Kind::close);
    if (counts_.size() == 1 && variable_.unsized) {
      std::uint64_t row_bytes = std::max<std::uint64_t>(1, element_size_of(variable_));
      for (std::size_t i = 1; i < variable_.dims.size(); ++i) {
        row_bytes *= std::max<std::uint64_t>(1, variable_.dims[i]);
      }
      if (counts_[0] > kLargestSize / row_bytes) tokens_.fail("this array is too large");
      variable_.dims[0] = counts_[0];
      variable_.unsized = false;
    }
    counts_.pop_back();
  }

  void count_entry() {
    const std::size_t level = counts_.size() - 1;
    const bool any_length = level == 0 && variable_.unsized;
    if (!any_length && counts_[level] == extents_[level]) {
      tokens_.fail("more values than the array has elements: " + std::to_string(extents_[level]));
    }
    ++counts_[level];
  }

  void push(InitialValue::Kind kind) {
    InitialValue item;
    item.kind = kind;
    variable_.initial.push_back(item);
  }

  void value() {
    const Token& token = tokens_.peek();
    if (token.kind == Token::Kind::integer && tokens_.peek_second().is("(")) {
      masked();
    } else if (token.kind == Token::Kind::identifier && token.text != "WARP_SZ") {
      address(0);
    } else {
      constant();
    }
  }

  void constant() {
    const Token start = tokens_.peek();
    const Constant value = parse_constant(tokens_);
    const bool wants_float = variable_.type == Type::f32 || variable_.type == Type::f64;
    if (wants_float && value.is_integer()) {
      tokens_.fail_at(start, "a floating-point variable takes no integer", "1.0 or 0f3F800000");
    }
    push_constant(value);
  }

  void push_constant(Constant value) {
    InitialValue item;
    item.number = value.kind;
    item.value = value.bits;
    variable_.initial.push_back(item);
  }

  /// 0xff00(symbol + 4): one byte of an address, or of an integer, which is evaluated here.
  void masked() {
    const Token start = tokens_.take();
    const std::uint64_t mask = literal(start.text).value.bits;
    const int shift = std::countr_zero(mask);
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xff) {
      tokens_.fail_at(start, "a mask takes one byte out: 0xff, 0xff00, 0xff0000 …");
    }
    tokens_.expect("(", "after the mask");
    if (tokens_.peek().kind == Token::Kind::identifier && tokens_.peek().text != "WARP_SZ") {
      address(mask);
    } else {
      const Constant value = parse_integer(tokens_, "the value under a mask");
      push_constant(Constant::of(static_cast<std::int64_t>((value.bits & mask) >> shift)));
    }
    tokens_.expect(")", "after the value under the mask");
  }

  void address(std::uint64_t mask) {
    InitialAddress entry;
    entry.mask = mask;
    Token name = tokens_.take();
    if (name.is("generic") && tokens_.accept("(")) {
      entry.generic = true;
      name = tokens_.expect(Token::Kind::identifier, "the name of a variable");
      tokens_.expect(")", "after the name in generic()");
    }
    entry.name = name.text;
    entry.at = name.at;
    if (tokens_.accept("+")) entry.offset = parse_integer(tokens_, "an offset in bytes").bits;
    InitialValue item;
    item.kind = InitialValue::Kind::address;
    item.index = static_cast<std::uint32_t>(addresses_.size());
    addresses_.push_back(entry);
    variable_.initial.push_back(item);
  }

  TokenStream& tokens_;
  Variable& variable_;
  std::vector<InitialAddress>& addresses_;
  std::vector<std::uint64_t> extents_;  ///< of the levels, outermost first
  std::vector<std::uint64_t> counts_;   ///< entries so far, of the lists that are open
};

}  // namespace

void parse_initialiser(TokenStream& tokens, Variable& variable,
                       std::vector<InitialAddress>& addresses) {
  if (variable.space != Space::global && variable.space != Space::const_) {
    tokens.fail("only .global and .const variables have an initial value");
  }
  if (variable.linkage == Linkage::extern_) tokens.fail("an .extern variable has no initial value");
  if (variable.range != 0) tokens.fail("a range of variables has no initial value");
  variable.initialised = true;
  InitialiserParser(tokens, variable, addresses).run();
}

}  // namespace lc::ptx
