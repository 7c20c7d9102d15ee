#include "verify/dump/safetensors.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/test.h"
#include "tests/verify/dump_maker.h"
#include "verify/dump/mapped_file.h"
#include "verify/error.h"

using namespace lc::verify;
using lc::tests::bytes_of;

BOOST_AUTO_TEST_SUITE(safetensors_tests)

namespace {

/// A file of this header and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data = 0,
                    std::uint64_t length = UINT64_MAX) {
  if (length == UINT64_MAX) length = header.size();
  std::string file;
  for (unsigned i = 0; i < 8; ++i) file += static_cast<char>(length >> (8 * i) & 0xff);
  return file + header + std::string(data, 'x');
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string refusal(const std::string& file) {
  try {
    parse_safetensors("file", bytes_of(file));
  } catch (const Error& e) {
    return e.where + ": " + e.message;
  }
  return "";
}

std::string entry(const std::string& shape, const std::string& offsets,
                  const std::string& type = "\"U8\"") {
  return "{\"dtype\":" + type + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

struct Case {
  const char* what;
  std::string file;
  const char* mentions;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.what;
}

const Case kBad[] = {
    {"empty file", "", "0 bytes"},
    {"seven bytes", "1234567", "7 bytes"},
    {"length past the file", file_of("{}", 0, 1000), "1000"},
    {"length of 2^64 - 1", file_of("{}", 0, UINT64_MAX - 1), "18446744073709551614"},
    {"no JSON", file_of("hello, world"), "not JSON"},
    {"header of no bytes", file_of(""), "not JSON"},
    {"a list", file_of("[1, 2]"), "object"},
    {"bytes that are no UTF-8", file_of("{\"\xff\xfe\": 1}"), "not JSON"},
    {"nested deeply", file_of(std::string(100000, '[')), "object"},
    {"nested deeply inside", file_of("{\"a\":{\"x\":" + std::string(100000, '[')), "nested"},
    {"nested objects", file_of("{\"a\":" + repeated("{\"a\":", 50000)), "nested"},
    {"something behind the object", file_of("{} {}"), "follows"},
    {"a word that is none", file_of("{\"a\":{\"x\":nil}}"), "value"},
    {"half a surrogate pair", file_of("{\"\\ud800\":1}"), "surrogate"},
    {"an escape that is none", file_of("{\"\\q\":1}"), "escape"},
    {"a control character", file_of("{\"a\tb\":1}"), "control"},
    {"overlong UTF-8", file_of("{\"\xc0\xaf\":1}"), "UTF-8"},
    {"the same key twice",
     file_of("{\"a\":" + entry("[1]", "[0,1]") + ",\"a\":" + entry("[1]", "[0,1]") + "}", 1),
     "twice"},
    {"an entry that is no object", file_of("{\"a\": 7}"), "a"},
    {"no dtype", file_of("{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1), "dtype"},
    {"unknown dtype", file_of("{\"a\":" + entry("[1]", "[0,1]", "\"U7\"") + "}", 1), "U7"},
    {"dtype of a wrong kind", file_of("{\"a\":" + entry("[1]", "[0,1]", "8") + "}", 1), "dtype"},
    {"shape beyond 64 bits", file_of("{\"a\":" + entry("[9223372036854775808, 2]", "[0,0]") + "}"),
     "overflows"},
    {"shape of 2^63", file_of("{\"a\":" + entry("[9223372036854775808]", "[0,1]") + "}", 1),
     "overflows"},
    {"shape whose product wraps to 0",
     file_of("{\"a\":" + entry("[4294967296, 4294967296]", "[0,0]") + "}"), "overflows"},
    {"negative extent", file_of("{\"a\":" + entry("[-1]", "[0,1]") + "}", 1), "shape"},
    {"fractional extent", file_of("{\"a\":" + entry("[1.5]", "[0,1]") + "}", 1), "shape"},
    {"extent beyond 64 bits",
     file_of("{\"a\":" + entry("[99999999999999999999999]", "[0,1]") + "}", 1), "shape"},
    {"offsets reversed", file_of("{\"a\":" + entry("[1]", "[1,0]") + "}", 1), "after end"},
    {"three offsets", file_of("{\"a\":" + entry("[1]", "[0,1,2]") + "}", 2), "data_offsets"},
    {"one offset", file_of("{\"a\":" + entry("[1]", "[0]") + "}", 2), "data_offsets"},
    {"end past the file", file_of("{\"a\":" + entry("[9]", "[0,9]") + "}", 8), "past"},
    {"end of 2^64 - 1", file_of("{\"a\":" + entry("[1]", "[0,18446744073709551615]") + "}", 8),
     "past"},
    {"size against shape", file_of("{\"a\":" + entry("[4]", "[0,8]") + "}", 8), "ask for 4"},
    {"size against dtype", file_of("{\"a\":" + entry("[4]", "[0,4]", "\"F32\"") + "}", 4),
     "ask for 16"},
    {"odd number of nibbles", file_of("{\"a\":" + entry("[3]", "[0,2]", "\"F4\"") + "}", 2),
     "whole number"},
    {"overlap",
     file_of("{\"a\":" + entry("[4]", "[0,4]") + ",\"b\":" + entry("[4]", "[3,7]") + "}", 7),
     "overlap"},
    {"hole",
     file_of("{\"a\":" + entry("[4]", "[0,4]") + ",\"b\":" + entry("[4]", "[5,9]") + "}", 9),
     "belong to no tensor"},
    {"bytes at the end", file_of("{\"a\":" + entry("[4]", "[0,4]") + "}", 5),
     "belong to no tensor"},
    {"metadata of a wrong kind", file_of("{\"__metadata__\": []}"), "__metadata__"},
    {"metadata that is no text", file_of("{\"__metadata__\": {\"a\": 1}}"), "text"},
};

std::filesystem::path scratch(const char* name) {
  return std::filesystem::temp_directory_path() /
         (std::string("lc_safetensors_") + std::to_string(getpid()) + "_" + name);
}

std::string open_refusal(const std::string& path) {
  try {
    const MappedFile file(path);
  } catch (const Error& e) {
    return e.message;
  }
  return "";
}

}  // namespace

BOOST_DATA_TEST_CASE(bad_files_are_refused_with_a_reason, bdata::make(kBad), c) {
  const std::string said = refusal(c.file);
  BOOST_TEST(said.starts_with("file"));
  BOOST_TEST(said.find(c.mentions) != std::string::npos, said);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  const std::vector<std::uint8_t> a(100, 1), b(7, 2), none;
  const std::map<std::string, std::string> metadata{{"layout-check", "1"}, {"a", "{\"x\":\"é\"}"}};
  const std::string file = safetensors_file({{"a", a}, {"none", none}, {"b/1", b}}, metadata);
  BOOST_TEST(file.size() % 8 == (100u + 7) % 8);
  const SafeTensors back = parse_safetensors("file", bytes_of(file));
  BOOST_TEST_REQUIRE(back.tensors.size() == 3u);
  BOOST_TEST((back.metadata == metadata));
  for (const auto& [name, bytes] :
       {std::pair("a", a), std::pair("b/1", b), std::pair("none", none)}) {
    const SafeTensor* t = back.find(name);
    BOOST_TEST_REQUIRE(t != nullptr);
    BOOST_TEST(t->dtype == "U8");
    BOOST_TEST(std::equal(t->bytes.begin(), t->bytes.end(), bytes.begin(), bytes.end()));
  }
  BOOST_TEST(back.find("c") == nullptr);
}

BOOST_AUTO_TEST_CASE(every_dtype_and_empty_shapes_are_sized_right) {
  const std::string file = file_of("{\"a\":" + entry("[3,2]", "[0,12]", "\"BF16\"") +
                                       ",\"b\":" + entry("[]", "[12,20]", "\"F64\"") + ",\"c\":" +
                                       entry("[0,9223372036854775808,4]", "[20,20]", "\"I64\"") +
                                       ",\"d\":" + entry("[4]", "[20,23]", "\"F6_E2M3\"") + "}",
                                   23);
  const SafeTensors back = parse_safetensors("file", bytes_of(file));
  BOOST_TEST(back.find("a")->bytes.size() == 12u);
  BOOST_TEST(back.find("b")->bytes.size() == 8u);
  BOOST_TEST(back.find("c")->bytes.empty());
  BOOST_TEST(back.find("d")->bytes.size() == 3u);
}

BOOST_AUTO_TEST_CASE(escapes_are_read) {
  const std::string file =
      file_of("{\"__metadata__\":{\"a\\u00e9\\ud83d\\ude00\\n\\\"\":\"\xc3\xa9\\/\"}}");
  const SafeTensors back = parse_safetensors("file", bytes_of(file));
  BOOST_TEST_REQUIRE(back.metadata.size() == 1u);
  BOOST_TEST(back.metadata.begin()->first == "a\xc3\xa9\xf0\x9f\x98\x80\n\"");
  BOOST_TEST(back.metadata.begin()->second == "\xc3\xa9/");
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_good_file_is_refused) {
  const std::vector<std::uint8_t> a(64, 1);
  const std::string file = safetensors_file({{"a", a}}, {{"layout-check", "1"}});
  for (std::size_t n = 0; n < file.size(); ++n) {
    BOOST_TEST_REQUIRE(!refusal(file.substr(0, n)).empty(), n);
  }
  BOOST_TEST(refusal(file).empty());
  BOOST_TEST(!refusal(file + "x").empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_regular_file_is_refused) {
  BOOST_TEST(open_refusal("/nowhere/at/all").find("cannot be opened") != std::string::npos);
  BOOST_TEST(open_refusal("/").find("directory") != std::string::npos);
  BOOST_TEST(open_refusal("/dev/null").find("regular") != std::string::npos);
  const std::filesystem::path fifo = scratch("fifo");
  BOOST_TEST_REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  BOOST_TEST(open_refusal(fifo).find("regular") != std::string::npos);
  std::filesystem::remove(fifo);
  const std::filesystem::path empty = scratch("empty");
  std::ofstream(empty).close();
  BOOST_TEST(MappedFile(empty).bytes().empty());
  std::filesystem::remove(empty);
}

BOOST_AUTO_TEST_CASE(files_are_written_and_mapped) {
  const std::vector<std::uint8_t> a(5000, 3);
  const std::filesystem::path path = scratch("tile");
  write_safetensors(path, {{"a", a}}, {});
  MappedFile file(path);
  BOOST_TEST(parse_safetensors(path, file.bytes()).tensors.size() == 1u);
  MappedFile moved(std::move(file));
  BOOST_TEST(moved.bytes().size() > 5000u);
  BOOST_TEST(file.bytes().empty());
  std::filesystem::remove(path);
  BOOST_CHECK_THROW(write_safetensors("/nowhere/x", {{"a", a}}, {}), Error);
  BOOST_CHECK_THROW(safetensors_file({{"a", a}, {"a", a}}, {}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
