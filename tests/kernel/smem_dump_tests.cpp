#include "kernel/dump_file.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>  // json

#include "tests/test.h"

using namespace lc::kernel;

namespace {

/// A reader of its own: what stands in the file, by the safetensors rules alone.
struct ReadBack {
  nlohmann::json header;
  std::string bytes;

  explicit ReadBack(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    BOOST_TEST_REQUIRE(all.size() >= 8u);
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(all[i]);
    BOOST_TEST_REQUIRE(length <= all.size() - 8);
    BOOST_TEST(length % 8 == 0u);
    header = nlohmann::json::parse(all.substr(8, length));
    bytes = all.substr(8 + length);
  }

  std::string tensor(const std::string& name) const {
    const auto& t = header.at(name);
    BOOST_TEST(t.at("dtype") == "U8");
    const std::size_t first = t.at("data_offsets")[0], end = t.at("data_offsets")[1];
    BOOST_TEST(t.at("shape") == nlohmann::json::array({end - first}));
    return bytes.substr(first, end - first);
  }

  nlohmann::json description(const std::string& name) const {
    return nlohmann::json::parse(header.at("__metadata__").at(name).get<std::string>());
  }
};

struct TemporaryFile {
  std::string path =
      (std::filesystem::temp_directory_path() / "layout_check_smem_dump_tests.safetensors");
  ~TemporaryFile() { std::remove(path.c_str()); }
};

TensorMapCall bf16_call() {
  const std::uint64_t dim[] = {128, 64}, strides[] = {256};
  const std::uint32_t box[] = {64, 8}, steps[] = {1, 1};
  return TensorMapCall::of(9, 2, reinterpret_cast<const void*>(0x7f0000000000), dim, strides, box,
                           steps, 0, 3, 2, 0);
}

TileFacts facts(const std::string& name) {
  TileFacts f;
  f.name = name;
  f.smem_address = 1024;
  f.destination = 2048;
  f.arch = 900;
  return f;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(smem_dump_tests)

BOOST_AUTO_TEST_CASE(a_file_reads_back) {
  const TemporaryFile file;
  DumpFile dump;
  dump.set_fact("device", "a \"quoted\"\nname \\");
  dump.add({"empty", {}, ""});
  dump.add({"one", {1, 2, 3}, "{\"arch\":\"sm_90\"}"});
  dump.add({"two", {0, 255}, ""});
  dump.write(file.path);

  const ReadBack back(file.path);
  BOOST_TEST(back.header.at("__metadata__").at("layout-check") == "1");
  BOOST_TEST(back.header.at("__metadata__").at("device") == "a \"quoted\"\nname \\");
  BOOST_TEST(back.tensor("empty") == "");
  BOOST_TEST(back.tensor("one") == "\1\2\3");
  BOOST_TEST(back.tensor("two") == std::string("\0\xff", 2));
  BOOST_TEST(back.description("one").at("arch") == "sm_90");
  BOOST_TEST(!back.header.at("__metadata__").contains("two"));
  BOOST_TEST(back.bytes.size() == 5u);
}

BOOST_AUTO_TEST_CASE(a_tensor_map_is_described_in_the_words_of_the_format) {
  TileFacts f = facts("A");
  f.coordinates = {-64, 8};
  f.cta[1] = 3;
  f.stage = 2;
  auto d = TileDescription::copied_by_tma(bf16_call()).from({"", 0x1000000, 64, {}});
  d.untouched = 205;
  const auto j = nlohmann::json::parse(json_text(f, d));
  const auto want = nlohmann::json::parse(R"({
    "arch": "sm_90", "smem_address": 1024, "destination": 2048, "coordinates": [-64, 8],
    "tensor_map": {"data_type": "bf16", "global_address": "0x7f0000000000",
      "global_dim": [128, 64], "global_strides": [256], "box_dim": [64, 8],
      "element_strides": [1, 1], "interleave": "none", "swizzle": "128B",
      "l2_promotion": "128B", "oob_fill": "zero"},
    "source": {"pattern": "mix32", "seed": "0x1000000", "byte_offset": 64}, "untouched": 205,
    "cta": [0, 3, 0], "stage": 2, "obtained": "hardware"})");
  BOOST_TEST(j == want);
}

BOOST_AUTO_TEST_CASE(an_operand_is_described_in_the_words_of_the_format) {
  TileFacts f = facts("B");
  f.has_descriptor = true;
  f.descriptor = 0x4000408000400440;
  f.arch = 1000;
  TileSource source;
  source.tensor = "B_global";
  source.byte_offset = 32;
  source.strides = {2, 256};
  auto d = TileDescription::read_as({"f16", "mn", 128, 32}).from(source);
  const auto j = nlohmann::json::parse(json_text(f, d));
  const auto want = nlohmann::json::parse(R"({
    "arch": "sm_100", "smem_address": 1024, "descriptor": "0x4000408000400440", "major": "mn",
    "element": "f16", "mn": 128, "k": 32, "source": {"tensor": "B_global", "byte_offset": 32},
    "source_strides": [2, 256], "cta": [0, 0, 0], "stage": 0, "obtained": "hardware"})");
  BOOST_TEST(j == want);
  d.operand.arch = "sm_90";  // a descriptor of the other form
  BOOST_TEST(nlohmann::json::parse(json_text(f, d)).at("arch") == "sm_90");
}

