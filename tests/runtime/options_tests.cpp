#include <map>
#include <string>

#include "sim/runtime/options.h"

using namespace lc::runtime;

namespace {

Options read(const std::map<std::string, std::string>& set, std::string& problem) {
  return read_options(
      [&](const char* name) {
        const auto at = set.find(name);
        return at != set.end() ? at->second.c_str() : nullptr;
      },
      problem);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(options_tests)

BOOST_AUTO_TEST_CASE(amounts_take_a_unit_and_nothing_else) {
  BOOST_TEST(parse_amount("64").value() == 64U);
  BOOST_TEST(parse_amount("0x10").value() == 16U);
  BOOST_TEST(parse_amount("3K").value() == 3072U);
  BOOST_TEST(parse_amount("2G").value() == std::uint64_t{2} << 30);
  BOOST_TEST(parse_amount("17179869183G").value() == std::uint64_t{17179869183} << 30);
  for (const char* wrong : {"", "K", "12Q", "-1", "1 ", "17179869184G", "99999999999999999999"}) {
    BOOST_TEST(!parse_amount(wrong).has_value(), wrong);
  }
}

BOOST_AUTO_TEST_CASE(every_variable_is_read) {
  std::string problem;
  const Options o = read({{"LC_DEVICE", "h200"},
                          {"LC_SCHEDULE", "random:7"},
                          {"LC_MEMORY_LIMIT", "1G"},
                          {"LC_INSTRUCTION_LIMIT", "5M"},
                          {"LC_HOST_THREADS", "3"},
                          {"LC_FRESH_SHARED", "0xcd"},
                          {"LC_FRESH_GLOBAL", "255"},
                          {"LC_TRACE", "1"},
                          {"LC_KEEP_PTX", "/tmp"}},
                         problem);
  BOOST_TEST(problem.empty());
  BOOST_TEST((o.device == Options::Device::h200));
  BOOST_TEST((o.schedule == lc::machine::Schedule{lc::machine::Schedule::Kind::random, 7}));
  BOOST_TEST(o.memory_limit.value() == std::uint64_t{1} << 30);
  BOOST_TEST(o.instruction_limit == std::uint64_t{5} << 20);
  BOOST_TEST(o.host_threads == 3U);
  BOOST_TEST((o.fresh_shared == std::byte{0xcd} && o.fresh_global == std::byte{255}));
  BOOST_TEST(o.trace);
  BOOST_TEST(o.ptx_directory == "/tmp");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_understood_is_told_and_left_at_its_default) {
  for (const char* name : {"LC_DEVICE", "LC_SCHEDULE", "LC_MEMORY_LIMIT", "LC_INSTRUCTION_LIMIT",
                           "LC_HOST_THREADS", "LC_FRESH_SHARED", "LC_FRESH_GLOBAL", "LC_TRACE"}) {
    std::string problem;
    const Options o = read({{name, "256?"}}, problem);
    BOOST_TEST(problem.starts_with(std::string(name) + "=256? is not "), problem);
    BOOST_TEST((o.device == Options::Device::automatic && !o.memory_limit && !o.trace));
  }
}

BOOST_AUTO_TEST_SUITE_END()
