#include "sim/isa/printf.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace lc::isa {
namespace {

constexpr int kMaxWidth = 4096;  ///< of one conversion: a guest does not choose our memory

/// One conversion: %[flags][width][.precision][length]letter.
struct Conversion {
  std::string flags;
  bool star_width = false, star_precision = false, has_precision = false;
  int width = 0, precision = 0;
  bool wide = false;  ///< 8 bytes
  char letter = 0;    ///< 0: none
  std::size_t length = 0;
};

int number(std::string_view text, std::size_t& at) {
  int value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    value = std::min(kMaxWidth, value * 10 + (text[at++] - '0'));
  }
  return value;
}

/// `text` begins behind the percent sign.
Conversion parsed(std::string_view text) {
  Conversion c;
  std::size_t at = 0;
  while (at < text.size() && std::string_view("-+ #0").find(text[at]) != std::string_view::npos) {
    if (c.flags.size() < 5) c.flags += text[at];
    ++at;
  }
  if (at < text.size() && text[at] == '*') {
    c.star_width = true;
    ++at;
  } else {
    c.width = number(text, at);
  }
  if (at < text.size() && text[at] == '.') {
    ++at;
    c.has_precision = true;
    if (at < text.size() && text[at] == '*') {
      c.star_precision = true;
      ++at;
    } else {
      c.precision = number(text, at);
    }
  }
  int longs = 0;
  while (at < text.size() && std::string_view("hlLzjtI").find(text[at]) != std::string_view::npos) {
    longs += text[at] == 'l' || text[at] == 'z' || text[at] == 'j' || text[at] == 't' ? 1 : 0;
    ++at;
  }
  c.wide = longs > 0;
  if (at < text.size() &&
      std::string_view("diouxXcsfFeEgGaAp").find(text[at]) != std::string_view::npos) {
    c.letter = text[at];
    c.length = at + 1;
  }
  return c;
}

std::string printed(const Conversion& c, const PrintfSource& source) {
  int width = c.width, precision = c.precision;
  const auto star = [&] {
    const auto v = static_cast<std::int32_t>(source.take(4));
    return std::clamp(v, -kMaxWidth, kMaxWidth);
  };
  if (c.star_width) width = star();
  if (c.star_precision) precision = star();
  std::string spec = "%" + c.flags + "*";
  if (c.has_precision) spec += ".*";
  char buffer[3 * kMaxWidth + 512];
  const auto print = [&](auto value, const char* length) {
    const std::string whole = spec + length + c.letter;
    if (c.has_precision) {
      std::snprintf(buffer, sizeof buffer, whole.c_str(), width, precision, value);
    } else {
      std::snprintf(buffer, sizeof buffer, whole.c_str(), width, value);
    }
    return std::string(buffer);
  };
  switch (c.letter) {
    case 's':
      return print(source.text(source.take(8)).c_str(), "");
    case 'p':
      return print(reinterpret_cast<void*>(source.take(8)), "");
    case 'c':
      return print(static_cast<int>(source.take(4)), "");
    case 'd':
    case 'i':
      if (c.wide) return print(static_cast<long long>(source.take(8)), "ll");
      return print(static_cast<int>(source.take(4)), "");
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      if (c.wide) return print(static_cast<unsigned long long>(source.take(8)), "ll");
      return print(static_cast<unsigned>(source.take(4)), "");
    default:
      return print(std::bit_cast<double>(source.take(8)), "");
  }
}

template <class Text, class Argument>
void walk(std::string_view format, Text&& text, Argument&& argument) {
  while (!format.empty()) {
    const std::size_t percent = format.find('%');
    text(format.substr(0, percent));
    if (percent == std::string_view::npos) return;
    format.remove_prefix(percent + 1);
    if (!format.empty() && format.front() == '%') {
      text(format.substr(0, 1));
      format.remove_prefix(1);
      continue;
    }
    const Conversion c = parsed(format);
    if (c.letter == 0) {
      text("%");
      continue;
    }
    argument(c);
    format.remove_prefix(c.length);
  }
}

}  // namespace

std::string formatted(std::string_view format, const PrintfSource& source) {
  std::string out;
  walk(
      format, [&](std::string_view t) { out += t; },
      [&](const Conversion& c) { out += printed(c, source); });
  return out;
}

std::size_t count_conversions(std::string_view format) {
  std::size_t count = 0;
  walk(
      format, [](std::string_view) {},
      [&](const Conversion& c) {
        count += 1 + (c.star_width ? 1u : 0u) + (c.star_precision ? 1u : 0u);
      });
  return count;
}

}  // namespace lc::isa
