// The batch ops on instruction descriptors, Tensor Memory, banks and mbarriers: the shape of their
// answers, and what they do with questions nobody should ask.
#include <nlohmann/json.hpp>

#include "tests/test.h"
#include "verify/batch.h"

using nlohmann::json;

namespace {

json ask(const json& question) {
  return json::parse(lc::verify::answer_line(question.dump(), 1));
}

/// A question of an op, with some fields changed; null takes a field away.
json with(json question, const json& change) {
  for (const auto& [field, value] : change.items()) {
    question[field] = value;
    if (value.is_null()) question.erase(field);
  }
  return question;
}

bool has_rule(const json& answer, const std::string& rule) {
  for (const json& f : answer.at("findings")) {
    if (f.at("rule") == rule) return true;
  }
  return false;
}

bool has_error(const json& answer) {
  for (const json& f : answer.at("findings")) {
    if (f.at("severity") == "error") return true;
  }
  return false;
}

const json kEncode = {{"op", "instruction_descriptor.encode"},
                      {"kind", "f16"},
                      {"d", "f32"},
                      {"a", "bf16"},
                      {"b", "bf16"},
                      {"m", 128},
                      {"n", 128}};
const json kLoad = {{"op", "tmem.load_map"}, {"shape", "32x32b"}, {"num", 2}, {"pack", false}};
const json kD = {{"op", "tmem.d_map"}, {"m", 128},    {"n", 8},
                 {"cta_group", 1},     {"ws", false}, {"sparse", false}};
const json kA = {{"op", "tmem.a_map"}, {"kind", "f16"}, {"m", 128}, {"k", 16}, {"cta_group", 1}};
const json kSf = {
    {"op", "tmem.sf_map"}, {"kind", "mxf8f6f4"}, {"scale_type", "ue8m0"}, {"mn", 128}, {"k", 128}};
const json kRun = {{"op", "mbarrier.run"},
                   {"count", 2},
                   {"ops", json::parse(R"([["arrive", 1], ["arrive", 1]])")}};

json lanes(std::uint32_t base, std::uint32_t stride) {
  json list = json::array();
  for (std::uint32_t l = 0; l < 32; ++l) list.push_back(base + l * stride);
  return list;
}

const json kAccess = {
    {"op", "banks.access"}, {"kind", "ld"}, {"width", 4}, {"lanes", lanes(1024, 4)}};
const json kRows = {{"op", "banks.rows"}, {"kind", "ld"}, {"width", 4}, {"pitch", 128}};

}  // namespace

BOOST_AUTO_TEST_SUITE(word_ops_tests)

BOOST_AUTO_TEST_CASE(instruction_descriptors_go_round) {
  const json answer = ask(kEncode);
  BOOST_TEST(answer.at("descriptor") == "0x08200490");
  BOOST_TEST(answer.at("k") == 16);
  BOOST_TEST(answer.at("forms") == json({"cta_group::1", "cta_group::2", ".ws, cta_group::1"}));
  BOOST_TEST(answer.at("findings") == json::array());
  const json back = ask({{"op", "instruction_descriptor.decode"},
                         {"kind", "f16"},
                         {"descriptor", answer.at("descriptor")}});
  json again = back;
  for (const char* field : {"id", "ok", "forms", "findings"}) again.erase(field);
  again["op"] = "instruction_descriptor.encode";
  BOOST_TEST(ask(again).at("descriptor") == "0x08200490");
  BOOST_TEST(ask(again).at("findings") == json::array());
}

BOOST_AUTO_TEST_CASE(the_way_of_issue_narrows_the_shape) {
  BOOST_TEST(!has_error(ask(with(kEncode, {{"m", 32}}))));
  BOOST_TEST(has_rule(ask(with(kEncode, {{"m", 32}, {"ws", false}})), "instruction_descriptor.m"));
  BOOST_TEST(
      has_rule(ask(with(kEncode, {{"n", 8}, {"cta_group", 2}})), "instruction_descriptor.n"));
  BOOST_TEST(has_rule(ask(with(kEncode, {{"k", 32}})), "instruction_descriptor.k"));
  BOOST_TEST(!has_error(ask(with(kEncode, {{"k", 32}, {"sparse", true}}))));
}

