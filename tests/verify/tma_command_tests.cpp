#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/test.h"
#include "verify/commands/commands.h"
#include "verify/error.h"

using namespace lc;
using lc::verify::Question;

BOOST_AUTO_TEST_SUITE(tma_command_tests)

namespace {

struct Ran {
  int code;
  std::string text;
};

Ran run(const char* question, bool json = false) {
  std::ostringstream out;
  const verify::Output output{out, verify::Paint{}, json};
  const int code = verify::tma_command().run(Question::parse(question), output);
  return {code, out.str()};
}

bool has(const Ran& ran, const std::string& text) {
  return ran.text.find(text) != std::string::npos;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, verify::display_width(line));
  }
  return longest;
}

constexpr const char* kLegal = R"({"data_type":"bf16","global_dim":["4096","4096"],
  "box_dim":["64","8"],"swizzle":"128B","coordinates":["64","8"],"smem_address":"0x1800"})";

}  // namespace

BOOST_AUTO_TEST_CASE(a_legal_call_shows_where_each_chunk_goes) {
  const Ran ran = run(kLegal);
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(has(ran, "accepted"));
  BOOST_TEST(has(ran, "1024 bytes complete on the barrier"));
  BOOST_TEST(has(ran, "0x1880    r1 q1  r1 q0  r1 q3  r1 q2  r1 q5  r1 q4  r1 q7  r1 q6"));
  BOOST_TEST(longest_line(ran.text) <= verify::kColumns);
}

BOOST_AUTO_TEST_CASE(fill_gaps_and_partly_filled_chunks_are_told_apart) {
  const Ran ran = run(R"({"data_type":"f16","global_dim":["20","64"],"global_strides":["48"],
    "box_dim":["24","12"],"swizzle":"64B","coordinates":["8","60"],"smem_address":"0x480"})");
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(has(ran, "0x480     r0 q1+    r0 q0     .         r0 fill"));
  BOOST_TEST(has(ran, "480 of zero fill"));
  BOOST_TEST(longest_line(ran.text) <= verify::kColumns);
}

BOOST_AUTO_TEST_CASE(an_illegal_call_gets_its_rules_and_the_nearest_legal_one) {
  const Ran ran = run(R"({"data_type":"f16","global_dim":["100","64"],"box_dim":["100","300"],
    "swizzle":"32B"})");
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(has(ran, "refused"));
  BOOST_TEST(has(ran, "tensor_map.stride-alignment"));
  BOOST_TEST(has(ran, "global_strides[0]  200  ->  208"));
  BOOST_TEST(longest_line(ran.text) <= verify::kColumns);
}

BOOST_AUTO_TEST_CASE(a_legal_map_with_a_faulting_copy_is_not_fine) {
  const Ran ran = run(R"({"data_type":"f32","global_dim":["100","64"],"box_dim":["20","30"],
    "coordinates":["2","3"]})");
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(has(ran, "illegal_instruction"));
  BOOST_TEST(!has(ran, "complete on the barrier"));
}

BOOST_AUTO_TEST_CASE(stores_and_reductions) {
  const Ran store = run(R"({"data_type":"f32","global_dim":["18","64"],"global_strides":["80"],
    "box_dim":["20","30"],"operation":"add"})");
  BOOST_TEST(store.code == 0);
  BOOST_TEST(has(store, "2400 bytes written"));
  BOOST_TEST(has(store, "+ = partly outside the tensor"));
  const Ran fault = run(R"({"data_type":"f32","global_dim":["20","64"],"box_dim":["20","30"],
    "operation":"max"})");
  BOOST_TEST(fault.code == 1);
  BOOST_TEST(has(fault, "tma.operation-type"));
}

BOOST_AUTO_TEST_CASE(json_is_one_object) {
  const Ran ran = run(kLegal, true);
  const Question answer = Question::parse(ran.text);
  BOOST_TEST(answer.at("op") == "tma");
  BOOST_TEST(answer.at("accepted") == true);
  BOOST_TEST(answer.at("outcome") == "ok");
  BOOST_TEST(answer.at("transaction_bytes") == 1024);
  BOOST_TEST(answer.at("tensor_map").get<std::string>().size() == 256u);
}

BOOST_AUTO_TEST_CASE(im2col_calls) {
  const char* legal = R"({"data_type":"f16","global_dim":["64","14","9","8"],
    "pixel_box_lower":["-1","-1"],"pixel_box_upper":["-1","-1"],"channels_per_pixel":"64",
    "pixels_per_column":"32","swizzle":"128B"})";
  BOOST_TEST(run(legal).code == 0);
  BOOST_TEST(has(run(legal), "cuTensorMapEncodeIm2col"));
  Question illegal = Question::parse(legal);
  illegal["pixels_per_column"] = 1025;
  BOOST_TEST(run(illegal.dump().c_str()).code == 1);
}

BOOST_AUTO_TEST_CASE(sizes_that_nothing_holds_are_errors) {
  BOOST_CHECK_THROW(run(R"({"data_type":"f16","global_dim":["0xffffffffffffffff","4","4"],
    "box_dim":["8","1","1"]})"),
                    verify::Error);
  BOOST_CHECK_THROW(run(R"({"data_type":"f16","global_dim":[],"box_dim":"8"})"), verify::Error);
  BOOST_TEST(run(R"({"data_type":"f16","global_dim":[],"box_dim":[]})").code == 1);
}

BOOST_AUTO_TEST_SUITE_END()
