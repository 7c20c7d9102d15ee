#include "verify/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "verify/error.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

/// "12", "0x1f" -> value; nullopt when it is no number of 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// A number of any length, decimal or 0x….
bool is_digits(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
  return text.size() > (hex ? 2 : 0) && text.find_first_not_of(digits, hex ? 2 : 0) == text.npos;
}

std::string kind_of(const Question& value) {
  if (value.is_number_float()) return "a fraction or a number beyond 64 bits";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string() && is_digits(value.get_ref<const std::string&>()))
    return "a number beyond 64 bits";
  if (value.is_string()) return fmt::format("the text \"{:.40}\"", value.get<std::string>());
  if (value.is_boolean()) return "true or false";
  if (value.is_null()) return "null";
  return "a number";
}

std::optional<std::uint64_t> to_unsigned(const Question& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0)
    return value.get<std::uint64_t>();
  if (value.is_string()) return parse_number(value.get_ref<const std::string&>());
  return std::nullopt;
}

std::optional<std::int64_t> to_signed(const Question& value) {
  if (value.is_number_integer() && !value.is_number_unsigned()) return value.get<std::int64_t>();
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    const bool negative = text.starts_with('-');
    const auto magnitude = parse_number(negative ? std::string_view(text).substr(1) : text);
    if (!magnitude || *magnitude > std::uint64_t{INT64_MAX} + negative) return std::nullopt;
    return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
  }
  const auto magnitude = to_unsigned(value);
  if (!magnitude || *magnitude > std::uint64_t{INT64_MAX}) return std::nullopt;
  return static_cast<std::int64_t>(*magnitude);
}

}  // namespace

Request::Request(const Question& question, std::string where)
    : question_(question), where_(std::move(where)) {
  if (!question_.is_object()) {
    throw Error(where_.empty() ? "question" : where_,
                "expected an object, found " + kind_of(question_), "{\"op\": …}");
  }
}

void Request::fail(const std::string& field, const std::string& what,
                   const std::string& hint) const {
  throw Error(where_ + field, what, hint);
}

bool Request::has(const char* field) const {
  if (std::find(asked_.begin(), asked_.end(), field) == asked_.end()) asked_.emplace_back(field);
  return question_.contains(field);
}

const Question& Request::raw(const char* field) const {
  if (has(field)) return question_.at(field);
  std::vector<std::string> names;
  for (const auto& item : question_.items()) names.push_back(item.key());
  const auto close = closest(field, names);
  fail(field, kMissingField,
       close ? fmt::format("rename `{}` to `{}`", *close, field) : fmt::format("\"{}\": …", field));
}

std::uint64_t Request::number(const char* field, std::uint64_t min, std::uint64_t max) const {
  const Question& value = raw(field);
  const auto n = to_unsigned(value);
  if (!n) {
    const auto negative = to_signed(value);
    if (negative && *negative < 0) fail(field, fmt::format("{} is negative", *negative));
    fail(field, "expected a number, found " + kind_of(value), kNumberHint);
  }
  if (*n < min || *n > max) {
    fail(field, fmt::format("{} is out of range", *n), fmt::format("{} to {}", min, max));
  }
  return *n;
}

std::uint64_t Request::number_or(const char* field, std::uint64_t fallback, std::uint64_t min,
                                 std::uint64_t max) const {
  return has(field) ? number(field, min, max) : fallback;
}

std::int64_t Request::integer(const char* field) const {
  const Question& value = raw(field);
  if (const auto n = to_signed(value)) return *n;
  fail(field, "expected a signed 64-bit number, found " + kind_of(value), kNumberHint);
}

std::int64_t Request::integer_or(const char* field, std::int64_t fallback) const {
  return has(field) ? integer(field) : fallback;
}

bool Request::flag_or(const char* field, bool fallback) const {
  if (!has(field)) return fallback;
  const Question& value = question_.at(field);
  if (value.is_boolean()) return value.get<bool>();
  fail(field, "expected true or false, found " + kind_of(value), "true or false without quotes");
}

std::string Request::text(const char* field) const {
  const Question& value = raw(field);
  if (value.is_string()) return value.get<std::string>();
  fail(field, "expected text, found " + kind_of(value));
}

std::string Request::spelling(const char* field) const {
  const Question& value = raw(field);
  if (value.is_string()) return value.get<std::string>();
  fail(field, "expected a name, found " + kind_of(value));
}

void Request::unknown_spelling(const char* field, const std::string& name,
                               const std::vector<std::string>& names) const {
  fail(field, fmt::format("unknown name \"{:.60}\"", name), one_of(name, names));
}

namespace {

/// The list itself, refused when it is longer than anything the question could mean.
const Question& list_of(const Request& request, const char* field, std::size_t max_count) {
  const Question& value = request.raw(field);
  if (!value.is_array()) request.fail(field, "expected a list, found " + kind_of(value));
  if (value.size() > max_count) {
    request.fail(field, fmt::format("{} entries are too many", value.size()),
                 fmt::format("at most {}", max_count));
  }
  return value;
}

}  // namespace

std::vector<std::uint64_t> Request::numbers(const char* field, std::size_t max_count) const {
  std::vector<std::uint64_t> out;
  for (const Question& entry : list_of(*this, field, max_count)) {
    const auto n = to_unsigned(entry);
    if (!n) {
      fail(fmt::format("{}[{}]", field, out.size()),
           "expected a number that is not negative, found " + kind_of(entry), kNumberHint);
    }
    out.push_back(*n);
  }
  return out;
}

std::vector<std::int64_t> Request::integers(const char* field, std::size_t max_count) const {
  std::vector<std::int64_t> out;
  for (const Question& entry : list_of(*this, field, max_count)) {
    const auto n = to_signed(entry);
    if (!n) {
      fail(fmt::format("{}[{}]", field, out.size()), "expected a number, found " + kind_of(entry),
           kNumberHint);
    }
    out.push_back(*n);
  }
  return out;
}

std::vector<std::optional<std::uint64_t>> Request::numbers_or_null(const char* field,
                                                                   std::size_t max_count) const {
  std::vector<std::optional<std::uint64_t>> out;
  for (const Question& entry : list_of(*this, field, max_count)) {
    const auto n = to_unsigned(entry);
    if (!n && !entry.is_null()) {
      fail(fmt::format("{}[{}]", field, out.size()),
           "expected a number or null, found " + kind_of(entry), kNumberHint);
    }
    out.push_back(n);
  }
  return out;
}

Request Request::object(const char* field) const {
  return Request(raw(field), where_ + field + ".");
}

std::vector<std::string> Request::ignored_fields() const {
  std::vector<std::string> out;
  for (const auto& item : question_.items()) {
    if (std::find(asked_.begin(), asked_.end(), item.key()) == asked_.end()) {
      out.push_back(item.key());
    }
  }
  return out;
}

}  // namespace lc::verify
