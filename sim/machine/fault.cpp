#include "sim/machine/fault.h"

#include <charconv>
#include <string_view>

namespace lc::machine {
namespace {

void replace(std::string& text, std::string_view key, const std::string& with) {
  for (std::size_t at = text.find(key); at != std::string::npos;
       at = text.find(key, at + with.size())) {
    text.replace(at, key.size(), with);
  }
}

std::string number(const Finding& f, std::int64_t value) {
  return f.hex ? hex(static_cast<std::uint64_t>(value)) : std::to_string(value);
}

}  // namespace

std::string hex(std::uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return "0x" + std::string(digits, end);
}

std::string sentence_of(const Finding& f) {
  std::string text = f.rule.sentence;
  replace(text, "{value}", number(f, f.value));
  replace(text, "{limit}", number(f, f.limit));
  replace(text, "{index}", std::to_string(f.index));
  return text;
}

Fault fault_of(FaultKind kind, const Finding& finding, std::optional<std::uint64_t> address) {
  return Fault(kind, finding.rule.id, sentence_of(finding), address);
}

void throw_first_error(FaultKind kind, const Findings& findings,
                       std::optional<std::uint64_t> address) {
  for (const Finding& f : findings) {
    if (f.rule.severity == Severity::error) throw fault_of(kind, f, address);
  }
}

void rethrow_at(Fault fault, const Place& place) {
  if (!fault.place.known()) fault.place = place;
  throw fault;
}

}  // namespace lc::machine