BOOST_AUTO_TEST_CASE(types_without_a_code_have_no_word) {
  const json answer = ask(with(kEncode, {{"a", "e4m3"}}));
  BOOST_TEST(answer.at("descriptor").is_null());
  BOOST_TEST(has_rule(answer, "instruction_descriptor.a-type"));
  const json decoded =
      ask({{"op", "instruction_descriptor.decode"}, {"kind", "f16"}, {"descriptor", "0x082007b0"}});
  BOOST_TEST(decoded.at("a").is_null());
  BOOST_TEST(decoded.at("d").is_null());
}

BOOST_AUTO_TEST_CASE(fields_a_kind_does_not_have) {
  json scaled = with(kEncode, {{"kind", "mxf4nvf4"}, {"a", "e2m1"}, {"b", "e2m1"}, {"d", nullptr}});
  BOOST_TEST(ask(scaled).at("error").at("where") == "line 1: scale_type");
  scaled["scale_type"] = "ue4m3";
  BOOST_TEST(ask(scaled).at("descriptor") == "0x08200480");
  const json fields = ask(
      {{"op", "instruction_descriptor.decode"}, {"kind", "mxf4"}, {"descriptor", "0x08a00480"}});
  BOOST_TEST(fields.at("scale_type") == "ue8m0");
  BOOST_TEST(!fields.contains("saturate"));
  BOOST_TEST(has_rule(ask(with(kEncode, {{"scale_type", "ue8m0"}})), "request.unknown-field"));
  BOOST_TEST(has_error(ask(with(kEncode, {{"sfa_id", 1}}))));
}

BOOST_AUTO_TEST_CASE(load_maps_list_thread_then_register_then_half) {
  const json plain = ask(kLoad).at("map");
  BOOST_TEST(plain.size() == 64u);
  BOOST_TEST(plain[2] == json({1, 0}));
  BOOST_TEST(plain[3] == json({1, 1}));
  const json packed = ask(with(kLoad, {{"pack", true}})).at("map");
  BOOST_TEST(packed.size() == 128u);
  BOOST_TEST(packed[3] == json({0, 3}));
  BOOST_TEST(packed[4] == json({1, 0}));
  const json split = with(kLoad, {{"shape", "16x32bx2"}, {"half_split_offset", 65536 * 16 + 8}});
  BOOST_TEST(ask(split).at("map")[33] == json({16, 9}));
  const json back = with(split, {{"half_split_offset", -4}, {"address", 8}, {"warp", 5}});
  BOOST_TEST(ask(back).at("map")[32] == json({32, 4}));
}

BOOST_AUTO_TEST_CASE(d_maps_list_m_then_n) {
  const json answer = ask(kD);
  BOOST_TEST(answer.at("map").size() == 1024u);
  BOOST_TEST(answer.at("map")[9] == json({0, 1, 1}));
  BOOST_TEST(answer.at("layout") == "D");
  const json pair = ask(with(kD, {{"cta_group", 2}, {"n", 16}}));
  BOOST_TEST(pair.at("layout") == "B");
  BOOST_TEST(pair.at("columns") == 8);
  BOOST_TEST(pair.at("map")[64 * 16 + 8] == json({1, 64, 0}));
}

BOOST_AUTO_TEST_CASE(operand_maps_list_every_copy_side_by_side) {
  BOOST_TEST(ask(kA).at("map")[17 * 16 + 3] == json({0, 17, 1, 16}));
  const json twice = ask(with(kA, {{"cta_group", 2}}));
  BOOST_TEST(twice.at("copies") == 2);
  BOOST_TEST(twice.at("map").size() == 128u * 16 * 2);
  BOOST_TEST(twice.at("map")[3] == json({0, 64, 0, 16}));
  const json scale = ask(kSf);
  BOOST_TEST(scale.at("map").size() == 128u * 4 * 4);
  BOOST_TEST(scale.at("map")[(37 * 4 + 2) * 4 + 3] == json({101, 1, 2}));
  const json halves = with(kSf, {{"operand", "b"}, {"m", 128}, {"cta_group", 2}});
  BOOST_TEST(ask(halves).at("map")[64 * 4 * 2] == json({64, 0, 0}));
  BOOST_TEST(ask({{"op", "tmem.cp_map"}, {"shape", "32x128b.warpx4"}}).at("map").size() ==
             32u * 16 * 4);
}

