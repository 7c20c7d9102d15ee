#include "verify/findings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lc::verify {
namespace {

void replace(std::string& text, std::string_view key, const std::string& with) {
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
    text.replace(at, key.size(), with);
    at += with.size();
  }
}

std::string number(const Finding& f, std::int64_t value) {
  return f.hex ? fmt::format("0x{:x}", static_cast<std::uint64_t>(value)) : std::to_string(value);
}

}  // namespace

std::string field_of(const Finding& f) {
  return f.index < 0 ? f.rule.field : fmt::format("{}[{}]", f.rule.field, f.index);
}

std::string message_of(const Finding& f) {
  std::string text = f.rule.sentence;
  replace(text, "{value}", number(f, f.value));
  replace(text, "{limit}", number(f, f.limit));
  replace(text, "{index}", std::to_string(f.index));
  return text;
}

Answer to_json(const Findings& findings) {
  Answer out = Answer::array();
  for (const Finding& f : findings) {
    out.push_back({{"severity", name_of(f.rule.severity)},
                   {"rule", f.rule.id},
                   {"field", field_of(f)},
                   {"message", message_of(f)}});
  }
  return out;
}

}  // namespace lc::verify