BOOST_AUTO_TEST_CASE(coordinates_of_an_operand_say_where_in_the_matrix_it_is) {
  TileFacts f = facts("A");
  f.has_descriptor = true;
  f.coordinates = {128, 32};
  TileSource source;
  source.tensor = "A_global";
  source.byte_offset = 16;
  source.strides = {400, 2};
  auto d = TileDescription::read_as({"f16", "k", 128, 32, 0, "", {130, 40}}).from(source);
  const auto j = nlohmann::json::parse(json_text(f, d));
  BOOST_TEST(j.at("source").at("byte_offset") == 16 + 128 * 400 + 32 * 2);
  BOOST_TEST(j.at("source_bounds") == nlohmann::json::array({128, 130, 32, 40}));
  f.coordinates.clear();
  BOOST_CHECK_THROW(json_text(f, d), SmemDumpError);  // bounds of nothing
  d.operand.bounds.clear();
  const auto plain = nlohmann::json::parse(json_text(f, d));
  BOOST_TEST(plain.at("source").at("byte_offset") == 16);
  BOOST_TEST(!plain.contains("source_bounds"));
}

BOOST_AUTO_TEST_CASE(half_a_description_is_refused) {
  const auto map = TileDescription::copied_by_tma(bf16_call());
  TileFacts f = facts("A");
  BOOST_CHECK_THROW(json_text(f, map), SmemDumpError);  // no coordinates
  f.coordinates = {0};
  BOOST_CHECK_THROW(json_text(f, map), SmemDumpError);  // too few
  BOOST_CHECK_THROW(json_text(f, TileDescription::read_as({"f16", "k", 8, 8})), SmemDumpError);
  TensorMapCall call = bf16_call();
  call.data_type = 16;
  BOOST_CHECK_THROW(json_text(call), SmemDumpError);
  call.data_type = -1;
  BOOST_CHECK_THROW(json_text(call), SmemDumpError);
  BOOST_CHECK_THROW(
      TensorMapCall::of(0, 6, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0),
      SmemDumpError);
}

BOOST_AUTO_TEST_CASE(names_that_would_collide_are_refused) {
  for (const char* name : {"", "__metadata__", "layout-check", "device"}) {
    DumpFile dump;
    dump.set_fact("device", "x");
    dump.add({name, {1}, ""});
    BOOST_TEST_CONTEXT(name) BOOST_CHECK_THROW(dump.header(), SmemDumpError);
  }
  DumpFile twice;
  twice.add({"A", {1}, ""});
  twice.add({"A", {2}, ""});
  BOOST_CHECK_THROW(twice.header(), SmemDumpError);
}

BOOST_AUTO_TEST_CASE(a_path_that_cannot_be_written_is_named) {
  try {
    DumpFile().write("/nowhere/at/all.safetensors");
    BOOST_TEST(false);
  } catch (const SmemDumpError& e) {
    BOOST_TEST(std::string(e.what()).find("/nowhere/at/all.safetensors") == 0u);
  }
}

BOOST_AUTO_TEST_CASE(names_say_what_tells_tiles_apart) {
  std::vector<std::pair<TileFacts, DumpFile::Tensor>> tiles;
  const auto tile = [&](const char* name, std::uint32_t cta, std::uint32_t stage) {
    TileFacts f = facts(name);
    f.cta[0] = cta;
    f.stage = stage;
    tiles.push_back({f, {}});
  };
  tile("alone", 4, 2);
  tile("A", 0, 0);
  tile("A", 0, 1);
  tile("A", 0, 0);
  tile("A", 1, 0);
  tile("S", 7, 0);
  tile("S", 7, 1);
  number_and_name(tiles);
  const char* const want[] = {"alone",
                              "A/cta0.0.0/stage0",
                              "A/cta0.0.0/stage1",
                              "A/cta0.0.0/stage0/repeat1",
                              "A/cta1.0.0/stage0",
                              "S/stage0",
                              "S/stage1"};
  BOOST_TEST_REQUIRE(tiles.size() == std::size(want));
  for (std::size_t i = 0; i < tiles.size(); ++i) BOOST_TEST(tiles[i].second.name == want[i]);
}

BOOST_AUTO_TEST_SUITE_END()
