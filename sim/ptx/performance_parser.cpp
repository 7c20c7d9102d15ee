#include "sim/ptx/constant_parser.h"
#include "sim/ptx/declaration_parser.h"

namespace lc::ptx {
namespace {

/// Directives between the head and the body of a function (PTX ISA, "Performance-Tuning
/// Directives", "Cluster Dimension Directives", "Miscellaneous Directives").
struct PerformanceRow {
  std::string_view name;
  std::size_t fewest, most;  ///< numbers that follow
};

constexpr PerformanceRow kPerformance[] = {
    {"maxntid", 1, 3},        {"reqntid", 1, 3},         {"minnctapersm", 1, 1},
    {"maxnctapersm", 1, 1},   {"maxnreg", 1, 1},         {"reqnctapercluster", 1, 3},
    {"maxclusterrank", 1, 1}, {"explicitcluster", 0, 0}, {"blocksareclusters", 0, 0},
    {"noreturn", 0, 0},       {"abi_preserve", 1, 1},    {"abi_preserve_control", 1, 1},
};

}  // namespace

Performance parse_pragma(TokenStream& tokens) {
  Performance pragma;
  const Token word = tokens.take();
  pragma.name = word.text.substr(1);
  pragma.at = word.at;
  do {
    pragma.strings.push_back(tokens.expect(Token::Kind::string, "a string of .pragma").text);
  } while (tokens.accept(","));
  tokens.expect(";", "at the end of .pragma");
  return pragma;
}

bool parse_performance(TokenStream& tokens, std::vector<Performance>& list) {
  const Token word = tokens.peek();
  if (word.kind != Token::Kind::dotted) return false;
  if (word.is(".pragma")) {
    list.push_back(parse_pragma(tokens));
    return true;
  }
  for (const PerformanceRow& row : kPerformance) {
    if (word.text.substr(1) != row.name) continue;
    tokens.take();
    Performance item;
    item.name = row.name;
    item.at = word.at;
    for (std::size_t i = 0; i < row.most; ++i) {
      if (i >= row.fewest && !tokens.accept(",")) break;
      item.values.push_back(
          static_cast<std::uint32_t>(parse_count(tokens, "this number", 0xffffffff)));
    }
    list.push_back(item);
    return true;
  }
  std::vector<std::string_view> names;
  for (const PerformanceRow& row : kPerformance) names.push_back(row.name);
  const std::string_view near = nearest(word.text.substr(1), names);
  tokens.fail("no directive before a body is called " + quoted(word.text),
              near.empty() ? "" : "." + std::string(near));
}

}  // namespace lc::ptx
