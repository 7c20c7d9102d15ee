#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/test.h"
#include "tests/verify/dump_maker.h"
#include "verify/commands/commands.h"
#include "verify/error.h"

using namespace lc;
using lc::tests::box_description;
using lc::tests::operand_description;
using lc::tests::right_bytes;
using lc::verify::Question;

BOOST_AUTO_TEST_SUITE(check_command_tests)

namespace {

struct Ran {
  int code;
  std::string text;
};

Ran run(const std::vector<std::string>& files, bool json = false) {
  std::ostringstream out;
  const verify::Output output{out, verify::Paint{}, json};
  const int code = verify::check_command().run(Question{{"file", files}}, output);
  return {code, out.str()};
}

bool has(const Ran& ran, const std::string& text) {
  return ran.text.find(text) != std::string::npos;
}

/// Lines that are a path are as long as it is.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('/')) continue;
    longest = std::max(longest, verify::display_width(line));
  }
  return longest;
}

std::vector<std::string> dumps(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(LC_GOLDEN_DIR "/dumps" + folder)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A file that goes away with the test.
struct Scratch {
  explicit Scratch(const std::string& bytes) {
    std::string name = std::filesystem::temp_directory_path() / "lc_check_XXXXXX";
    const int fd = mkstemp(name.data());
    if (fd >= 0) close(fd);
    path = name;
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~Scratch() { std::filesystem::remove(path); }
  std::string path;
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_dump_from_the_h200_is_the_same) {
  const std::vector<std::string> files = dumps("");
  BOOST_TEST(files.size() >= 6u);
  const Ran ran = run(files);
  BOOST_TEST(ran.code == 0, ran.text);
  BOOST_TEST(has(ran, " 0 differ, 0 could not be checked"));
  BOOST_TEST(longest_line(ran.text) <= verify::kColumns);
}

BOOST_AUTO_TEST_CASE(the_mistakes_made_on_the_h200_are_named) {
  const Ran ran = run(dumps("/mistakes"));
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(has(ran, R"(
A.shifted.address_keys.base_offset1, 0x480..0x880: 1022 of 1024 bytes differ, first at 0x480
  at        byte 0 of the window, bank 0, bank sector S0, atom 0 line 1, source byte 0
  expected  2f 12 a1 a6 a9 40 86 2f 84 21 4b e5 49 ef c7 d9  mn 0, k 0..7 (chunk q0)
  found     fb 2f 2b f9 f2 67 3b f0 92 94 f8 cd a3 0c f7 c9  mn 0, k 8..15
  every difference fits a tile that is swizzled by absolute addresses, as TMA writes and base offset
  0 reads
  try: set base offset 0, or align the tile to 512 bytes
)"),
             ran.text);
  BOOST_TEST(has(ran, R"(
  every difference fits a tile that is swizzled relative to its own start: key 0 in its first row,
  as with base offset 1
  try: align the tile to 512 bytes, or set base offset 1
)"),
             ran.text);
  BOOST_TEST(longest_line(ran.text) <= verify::kColumns);
}

BOOST_AUTO_TEST_CASE(json_is_one_object_with_all_that_is_known) {
  const Ran ran = run(dumps("/mistakes"), true);
  BOOST_TEST(ran.code == 1);
  const Question answer = Question::parse(ran.text);
  BOOST_TEST(answer["ok"] == true);
  BOOST_TEST(answer["result"] == "differs");
  const Question& file = answer["files"][0];
  BOOST_TEST(file["facts"]["device"].is_string());
  const Question& tile = file["tiles"][0];
  BOOST_TEST(tile["tile"] == "A.shifted.address_keys.base_offset1");
  BOOST_TEST(tile["result"] == "differs");
  BOOST_TEST(tile["differing"] == 1022);
  BOOST_TEST(tile["compared"] == 1024);
  const Question& first = tile["first_difference"];
  BOOST_TEST(first["address"] == 0x480);
  BOOST_TEST(first["bank_sector"] == 0);
  BOOST_TEST(first["elements"] == "mn 0, k 0..7");
  BOOST_TEST(first["found_elements"] == "mn 0, k 8..15");
  BOOST_TEST(first["expected"].get<std::string>().size() == 32u);
  const Question& reason = tile["diagnosis"];
  BOOST_TEST(reason["complete"] == true);
  BOOST_TEST(reason["explanations"][0]["kind"] == "base-phase");
  BOOST_TEST(reason["explanations"][0]["explained"] == 1022);
  BOOST_TEST(Question::parse(run(dumps(""), true).text)["result"] == "same");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_checked_ends_with_2_and_a_reason) {
  const auto expect = [](const std::string& path, const char* mentions) {
    const Ran ran = run({path});
    BOOST_TEST(ran.code == 2);
    BOOST_TEST(has(ran, mentions), ran.text);
    BOOST_TEST(longest_line(ran.text) <= verify::kColumns);
    const Question answer = Question::parse(run({path}, true).text);
    BOOST_TEST(answer["ok"] == false);
    BOOST_TEST(answer["result"] == "unknown");
    BOOST_TEST(answer["files"][0]["error"]["what"].get<std::string>().find(mentions) !=
               std::string::npos);
  };
  expect("/nowhere/at/all", "cannot be opened");
  expect("/", "directory");
  const Scratch empty(""), text("this is no dump file, but some text that is long enough");
  expect(empty.path, "0 bytes");
  expect(text.path, "only");
  BOOST_CHECK_THROW(verify::check_command().run(Question::object(), {std::cout}), verify::Error);
}

BOOST_AUTO_TEST_CASE(one_bad_tile_does_not_hide_the_others) {
  const verify::TileDescription d = box_description();
  std::vector<std::uint8_t> right = right_bytes(d, 0x800), wrong = right;
  wrong[5] ^= 0x10;
  const Scratch file(
      tests::made_file({{"right", d, right}, {"wrong", d, wrong}}, {{"what", right}}));
  const Ran ran = run({file.path, dumps("").front()});
  BOOST_TEST(ran.code == 2);
  BOOST_TEST(has(ran, "no description"), ran.text);
  BOOST_TEST(has(ran, "1 differ"));
  BOOST_TEST(has(ran, "1 byte differs (bits 0x10): looks like corruption, not layout"));
  BOOST_TEST(has(ran, "1 could not be checked"));
}

BOOST_AUTO_TEST_CASE(a_raw_address_in_the_descriptor_is_guessed) {
  verify::TileDescription d = operand_description();
  const std::vector<std::uint8_t> bytes = right_bytes(d, 0x2000);
  d.descriptor_word = (d.descriptor_word & ~std::uint64_t{0x3fff}) | 0x400;  // not >> 4
  const Scratch file(tests::made_file({{"A", d, bytes}}));
  const Ran ran = run({file.path});
  BOOST_TEST(ran.code == 2);
  BOOST_TEST(has(ran, "was 0x400 meant?"), ran.text);
}

BOOST_AUTO_TEST_CASE(long_names_and_many_wrong_tiles_keep_the_report_readable) {
  const verify::TileDescription d = box_description();
  verify::TileDescription other = d;
  other.map.swizzle = Swizzle::none;
  std::vector<tests::MadeTile> tiles;
  for (int i = 0; i < 40; ++i) {
    tiles.push_back({"a/very/long/name/of/a/tile/that/somebody/gave/" + std::to_string(i), d,
                     right_bytes(other, 0x800)});
  }
  const Scratch file(tests::made_file(tiles));
  const Ran ran = run({file.path});
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(has(ran, "and 28 more that differ"), ran.text);
  BOOST_TEST(longest_line(ran.text) <= verify::kColumns);
}

BOOST_AUTO_TEST_SUITE_END()
