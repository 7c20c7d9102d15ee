#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/layout/spelling.h"
#include "verify/json.h"

namespace lc::verify {

/// What errors say of a field that is not there, and the hint where a number is wanted: the command
/// line puts them in its own words.
inline constexpr const char* kMissingField = "the field is missing";
inline constexpr const char* kNumberHint = "a JSON integer or a string like \"0x400\"";

/// One question: typed, checked access to the fields of a JSON object.  Every getter throws
/// `Error{field, what, hint}` on a missing field, a wrong type, a value out of range or an unknown
/// spelling.  Numbers are JSON integers or strings ("0x…" or decimal).
class Request {
 public:
  /// `where` is put in front of the field's name in errors ("" for none).
  explicit Request(const Question& question, std::string where = {});

  bool has(const char* field) const;

  std::uint64_t number(const char* field, std::uint64_t min = 0,
                       std::uint64_t max = UINT64_MAX) const;
  std::uint64_t number_or(const char* field, std::uint64_t fallback, std::uint64_t min = 0,
                          std::uint64_t max = UINT64_MAX) const;
  std::int64_t integer(const char* field) const;
  std::int64_t integer_or(const char* field, std::int64_t fallback) const;
  bool flag_or(const char* field, bool fallback) const;
  std::string text(const char* field) const;

  /// Lists of at most `max_count` entries.
  std::vector<std::uint64_t> numbers(const char* field, std::size_t max_count) const;
  std::vector<std::int64_t> integers(const char* field, std::size_t max_count) const;
  /// A list whose entries may be null.
  std::vector<std::optional<std::uint64_t>> numbers_or_null(const char* field,
                                                            std::size_t max_count) const;

  /// A value of an enumeration with a `spellings` table.
  template <class E>
  E choice(const char* field) const {
    const std::string name = spelling(field);
    if (const auto value = value_of<E>(name)) return *value;
    std::vector<std::string> names;
    for (const auto& row : spellings(E{})) {
      if (row.name[0] != '\0') names.emplace_back(row.name);
    }
    unknown_spelling(field, name, names);
  }
  template <class E>
  E choice_or(const char* field, E fallback) const {
    return has(field) ? choice<E>(field) : fallback;
  }

  /// The field itself, for shapes that have no getter.
  const Question& raw(const char* field) const;
  /// An object inside this question.
  Request object(const char* field) const;

  /// Throws the error of this question: "<where><field>".
  [[noreturn]] void fail(const std::string& field, const std::string& what,
                         const std::string& hint = {}) const;

  /// Fields of the question that no getter asked for, in order.
  std::vector<std::string> ignored_fields() const;
  const Question& question() const { return question_; }

 private:
  std::string spelling(const char* field) const;
  [[noreturn]] void unknown_spelling(const char* field, const std::string& name,
                                     const std::vector<std::string>& names) const;

  const Question& question_;
  std::string where_;
  mutable std::vector<std::string> asked_;
};

}  // namespace lc::verify
