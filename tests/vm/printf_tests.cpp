#include "sim/isa/printf.h"

#include <cstdio>
#include <deque>

#include "tests/test.h"

BOOST_AUTO_TEST_SUITE(printf_tests)

namespace {

std::string print(std::string_view format, std::deque<std::uint64_t> words) {
  lc::isa::PrintfSource source;
  source.take = [&](std::uint32_t bytes) {
    const std::uint64_t w = words.empty() ? 0 : words.front();
    if (!words.empty()) words.pop_front();
    return bytes == 4 ? w & 0xFFFFFFFF : w;
  };
  source.text = [](std::uint64_t address) { return "text" + std::to_string(address); };
  return lc::isa::formatted(format, source);
}

std::uint64_t bits(double d) {
  return std::bit_cast<std::uint64_t>(d);
}

}  // namespace

BOOST_AUTO_TEST_CASE(conversions_are_those_of_c) {
  BOOST_TEST(print("plain %% text\n", {}) == "plain % text\n");
  BOOST_TEST(print("%d %i", {static_cast<std::uint32_t>(-5), 7}) == "-5 7");
  BOOST_TEST(print("%5u|%-5u|%05u", {1, 2, 3}) == "    1|2    |00003");
  BOOST_TEST(print("%#x %X %o", {255, 255, 8}) == "0xff FF 10");
  BOOST_TEST(print("%lld %llu %lx", {~0ull, ~0ull, 1ull << 40}) ==
             "-1 18446744073709551615 10000000000");
  BOOST_TEST(print("%zu %hhd", {1ull << 33, 4}) == "8589934592 4");
  BOOST_TEST(print("%f %.2e %g", {bits(1.5), bits(1234.5), bits(0.25)}) ==
             "1.500000 1.23e+03 0.25");
  BOOST_TEST(print("%c%s", {'A', 3}) == "Atext3");
  BOOST_TEST(print("%*d|%.*f", {4, 9, 1, bits(2.25)}) == "   9|2.2");
}

BOOST_AUTO_TEST_CASE(what_is_no_conversion_stays) {
  BOOST_TEST(print("%", {}) == "%");
  BOOST_TEST(print("%y", {}) == "%y");
  BOOST_TEST(print("100%", {}) == "100%");
}

BOOST_AUTO_TEST_CASE(a_format_cannot_ask_for_endless_text) {
  BOOST_TEST(print("%99999999999d", {1}).size() <= 4096u);
  BOOST_TEST(print("%.99999999999f", {bits(1e300)}).size() <= 12800u);
}

BOOST_AUTO_TEST_CASE(conversions_are_counted) {
  BOOST_TEST(lc::isa::count_conversions("%d %s %% %*f") == 4u);
  BOOST_TEST(lc::isa::count_conversions("none") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
