#include "verify/dump/dump_file.h"

#include <nlohmann/json.hpp>

#include "tests/test.h"
#include "tests/verify/dump_maker.h"
#include "verify/error.h"

using namespace lc;
using namespace lc::verify;
using lc::tests::box_description;
using lc::tests::bytes_of;
using lc::tests::operand_description;

BOOST_AUTO_TEST_SUITE(dump_tests)

namespace {

Question json_of(const TileDescription& d) {
  return Question::parse(description_text(d));
}

/// What the reader says against a description, "" if nothing.
std::string refusal(const Question& description) {
  try {
    parse_description("tile `A`: ", description.dump());
  } catch (const Error& e) {
    return e.where + ": " + e.message;
  }
  return "";
}

/// A good description with one field changed by a JSON merge patch.
struct Case {
  const char* what;
  bool operand;
  const char* patch;
  const char* mentions;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.what;
}

const Case kBad[] = {
    {"no arch", false, R"({"arch": null})", "arch"},
    {"unknown arch", false, R"({"arch": "sm_89"})", "arch"},
    {"no address", false, R"({"smem_address": null})", "smem_address"},
    {"address that is text", false, R"({"smem_address": "here"})", "smem_address"},
    {"address beyond 32 bits", false, R"({"smem_address": 4294967296})", "out of range"},
    {"negative address", false, R"({"smem_address": -1})", "negative"},
    {"neither map nor descriptor", false, R"({"tensor_map": null})", "tensor_map"},
    {"map that is a list", false, R"({"tensor_map": []})", "tensor_map"},
    {"unknown swizzle", false, R"({"tensor_map": {"swizzle": "256B"}})", "tensor_map.swizzle"},
    {"box of another rank", false, R"({"tensor_map": {"box_dim": [64]}})", "tensor_map.box_dim"},
    {"no dimensions", false, R"({"tensor_map": {"global_dim": []}})", "tensor_map.global_"},
    {"illegal box", false, R"({"tensor_map": {"box_dim": [128, 16]}})", "span of the swizzle"},
    {"illegal stride", false, R"({"tensor_map": {"global_strides": [8]}})", "global_strides"},
    {"box of 2^64 elements", false,
     R"({"tensor_map": {"box_dim": [18446744073709551615, 18446744073709551615]}})", "box_dim"},
    {"box that its element strides hide from the encoder", false,
     R"({"tensor_map": {"rank": 4, "global_dim": [256, 256, 256, 256], "global_strides":
        [512, 131072, 33554432], "box_dim": [64, 256, 256, 1], "element_strides": [1, 1, 1, 2]},
        "coordinates": [0, 0, 0, 0]})",
     "bytes of shared memory"},
    {"coordinates of another rank", false, R"({"coordinates": [0, 0, 0]})", "coordinates"},
    {"coordinates beyond 32 bits", false, R"({"coordinates": [0, 4294967296]})", "coordinates"},
    {"coordinates off 16 bytes", false, R"({"coordinates": [3, 0]})", "coordinates"},
    {"destination off 128 bytes", false, R"({"destination": 1040})", "multiple of 128"},
    {"no source", false, R"({"source": null})", "source"},
    {"source that is text", false, R"({"source": "A"})", "source"},
    {"pattern and tensor", false, R"({"source": {"tensor": "A"}})", "either"},
    {"unknown pattern", false, R"({"source": {"pattern": "mix64"}})", "mix64"},
    {"no seed", false, R"({"source": {"seed": null}})", "source.seed"},
    {"offset beyond everything", false, R"({"source": {"byte_offset": 18446744073709551615}})",
     "source.byte_offset"},
    {"untouched that is no byte", false, R"({"untouched": 256})", "untouched"},
    {"barriers that are no list", false, R"({"barriers": 8})", "barriers"},
    {"stage that is text", false, R"({"stage": "first"})", "stage"},
    {"kernel that is a number", false, R"({"kernel": 7})", "kernel"},
    {"no major", true, R"({"major": null})", "major"},
    {"unknown element", true, R"({"element": "f17"})", "element"},
    {"no rows", true, R"({"mn": 0})", "mn"},
    {"2^63 rows", true, R"({"mn": 9223372036854775808})", "mn"},
    {"too many elements together", true, R"({"mn": 65536, "k": 65536})", "65536 x 65536"},
    {"a container of 7 bits", true, R"({"container": 7})", "container"},
    {"descriptor that is no number", true, R"({"descriptor": "0xno"})", "descriptor"},
    {"swizzle code without meaning", true,
     R"({"arch": "sm_100", "descriptor": "0xe000404000010040"})", "means nothing"},
    {"three strides", true, R"({"source_strides": [1, 2, 3]})", "source_strides"},
    {"stride beyond everything", true, R"({"source_strides": [9223372036854775807, 2]})",
     "out of range"},
    {"three bounds", true, R"({"source_bounds": [1, 2, 3]})", "source_bounds"},
    {"a size below zero", true, R"({"source_bounds": [0, -1, 0, 8]})", "out of range"},
    {"strides of packed elements", true,
     R"({"arch": "sm_100", "descriptor": "0x4000404000010040", "element": "e2m1",
         "source_strides": [32, 1]})",
     "dense"},
};

}  // namespace

BOOST_DATA_TEST_CASE(bad_descriptions_name_the_field, bdata::make(kBad), c) {
  Question question = json_of(c.operand ? operand_description() : box_description());
  BOOST_TEST_REQUIRE(refusal(question) == "");
  question.merge_patch(Question::parse(c.patch));
  const std::string said = refusal(question);
  BOOST_TEST(said.starts_with("tile `A`: "), said);
  BOOST_TEST(said.find(c.mentions) != std::string::npos, said);
}

