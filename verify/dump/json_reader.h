#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lc::verify {

/// Reads JSON front to back, without a tree: the header of a safetensors file is one flat object
/// that may be many megabytes long.  Every function leaves the reader behind what it read and
/// throws `Error{where, …}` for what is not the JSON it stands for.
class JsonReader {
 public:
  JsonReader(std::string where, std::span<const std::uint8_t> text)
      : where_(std::move(where)), at_(text.data()), begin_(at_), end_(at_ + text.size()) {}

  /// Reads an object: calls member(key) for each key; it must read the value.  The same key twice
  /// is an error.
  template <class F>
  void object(std::string_view what, F&& member) {
    expect('{', what, "an object");
    std::vector<std::string> keys;
    for (bool first = true; !next_is('}'); first = false) {
      if (!first) expect(',', what, "a comma or the object's end");
      keys.push_back(string("key"));
      expect(':', keys.back(), "a colon");
      member(std::as_const(keys.back()));
    }
    refuse_repeated(std::move(keys));
  }

  /// A list of unsigned numbers, at most `most`.
  std::vector<std::uint64_t> numbers(std::string_view what, std::size_t most);
  std::string string(std::string_view what);
  /// Reads over a value of any kind.
  void skip(std::string_view what, int depth = 0);
  /// Bytes read so far.
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }
  /// Only white space may be left.
  void finish();

  [[noreturn]] void fail(std::string_view what, const std::string& problem,
                         const std::string& hint = "is this a safetensors file?") const;

 private:
  char peek();
  bool next_is(char c);  ///< and skips it
  void expect(char c, std::string_view what, const char* wanted);
  std::uint64_t number(std::string_view what);
  void escape(std::string& out);
  std::uint32_t hex4();
  void refuse_repeated(std::vector<std::string> keys) const;

  std::string where_;
  const std::uint8_t *at_, *begin_, *end_;
};

}  // namespace lc::verify
