#include "verify/dump/json_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/error.h"

namespace lc::verify {
namespace {

constexpr int kMaxDepth = 8;

bool is_space(std::uint8_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(std::uint8_t c) {
  return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, std::uint32_t c) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6), tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12), tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0);
  }
}

/// Bytes of the UTF-8 sequence at `at`, 0 when it is none (RFC 3629, no overlong forms).
std::size_t utf8_length(const std::uint8_t* at, const std::uint8_t* end) {
  const std::uint8_t lead = at[0];
  const std::size_t n = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (n == 0 || lead > 0xf4 || static_cast<std::size_t>(end - at) < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((at[i] & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && at[1] < 0xa0) || (lead == 0xf0 && at[1] < 0x90);
  const bool beyond = (lead == 0xed && at[1] > 0x9f) || (lead == 0xf4 && at[1] > 0x8f);
  return overlong || beyond ? 0 : n;
}

}  // namespace

void JsonReader::fail(std::string_view what, const std::string& problem,
                      const std::string& hint) const {
  const std::string place = what.empty() ? "" : fmt::format(" (`{:.80}`)", what);
  throw Error(where_, fmt::format("{} at byte {}{}", problem, at_ - begin_, place), hint);
}

char JsonReader::peek() {
  while (at_ != end_ && is_space(*at_)) ++at_;
  return at_ == end_ ? '\0' : static_cast<char>(*at_);
}

bool JsonReader::next_is(char c) {
  if (peek() != c || at_ == end_) return false;
  ++at_;
  return true;
}

void JsonReader::expect(char c, std::string_view what, const char* wanted) {
  if (next_is(c)) return;
  fail(what, at_ == end_ ? fmt::format("is not JSON: it ends where {} should be", wanted)
                         : fmt::format("is not JSON: expected {}", wanted));
}

std::uint64_t JsonReader::number(std::string_view what) {
  peek();
  const std::uint8_t* const first = at_;
  std::uint64_t value = 0;
  for (; at_ != end_ && is_digit(*at_); ++at_) {
    const std::uint64_t digit = *at_ - '0';
    if (value > (UINT64_MAX - digit) / 10) fail(what, "a number beyond 64 bits", "a real size");
    value = value * 10 + digit;
  }
  const bool more = at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E');
  if (at_ == first || more || (*first == '0' && at_ - first > 1)) {
    fail(what, "expected a number that is whole and not negative", "[1, 2]");
  }
  return value;
}

std::vector<std::uint64_t> JsonReader::numbers(std::string_view what, std::size_t most) {
  expect('[', what, "a list of numbers");
  std::vector<std::uint64_t> out;
  for (bool first = true; !next_is(']'); first = false) {
    if (!first) expect(',', what, "a comma or the list's end");
    if (out.size() == most) {
      fail(what, fmt::format("a list of more than {} numbers", most), "a shorter list");
    }
    out.push_back(number(what));
  }
  return out;
}

std::uint32_t JsonReader::hex4() {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ == end_ ? '\0' : static_cast<char>(*at_);
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) fail("", "is not JSON: expected four hex digits after \\u");
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  return value;
}

void JsonReader::escape(std::string& out) {
  constexpr std::string_view kEscapes = "\"\\/bfnrtu", kMeant = "\"\\/\b\f\n\r\t";
  const std::size_t which =
      at_ == end_ ? std::string_view::npos : kEscapes.find(static_cast<char>(*at_));
  if (which == std::string_view::npos) fail("", "is not JSON: no such escape in a string");
  ++at_;
  if (which < kMeant.size()) {
    out += kMeant[which];
    return;
  }
  std::uint32_t c = hex4();
  if (c >= 0xd800 && c < 0xdc00) {
    const bool pair = end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u';
    if (pair) at_ += 2;
    const std::uint32_t low = pair ? hex4() : 0;
    if (low < 0xdc00 || low > 0xdfff) fail("", "is not JSON: half a surrogate pair");
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
  } else if (c >= 0xdc00 && c < 0xe000) {
    fail("", "is not JSON: half a surrogate pair");
  }
  append_utf8(out, c);
}

std::string JsonReader::string(std::string_view what) {
  expect('"', what, "text in quotes");
  std::string out;
  while (true) {
    const std::uint8_t* const first = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && *at_ >= 0x20 && *at_ < 0x80) ++at_;
    out.append(first, at_);
    if (at_ == end_) fail(what, "is not JSON: a string without end");
    if (*at_ >= 0x80) {
      const std::size_t n = utf8_length(at_, end_);
      if (n == 0) fail(what, "is not JSON: bytes that are no UTF-8");
      out.append(at_, at_ + n);
      at_ += n;
    } else if (*at_ < 0x20) {
      fail(what, "is not JSON: a control character in a string");
    } else if (*at_++ == '"') {
      return out;
    } else {
      escape(out);
    }
  }
}

void JsonReader::skip(std::string_view what, int depth) {
  if (depth > kMaxDepth) fail(what, "the JSON is nested too deeply", "a flat object");
  switch (peek()) {
    case '{':
      object(what, [&](const std::string& key) { skip(key, depth + 1); });
      return;
    case '[':
      ++at_;
      for (bool first = true; !next_is(']'); first = false) {
        if (!first) expect(',', what, "a comma or the list's end");
        skip(what, depth + 1);
      }
      return;
    case '"':
      string(what);
      return;
    default:
      break;
  }
  const std::uint8_t* const first = at_;
  constexpr std::string_view kWordCharacters = "+-.0123456789abcdefghijklmnopqrstuvwxyzE";
  while (at_ != end_ && kWordCharacters.find(static_cast<char>(*at_)) != std::string_view::npos) {
    ++at_;
  }
  const std::string word(first, at_);
  const bool number = !word.empty() && (word[0] == '-' || is_digit(*first));
  if (!number && word != "true" && word != "false" && word != "null") {
    fail(what, "is not JSON: expected a value");
  }
}

void JsonReader::finish() {
  if (peek() != '\0' || at_ != end_) fail("", "is not JSON: something follows the object");
}

void JsonReader::refuse_repeated(std::vector<std::string> keys) const {
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) {
    fail("", fmt::format("the key `{:.80}` stands twice", *twice), "a name for every tensor");
  }
}

}  // namespace lc::verify
