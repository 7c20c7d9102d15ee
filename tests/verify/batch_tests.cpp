#include "verify/batch.h"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/test.h"
#include "verify/ops/ops.h"

using lc::verify::answer_line;
using nlohmann::json;

namespace {

json ask(const std::string& line) {
  return json::parse(answer_line(line, 1));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(batch_tests)

BOOST_AUTO_TEST_CASE(op_names_are_unique_and_documented) {
  std::set<std::string> names;
  for (const lc::verify::Op& op : lc::verify::all_ops()) {
    BOOST_TEST(names.insert(op.name).second, op.name);
    BOOST_TEST(std::string(op.input).size() > 0u);
    BOOST_TEST(std::string(op.answer).size() > 0u);
  }
}

BOOST_AUTO_TEST_CASE(ids_come_back_unchanged) {
  for (const char* id :
       {"1", "-7", "\"x\"", "null", "[1,{\"a\":2}]", "1.5", "true", "18446744073709551615"}) {
    const std::string line = std::string(R"({"op":"smem_descriptor.decode","arch":"sm_90",)") +
                             R"("descriptor":"0x1","id":)" + id + "}";
    BOOST_TEST((ask(line)["id"] == json::parse(id)), id);
  }
  BOOST_TEST(ask(R"({"op":"nothing"})")["id"].is_null());
}

BOOST_AUTO_TEST_CASE(bad_lines_never_end_the_stream) {
  const std::string good =
      R"({"id":9,"op":"smem_descriptor.decode","arch":"sm_100","descriptor":1})";
  const std::string deep = "{\"id\":" + std::string(100000, '[') + "}";
  const std::string lines[] = {
      "",
      "   ",
      "{",
      "[]",
      "7",
      "null",
      "\"x\"",
      "{\"op\":7}",
      "{\"op\":\"no\"}",
      "\xff\xfe",
      "{\"op\":\"smem_descriptor.decode\"}",
      deep,
      R"({"op":"smem_descriptor.decode","arch":"sm_90","descriptor":1e3})",
      R"({"op":"smem_descriptor.decode","arch":"sm_80","descriptor":1})",
      R"({"op":"smem_descriptor.decode","arch":"sm_90","descriptor":-1})",
      R"({"op":"smem_descriptor.decode","arch":["sm_90"],"descriptor":1})",
      R"({"op":"smem_descriptor.decode","arch":"sm_90","descriptor":true})",
      R"({"op":"smem_descriptor.decode","arch":"sm_90",)"
      R"("descriptor":"0x10000000000000000"})",
      R"({"op":"operand.addresses","arch":"sm_90","descriptor":1,)"
      R"("major":"k","element":"f16","mn":9223372036854775808,"k":16})",
      R"({"op":"operand.addresses","arch":"sm_90","descriptor":1,)"
      R"("major":"k","element":"f16","mn":65536,"k":65536})"};
  std::string text;
  for (const std::string& line : lines) text += line + "\n" + good + "\n";
  std::istringstream in(text);
  std::ostringstream out;
  BOOST_TEST(lc::verify::run_batch(in, out) == 0);
  std::istringstream answers(out.str());
  std::string answer;
  for (const std::string& line : lines) {
    BOOST_TEST_REQUIRE(static_cast<bool>(std::getline(answers, answer)));
    const json bad = json::parse(answer);
    BOOST_TEST((bad["ok"] == false), line.substr(0, 80));
    BOOST_TEST(bad["error"]["what"].get<std::string>().size() > 3u);
    BOOST_TEST(bad["error"].contains("where"));
    BOOST_TEST(bad["error"].contains("hint"));
    BOOST_TEST_REQUIRE(static_cast<bool>(std::getline(answers, answer)));
    BOOST_TEST((json::parse(answer)["ok"] == true));
    BOOST_TEST((json::parse(answer)["id"] == 9));
  }
  BOOST_TEST(!std::getline(answers, answer));
}

BOOST_AUTO_TEST_CASE(misspelt_names_get_a_suggestion) {
  const auto hint = [](const char* line) { return ask(line)["error"]["hint"].get<std::string>(); };
  BOOST_TEST(hint(R"({"op":"smem_descriptor.decod"})").find("smem_descriptor.decode") !=
             std::string::npos);
  BOOST_TEST(
      hint(R"({"op":"smem_descriptor.decode","arch":"sm90","descriptor":1})").find("sm_90") !=
      std::string::npos);
  BOOST_TEST(
      hint(R"({"op":"smem_descriptor.decode","arch":"sm_90","descripto":1})").find("descripto") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(unknown_fields_are_told_and_known_ones_are_not) {
  const auto notes = [](const std::string& extra) {
    const json answer = ask(R"({"op":"smem_descriptor.encode","arch":"sm_90","start_address":1024,)"
                            R"("stride_byte_offset":1024,"swizzle":"128B","id":1)" +
                            extra + "}");
    int n = 0;
    for (const json& f : answer["findings"]) n += f["rule"] == "request.unknown-field";
    return n;
  };
  BOOST_TEST(notes("") == 0);
  BOOST_TEST(notes(R"(,"base_offset":0)") == 0);
  BOOST_TEST(notes(R"(,"base_ofset":1)") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
