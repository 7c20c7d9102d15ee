#include <nlohmann/json.hpp>

#include "tests/test.h"
#include "verify/batch.h"

using nlohmann::json;

namespace {

json ask(const json& question) {
  return json::parse(lc::verify::answer_line(question.dump(), 1));
}

/// A box of 64 columns and its own descriptor, which match.
json question() {
  return {{"op", "match.tma_to_operand"},
          {"arch", "sm_100"},
          {"data_type", "bf16"},
          {"global_address", 4096},
          {"global_dim", {64, 64}},
          {"global_strides", {128}},
          {"box_dim", {64, 64}},
          {"element_strides", {1, 1}},
          {"interleave", "none"},
          {"swizzle", "128B"},
          {"l2_promotion", "none"},
          {"oob_fill", "zero"},
          {"coordinates", {0, 0}},
          {"smem_address", 1024},
          {"descriptor", "0x4000404000010040"},
          {"major", "k"},
          {"element", "bf16"},
          {"mn", 64},
          {"k", 64},
          {"mn_dimension", 1},
          {"k_dimension", 0}};
}

bool has_rule(const json& answer, const std::string& rule) {
  for (const json& f : answer["findings"]) {
    if (f["rule"] == rule) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(match_ops_tests)

BOOST_AUTO_TEST_CASE(the_word_itself_is_judged) {
  json q = question();
  BOOST_TEST(ask(q)["matches"].get<bool>());
  BOOST_TEST(!has_rule(ask(q), "smem_descriptor.fixed-bits"));
  q["descriptor"] = "0x4000004000010040";  // a wgmma word given to tcgen05
  BOOST_TEST(ask(q)["matches"].get<bool>());
  BOOST_TEST(has_rule(ask(q), "smem_descriptor.fixed-bits"));
}

BOOST_AUTO_TEST_CASE(values_that_a_load_rounds_are_no_bf16) {
  json q = question();
  q["global_dim"] = q["box_dim"] = {32, 64};
  q["data_type"] = "f32";
  BOOST_TEST(!has_rule(ask(q), "match.values-rounded"));
  BOOST_TEST(ask(q)["matches"].get<bool>());
  q["data_type"] = "tf32";
  BOOST_TEST(has_rule(ask(q), "match.values-rounded"));
  q["element"] = "tf32";
  q["k"] = 32;
  BOOST_TEST(!has_rule(ask(q), "match.values-rounded"));
}

BOOST_AUTO_TEST_CASE(every_fix_sent_back_matches_and_breaks_no_rule) {
  for (const char* descriptor : {"0x4002404000010040", "0x4000404000010048", "0x4000408000010040",
                                 "0x8000404000010040", "0x0000404000010040"}) {
    json q = question();
    q["descriptor"] = descriptor;
    const json answer = ask(q);
    BOOST_TEST(!answer["matches"].get<bool>());
    BOOST_TEST_REQUIRE(!answer["fix"].is_null());
    const json again = ask(answer["fix"]["request"]);
    BOOST_TEST(again["matches"].get<bool>());
    for (const json& f : again["findings"]) BOOST_TEST(f["severity"] != "error");
  }
}

BOOST_AUTO_TEST_CASE(no_fix_proposes_what_the_instruction_cannot_read) {
  // The box holds tf32 MN-major; wgmma reads tf32 K-major only.
  json q = question();
  q.update({{"arch", "sm_90"},
            {"data_type", "tf32"},
            {"global_dim", {8, 128}},
            {"global_strides", {32}},
            {"box_dim", {8, 64}},
            {"swizzle", "32B"},
            {"descriptor", "0xc000001000000040"},
            {"element", "tf32"},
            {"mn", 8},
            {"k", 8},
            {"mn_dimension", 0},
            {"k_dimension", 1}});
  const json answer = ask(q);
  BOOST_TEST(!answer["matches"].get<bool>());
  BOOST_TEST(answer["fix"].is_null());
  BOOST_TEST(answer["no_fix"].get<std::string>().size() > 0u);
}

BOOST_AUTO_TEST_CASE(a_copy_that_fails_says_what_to_do) {
  json q = question();
  q["smem_address"] = 1040;
  BOOST_TEST(ask(q)["outcome"] == "misaligned_address");
  BOOST_TEST(ask(q)["no_fix"].get<std::string>().size() > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