BOOST_AUTO_TEST_CASE(a_broken_rule_leaves_no_map) {
  const json kBroken[] = {
      with(kLoad, {{"num", 3}}),
      with(kLoad, {{"num", 4294967295u}}),
      with(kLoad, {{"address", 512}}),
      with(kLoad, {{"half_split_offset", 1}}),
      with(kD, {{"m", 4294967295u}}),
      with(kD, {{"n", 4294967288u}}),
      with(kD, {{"n", 0}}),
      with(kD, {{"cta_group", 7}}),
      with(kA, {{"k", 4294967295u}}),
      with(kA, {{"m", 0}}),
      with(kSf, {{"k", 4294967295u}}),
      with(kSf, {{"mn", 4294967295u}}),
      with(kSf, {{"mn", 0}}),
      with(kSf, {{"kind", "f16"}}),
  };
  for (const json& question : kBroken) {
    BOOST_TEST_CONTEXT(question.dump()) {
      const json answer = ask(question);
      BOOST_TEST(answer.at("ok") == true);
      BOOST_TEST(answer.at("map") == json::array());
      BOOST_TEST(has_error(answer));
    }
  }
}

BOOST_AUTO_TEST_CASE(collisions_name_group_bank_and_lanes) {
  BOOST_TEST(ask(kAccess).at("collisions") == json::array());
  json list = json::array({1024, 1152, nullptr, 1152});
  while (list.size() < 32) list.push_back(nullptr);
  const json answer = ask(with(kAccess, {{"lanes", list}}));
  BOOST_TEST(answer.at("wavefronts") == 2);
  BOOST_TEST(answer.at("conflicts") == 1);
  const json want = {{"bank", 0}, {"lanes", {0, 1, 3}}, {"wavefronts", 2}, {"group", 0}};
  BOOST_TEST(answer.at("collisions") == json::array({want}));
}

BOOST_AUTO_TEST_CASE(rows_say_which_swizzle_would_not_collide) {
  const json answer =
      ask(with(kRows, {{"kind", "ldmatrix"}, {"width", nullptr}, {"num", 1}, {"rows", 8}}));
  BOOST_TEST(answer.at("wavefronts") == 8);
  BOOST_TEST(answer.at("lanes")[1] == 1152);
  BOOST_TEST(answer.at("lanes")[8].is_null());
  const json best = answer.at("swizzles")[3];
  BOOST_TEST(best.at("swizzle") == "128B");
  BOOST_TEST(best.at("conflicts") == 0);
  BOOST_TEST(best.at("row_fits_span") == true);
}

BOOST_AUTO_TEST_CASE(barriers_stop_where_nothing_is_defined) {
  BOOST_TEST(ask(kRun).at("steps") == json::parse("[[0, 1, 0, 0, 1], [1, 2, 0, 1, 0]]"));
  BOOST_TEST(ask(with(kRun, {{"ops", json::parse(R"([["arrive"]])")}})).at("steps").size() == 1u);
  const json under =
      ask(with(kRun, {{"ops", json::parse(R"([["arrive", 1], ["arrive", 2], ["arrive", 1]])")}}));
  BOOST_TEST(under.at("steps").size() == 1u);
  BOOST_TEST(under.at("findings")[0].at("field") == "ops[1]");
  BOOST_TEST(has_rule(ask(with(kRun, {{"count", 0}})), "mbarrier.count"));
  BOOST_TEST(has_rule(ask(with(kRun, {{"count", 18446744073709551615u}})), "mbarrier.count"));
  BOOST_TEST(has_rule(ask(with(kRun, {{"ops", json::parse(R"([["expect_tx", 4294967295]])")}})),
                      "mbarrier.tx-range"));
  const json open = ask(with(kRun, {{"ops", json::parse(R"([["arrive_expect_tx", 64]])")}}));
  BOOST_TEST(has_rule(open, "mbarrier.open-phase"));
  BOOST_TEST(!has_error(open));
}