BOOST_AUTO_TEST_CASE(descriptions_are_read_back_as_written) {
  TileDescription box = box_description();
  box.coordinates = {64, -3};
  box.untouched = 205;
  box.barriers = {0x1000, 0x1008};
  box.kernel = "k", box.device = "NVIDIA H200", box.command = "run --it", box.obtained = "model";
  box.stage = 2;
  box.cta = {1, 2, 3};
  box.source_offset = 0x10000;
  TileDescription operand = operand_description();
  operand.source_strides = TileDescription::Strides{-256, 2};
  operand.source_bounds = TileDescription::Bounds{128, 200, 0, 8};
  operand.source.kind = Source::Kind::tensor;
  operand.source_name = "A \"global\"";
  TileDescription scales = box_description();
  scales.kind = TileDescription::Kind::scale_factors;
  scales.scale = {256, 8, AtomOrder::mn_first};
  scales.destination = 0x800;
  for (const TileDescription& d : {box, operand, scales}) {
    const std::string text = description_text(d);
    const TileDescription back = parse_description("", text);
    BOOST_TEST(description_text(back) == text);
    BOOST_TEST(back.ignored.empty());
  }
  const TileDescription back = parse_description("", description_text(box));
  BOOST_TEST((back.map == box.map));
  BOOST_TEST((back.coordinates == box.coordinates));
  BOOST_TEST((parse_description("", description_text(operand)).descriptor == operand.descriptor));
}

BOOST_AUTO_TEST_CASE(a_map_that_was_read_before_is_not_mixed_up) {
  const TileDescription d = box_description();
  TileDescription other = d;
  other.map.swizzle = Swizzle::none;
  ReadMap last;
  for (const TileDescription& want : {d, d, other, operand_description(), other, d}) {
    const std::string text = description_text(want);
    BOOST_TEST(description_text(parse_description("", text, &last)) == text);
  }
  Question broken = json_of(d);
  broken["tensor_map"]["box_dim"] = 7;
  BOOST_CHECK_THROW(parse_description("", broken.dump(), &last), Error);
  BOOST_CHECK_THROW(parse_description("", broken.dump(), &last), Error);
  BOOST_TEST((parse_description("", description_text(d), &last).map == d.map));
}

BOOST_AUTO_TEST_CASE(unknown_fields_are_noted) {
  Question question = json_of(box_description());
  question["tensor_map"]["swizle"] = "none";
  question["source"]["note"] = 1;
  question["mood"] = "fine";
  const TileDescription d = parse_description("", question.dump());
  const std::vector<std::string> want{"tensor_map.swizle", "source.note", "mood"};
  BOOST_TEST(d.ignored == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(scale_factors_come_in_whole_blocks) {
  TileDescription d = box_description();
  d.kind = TileDescription::Kind::scale_factors;
  for (const auto& [mn, k] : {std::pair<std::uint64_t, std::uint64_t>{128, 6},
                              {64, 4},
                              {0, 4},
                              {UINT64_MAX, 4},
                              {65536, 65536}}) {
    d.scale.mn = mn, d.scale.k = k;
    BOOST_TEST(refusal(json_of(d)).find("scale_factors.") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(text_that_is_no_description_is_refused) {
  for (const std::string text : {"", "{", "[]", "7", "null", "{\"arch\": \"sm_90\"} x"}) {
    BOOST_CHECK_THROW(parse_description("", text), Error);
  }
  BOOST_CHECK_THROW(parse_description("", std::string(1 << 20, ' ') + "{}"), Error);
  BOOST_CHECK_THROW(parse_description("", std::string(90000, '[')), Error);
}

BOOST_AUTO_TEST_CASE(tensors_without_a_description_are_sources_or_cannot_be_checked) {
  TileDescription d = box_description();
  d.source.kind = Source::Kind::tensor;
  d.source_name = "A_global";
  const std::vector<std::uint8_t> source(64 * 512, 1), bytes(0x800, 1);
  const FileReport good = tests::checked({{"A", d, bytes}}, {{"A_global", source}});
  BOOST_TEST_REQUIRE(good.tiles.size() == 1u);
  BOOST_TEST((good.result() == TileReport::Result::same));

  const FileReport stray = tests::checked({{"A", d, bytes}}, {{"A_global", source}, {"B", bytes}});
  BOOST_TEST_REQUIRE(stray.tiles.size() == 2u);
  BOOST_TEST((stray.result() == TileReport::Result::unknown));
  BOOST_TEST(stray.tiles[1].problem->what == "no description");

  d.source_name = "A_globl";
  const FileReport missing = tests::checked({{"A", d, bytes}}, {{"A_global", source}});
  BOOST_TEST((missing.result() == TileReport::Result::unknown));
  BOOST_TEST(missing.tiles[0].problem->hint.find("A_global") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(files_that_are_no_dumps_are_refused) {
  const std::vector<std::uint8_t> bytes(16, 1);
  const auto problem = [&](const std::string& file) { return check_bytes("f", bytes_of(file)); };
  BOOST_TEST(problem(safetensors_file({}, {})).problem->what.find("no tiles") != std::string::npos);
  BOOST_TEST(problem(safetensors_file({{"a", bytes}}, {{"layout-check", "2"}}))
                 .problem->what.find("version 2") != std::string::npos);
  const FileReport foreign = problem(safetensors_file({{"a", bytes}}, {{"format", "pt"}}));
  BOOST_TEST((foreign.result() == TileReport::Result::unknown));
  BOOST_TEST(foreign.notes.size() == 1u);
  const FileReport gone = problem(safetensors_file(
      {{"a", bytes}}, {{"layout-check", "1"}, {"b", description_text(box_description())}}));
  BOOST_TEST(gone.notes.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
