// The known-answer questions of tests/golden/cases.jsonl: one batch line each, with what must hold
// in its answer.
#include <boost/test/data/monomorphic.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/golden.h"
#include "tests/test.h"
#include "verify/batch.h"

using nlohmann::json;
using namespace lc::tests;

namespace {

/// Numbers by value however they are spelt; true = 1.
std::optional<std::int64_t> as_number(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_unsigned()) return static_cast<std::int64_t>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string() && value.get<std::string>().starts_with("0x")) {
    return static_cast<std::int64_t>(std::stoull(value.get<std::string>(), nullptr, 16));
  }
  return std::nullopt;
}

bool equal(const json& got, const json& want, std::uint64_t ignore = 0) {
  if (want.is_array()) {
    if (!got.is_array() || got.size() != want.size()) return false;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!equal(got[i], want[i], ignore)) return false;
    }
    return true;
  }
  const auto a = as_number(got), b = as_number(want);
  if (a && b)
    return (*a & ~static_cast<std::int64_t>(ignore)) == (*b & ~static_cast<std::int64_t>(ignore));
  return got == want;
}

/// Every number of a list, nested ones in order.
void add_numbers(Fnv& fnv, const json& value) {
  if (value.is_array()) {
    for (const json& item : value) add_numbers(fnv, item);
  } else if (const auto n = as_number(value)) {
    fnv.add(static_cast<std::uint32_t>(*n));
  }
}

bool any_equals(const json& want, const std::string& got, bool indexed) {
  const json list = want.is_array() ? want : json::array({want});
  for (const json& w : list) {
    const std::string text = w.get<std::string>();
    if (got == text || (indexed && got.starts_with(text + "["))) return true;
  }
  return false;
}

bool has_finding(const json& answer, const json& pattern) {
  if (!answer.contains("findings")) return false;
  for (const json& f : answer["findings"]) {
    bool fits = true;
    if (pattern.contains("severity")) {
      fits = fits && any_equals(pattern["severity"], f["severity"].get<std::string>(), false);
    }
    if (pattern.contains("field")) {
      fits = fits && any_equals(pattern["field"], f["field"].get<std::string>(), true);
    }
    if (fits) return true;
  }
  return false;
}

/// `addresses[128]`, `map[5][1]`
const json& at_path(const json& answer, const std::string& path) {
  const std::vector<std::string> parts = split(path, '[');
  const json* value = &answer.at(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) value = &value->at(std::stoull(parts[i]));
  return *value;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// What does not hold; empty when everything does.
std::string broken(const json& answer, const json& expect) {
  if (expect.contains("any_of")) {
    std::string all;
    for (const json& option : expect["any_of"]) {
      const std::string text = broken(answer, option);
      if (text.empty()) return {};
      all += text + " / ";
    }
    return all;
  }
  if (answer.at("ok") != expect.value("ok", true)) return "ok";
  const std::uint64_t ignore =
      expect.contains("ignore_bits") ? word(expect["ignore_bits"].get<std::string>()) : 0;
  for (const auto& [key, want] : expect.items()) {
    if (key == "ok" || key == "ignore_bits") continue;
    if (key == "no_errors") {
      if (has_finding(answer, {{"severity", "error"}})) return key;
    } else if (key == "findings_include") {
      for (const json& pattern : want) {
        if (!has_finding(answer, pattern)) return key + pattern.dump();
      }
    } else if (key == "at") {
      for (const auto& [path, value] : want.items()) {
        if (!equal(at_path(answer, path), value)) return path;
      }
    } else if (key == "len") {
      for (const auto& [field, n] : want.items()) {
        if (answer.at(field).size() != n.get<std::size_t>()) return "len " + field;
      }
    } else if (key == "fnv") {
      for (const auto& [field, hash] : want.items()) {
        Fnv fnv;
        add_numbers(fnv, answer.at(field));
        if (fnv.hash != word(hash.get<std::string>())) return "fnv " + field;
      }
    } else if (key == "contains") {
      for (const auto& [field, items] : want.items()) {
        for (const json& item : items) {
          bool found = false;
          for (const json& have : answer.at(field)) found = found || equal(have, item);
          if (!found) return "contains " + item.dump();
        }
      }
    } else if (key == "mentions") {
      for (const auto& [field, words] : want.items()) {
        const std::string text = lower(answer.value(field, json()).dump());
        bool found = false;
        for (const json& w : words) {
          found = found || text.find(lower(w.get<std::string>())) != std::string::npos;
        }
        if (!found) return "mentions " + words.dump();
      }
    } else {
      const bool masked = key == "descriptor" || key == "k_slices";
      if (!answer.contains(key) || !equal(answer[key], want, masked ? ignore : 0)) return key;
    }
  }
  return {};
}

std::vector<std::string> lines_of_cases() {
  std::vector<std::string> lines;
  std::istringstream in(read_text("cases.jsonl"));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A line that shows as its id in the test's name.
struct CaseLine {
  json line;
};
std::ostream& operator<<(std::ostream& out, const CaseLine& c) {
  return out << c.line["request"]["id"].get<std::string>();
}

std::vector<CaseLine> all_cases() {
  std::vector<CaseLine> cases;
  for (const std::string& line : lines_of_cases()) cases.push_back({json::parse(line)});
  return cases;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cases_tests)

BOOST_DATA_TEST_CASE(known_answer, bdata::make(all_cases()), c) {
  const json answer = json::parse(lc::verify::answer_line(c.line["request"].dump(), 1));
  const std::string text = broken(answer, c.line["expect"]);
  const std::string shown = answer.dump().substr(0, 400);
  // "medium" lines are worth a look only.
  if (c.line["trust"] == "medium") {
    BOOST_TEST_MESSAGE(c << ": " << (text.empty() ? "holds" : text + " differs: " + shown));
  }
  BOOST_TEST((text.empty() || c.line["trust"] == "medium"), c << ": " << text << " in " << shown);
}

BOOST_AUTO_TEST_CASE(the_judge_itself_can_fail) {
  const json answer = {{"ok", true}, {"n", 5}, {"list", {1, 2}}, {"findings", json::array()}};
  BOOST_TEST(broken(answer, {{"n", "0x5"}, {"len", {{"list", 2}}}}).empty());
  BOOST_TEST(!broken(answer, {{"n", 6}}).empty());
  BOOST_TEST(!broken(answer, {{"ok", false}}).empty());
  BOOST_TEST(!broken(answer, {{"findings_include", {{{"severity", "error"}}}}}).empty());
  BOOST_TEST(!broken(answer, {{"contains", {{"list", {3}}}}}).empty());
  BOOST_TEST(!broken(answer, {{"fnv", {{"list", "0x0"}}}}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