BOOST_AUTO_TEST_CASE(barrier_words_decode) {
  // init 2, one arrival, 4096 bytes expected.
  const std::uint64_t word = (0xFFFFEull << 1) | (0x1FF000ull << 21) | (0xFFFFFull << 43);
  const json answer = ask({{"op", "mbarrier.decode"}, {"word", word}});
  BOOST_TEST(answer.at("expected") == 2);
  BOOST_TEST(answer.at("pending") == 1);
  BOOST_TEST(answer.at("tx") == 4096);
  BOOST_TEST(answer.at("phase_parity") == 0);
}

BOOST_AUTO_TEST_CASE(questions_that_are_not_well_formed) {
  const json kBad[] = {
      with(kEncode, {{"kind", "f15"}}),
      with(kEncode, {{"kind", nullptr}}),
      with(kEncode, {{"d", nullptr}}),
      with(kEncode, {{"a", 3}}),
      with(kEncode, {{"m", "many"}}),
      with(kEncode, {{"m", -128}}),
      with(kEncode, {{"n", 4294967296}}),
      with(kEncode, {{"n", 12.5}}),
      with(kEncode, {{"cta_group", 3}}),
      with(kEncode, {{"sparse", 1}}),
      {{"op", "instruction_descriptor.decode"}, {"kind", "f16"}, {"descriptor", "0x100000000"}},
      {{"op", "instruction_descriptor.decode"}, {"kind", "f16"}},
      with(kLoad, {{"shape", "32x32"}}),
      with(kLoad, {{"num", nullptr}}),
      with(kLoad, {{"pack", "yes"}}),
      with(kLoad, {{"shape", "16x32bx2"}}),
      with(kLoad, {{"half_split_offset", 4294967296}}),
      with(kD, {{"m", json::array()}}),
      with(kD, {{"n", 18446744073709551615u}}),
      with(kA, {{"kind", json::object()}}),
      with(kA, {{"k", nullptr}}),
      with(kSf, {{"scale_type", "e8m0"}}),
      with(kSf, {{"block", 17}}),
      with(kSf, {{"operand", "c"}}),
      with(kAccess, {{"width", 3}}),
      with(kAccess, {{"width", 4294967300}}),
      with(kAccess, {{"width", nullptr}}),
      with(kAccess, {{"lanes", {1, 2, 3}}}),
      with(kAccess, {{"lanes", 5}}),
      with(kAccess, {{"kind", "load"}}),
      with(kAccess, {{"kind", "ldmatrix"}, {"num", 3}}),
      with(kRows, {{"pitch", 4294967295u}}),
      with(kRows, {{"rows", 33}}),
      with(kRows, {{"rows", 32}, {"pieces", 2}}),
      with(kRows, {{"pieces", 0}}),
      with(kRun, {{"count", -1}}),
      with(kRun, {{"ops", "arrive"}}),
      with(kRun, {{"ops", json::parse(R"(["arrive"])")}}),
      with(kRun, {{"ops", json::parse(R"([["arive", 1]])")}}),
      with(kRun, {{"ops", json::parse(R"([["expect_tx", -5]])")}}),
      with(kRun, {{"ops", json::parse(R"([["arrive", 4294967296]])")}}),
      with(kRun, {{"ops", json::parse(R"([["expect_tx"]])")}}),
      with(kRun, {{"ops", json::parse(R"([["arrive", 1, 1]])")}}),
      {{"op", "mbarrier.decode"}, {"word", "0x1ffffffffffffffff"}},
  };
  for (const json& question : kBad) {
    BOOST_TEST_CONTEXT(question.dump()) {
      const json answer = ask(question);
      BOOST_TEST(answer.at("ok") == false);
      BOOST_TEST(answer.at("error").at("what").get<std::string>() != "");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
