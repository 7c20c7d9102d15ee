// A dump that lacks something must not pass as "same".
#include "tests/test.h"
#include "tests/verify/dump_maker.h"
#include "verify/check/check_file.h"

using namespace lc;
using lc::tests::box_description;
using lc::tests::bytes_of;
using lc::tests::checked;
using lc::tests::made_file;
using lc::tests::right_bytes;
using Result = lc::verify::TileReport::Result;

namespace {

constexpr std::size_t kWhole = 2048;  // the box of box_description()

/// The text of a file with one right tile and one more metadata entry.
std::string file_with(const std::string& entry) {
  std::string text = made_file({{"A", box_description(), right_bytes(box_description(), kWhole)}});
  const std::string key = "\"layout-check\"";
  text.insert(text.find(key), entry + ",");
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<std::uint8_t>(text[i]);
  length += entry.size() + 1;
  for (int i = 0; i < 8; ++i) text[i] = static_cast<char>(length >> (8 * i));
  return text;
}

Result result_of(const std::string& text) {
  return verify::check_bytes("made.safetensors", bytes_of(text)).result();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(completeness_tests)

BOOST_AUTO_TEST_CASE(a_window_that_ends_too_early_is_not_same) {
  const auto report = [](std::size_t bytes) {
    return checked({{"A", box_description(), right_bytes(box_description(), bytes)}});
  };
  BOOST_TEST((report(kWhole).result() == Result::same));
  BOOST_TEST((report(kWhole + 128).result() == Result::same));
  BOOST_TEST((report(kWhole - 1).result() == Result::unknown));
  BOOST_TEST((report(1).result() == Result::unknown));
}

BOOST_AUTO_TEST_CASE(a_short_window_that_differs_still_differs) {
  std::vector<std::uint8_t> bytes = right_bytes(box_description(), kWhole - 16);
  bytes[100] ^= 1;
  BOOST_TEST((checked({{"A", box_description(), bytes}}).result() == Result::differs));
}

BOOST_AUTO_TEST_CASE(tiles_that_are_only_described_or_said_to_be_missing) {
  BOOST_TEST((result_of(file_with("\"command\":\"x\"")) == Result::same));
  BOOST_TEST((result_of(file_with("\"B\":\"{}\"")) == Result::unknown));
  BOOST_TEST((result_of(file_with("\"incomplete\":\"7 tiles\"")) == Result::unknown));
}

BOOST_AUTO_TEST_CASE(a_tile_is_no_source_of_itself) {
  verify::TileDescription d = box_description();
  d.source.kind = verify::Source::Kind::tensor;
  d.source_name = "A";
  BOOST_TEST((checked({{"A", d, std::vector<std::uint8_t>(kWhole)}}).result() == Result::unknown));
}

BOOST_AUTO_TEST_SUITE_END()
