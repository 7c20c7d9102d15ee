#include "verify/run/launch_file.h"

#include <cstring>
#include <fstream>

#include "tests/test.h"
#include "tests/verify/shell.h"
#include "verify/error.h"
#include "verify/run/npy.h"

using namespace lc;
using namespace lc::verify;

BOOST_AUTO_TEST_SUITE(launch_file_tests)

namespace {

/// Where parsing found something wrong; "" when it did not.
std::string where_of(const std::string& text) {
  try {
    parse_launch("l.json", text);
  } catch (const Error& e) {
    return e.where;
  }
  return "";
}

std::string with_argument(const std::string& argument) {
  return R"({"arguments": [)" + argument + "]}";
}

}  // namespace

BOOST_AUTO_TEST_CASE(everything_is_read) {
  const LaunchFile f = parse_launch("dir/l.json", R"({"entry": "k", "grid": [3, "0x2"],
    "block": [128], "cluster": [1], "shared": 1024, "comment": "x",
    "buffers": [{"name": "b", "type": "u8", "shape": [7]}],
    "arguments": [{"u32": 5}, {"s16": -2}, {"f32": 1.5}, {"f16": "0x3c00"}, {"bytes": "0aFF"},
      {"buffer": "a", "type": "f16", "shape": [4, 8], "fill": "iota", "save": "o.npy"},
      {"buffer": "b", "byte_offset": 7}]})");
  BOOST_TEST(f.entry == "k");
  BOOST_TEST((f.grid == std::array<std::uint32_t, 3>{3, 2, 1}));
  BOOST_TEST(f.explicit_cluster);
  BOOST_TEST(f.shared == 1024u);
  BOOST_TEST_REQUIRE(f.arguments.size() == 7u);
  const auto bits = [&](std::size_t i) {
    return std::get<ArgumentSpec::Scalar>(f.arguments[i].value).bits;
  };
  BOOST_TEST(bits(0) == 5u);
  BOOST_TEST(bits(1) == 0xfffeu);
  BOOST_TEST(bits(2) == 0x3fc00000u);
  BOOST_TEST(bits(3) == 0x3c00u);
  BOOST_TEST((std::get<ArgumentSpec::Bytes>(f.arguments[4].value) ==
              ArgumentSpec::Bytes{std::byte{0x0a}, std::byte{0xff}}));
  BOOST_TEST(f.buffers.size() == 2u);
  BOOST_TEST(f.find_buffer("a")->bytes() == 64u);
  BOOST_TEST(f.beside("o.npy") == "dir/o.npy");
  BOOST_TEST_REQUIRE(f.ignored.size() == 1u);
  BOOST_TEST(f.ignored[0] == "dir/l.json: comment");
}

BOOST_AUTO_TEST_CASE(hostile_files_are_refused_where_they_are_wrong) {
  BOOST_TEST(where_of("{}").empty());
  BOOST_TEST(where_of("{\n\"grid\": [1,\n}") == "l.json:3");
  BOOST_TEST(!where_of("[]").empty());
  BOOST_TEST(where_of(R"({"grid": []})") == "l.json: grid");
  BOOST_TEST(where_of(R"({"grid": [1, 1, 1, 1]})") == "l.json: grid");
  BOOST_TEST(where_of(R"({"grid": [1, 0]})") == "l.json: grid[1]");
  BOOST_TEST(where_of(R"({"block": ["a"]})") == "l.json: block[0]");
  BOOST_TEST(where_of(R"({"shared": -1})") == "l.json: shared");
  BOOST_TEST(where_of(R"({"arguments": {}})") == "l.json: arguments");
  BOOST_TEST(where_of(with_argument("5")) == "l.json: arguments[0].");
  BOOST_TEST(where_of(with_argument("{}")) == "l.json: arguments[0].");
  BOOST_TEST(where_of(with_argument(R"({"u8": 256})")) == "l.json: arguments[0].u8");
  BOOST_TEST(where_of(with_argument(R"({"s8": -129})")) == "l.json: arguments[0].s8");
  BOOST_TEST(where_of(with_argument(R"({"f16": "0x10000"})")) == "l.json: arguments[0].f16");
  BOOST_TEST(where_of(with_argument(R"({"bytes": "0"})")) == "l.json: arguments[0].bytes");
  BOOST_TEST(where_of(with_argument(R"({"bytes": "0g"})")) == "l.json: arguments[0].bytes");
  BOOST_TEST(where_of(with_argument(R"({"buffer": "a"})")) == "l.json: arguments[0].buffer");
  const std::string a = R"({"buffer": "a", "type": "f16", "shape": [4]})";
  BOOST_TEST(where_of(with_argument(a + "," + a)) == "l.json: arguments[1].buffer");
  BOOST_TEST(where_of(with_argument(a + R"(, {"buffer": "a", "byte_offset": 9})")) ==
             "l.json: arguments[1].byte_offset");
  const auto shaped = [](const std::string& shape) {
    return where_of(with_argument(R"({"buffer": "a", "type": "f16", "shape": )" + shape + "}"));
  };
  BOOST_TEST(shaped("[0]") == "l.json: arguments[0].shape");
  BOOST_TEST(shaped("[4294967296, 4294967296, 4294967296]") == "l.json: arguments[0].shape");
  BOOST_TEST(where_of(with_argument(R"({"tensor_map": {}})")) ==
             "l.json: arguments[0].tensor_map.buffer");
  BOOST_TEST(where_of(with_argument(
                 R"({"tensor_map": {"buffer": "x", "data_type": "f16", "global_dim": [64],
                 "box_dim": [64]}})")) == "l.json: arguments[0].tensor_map.buffer");
}

BOOST_AUTO_TEST_CASE(npy_files_come_back_as_they_were_written) {
  const tests::Scratch scratch;
  const std::string path = scratch.file("a.npy").string();
  const std::vector<std::vector<std::uint64_t>> shapes{{}, {5}, {2, 3}, {1, 2, 3, 4}};
  for (const std::vector<std::uint64_t>& shape : shapes) {
    std::uint64_t count = 1;
    for (const std::uint64_t d : shape) count *= d;
    std::vector<std::byte> values(count * 4);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i * 7);
    write_npy(path, "<f4", shape, values);
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::span<const std::uint8_t> bytes{reinterpret_cast<const std::uint8_t*>(text.data()),
                                              text.size()};
    const Npy npy = parse_npy(path, bytes);
    BOOST_TEST(npy.shape == shape, boost::test_tools::per_element());
    BOOST_TEST(npy.item_bytes == 4u);
    BOOST_TEST(std::memcmp(npy.bytes.data(), values.data(), values.size()) == 0);
    // Cut anywhere it is refused.
    for (std::size_t n = 0; n < text.size(); ++n) {
      BOOST_CHECK_THROW(parse_npy(path, bytes.first(n)), Error);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
