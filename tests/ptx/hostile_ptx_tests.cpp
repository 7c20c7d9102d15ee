#include <chrono>

#include "sim/ptx/parser.h"
#include "sim/ptx/printer.h"
#include "tests/golden.h"
#include "tests/test.h"

// Text that nobody meant to be PTX: a message, never a crash, in time linear in its length.
namespace lc::tests {
namespace {

constexpr const char* kHead = ".version 9.0 .target sm_100a .address_size 64\n";

/// 1: accepted, and then it must print and parse back; 0: refused with a message.
int judged(const std::string& text) {
  try {
    const ptx::Module module = ptx::parse(text, "k.ptx");
    BOOST_TEST_REQUIRE((ptx::parse(ptx::print(module), "k.ptx") == module));
    return 1;
  } catch (const ptx::ParseError& error) {
    BOOST_TEST_REQUIRE(!error.message.empty());
    BOOST_TEST_REQUIRE(error.at.line > 0u);
    BOOST_TEST_REQUIRE(std::string(error.what()).size() < 1200u);
    return 0;
  }
}

std::string repeated(const std::string& piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

double seconds_to_judge(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  judged(text);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hostile_ptx_tests)

BOOST_AUTO_TEST_CASE(programs_cut_short_anywhere_are_judged) {
  for (const char* name : {"ptx/calls.ptx", "ptx/initialisers.ptx", "ptx/operands.ptx"}) {
    const std::string file = read_text(name);
    const std::string text = file.substr(0, file.find("//// canonical"));
    for (std::size_t length = 0; length < text.size(); length += 3) judged(text.substr(0, length));
  }
}

BOOST_AUTO_TEST_CASE(programs_with_one_byte_changed_are_judged) {
  const std::string bytes = "{}[](),;:.@!%_0xU\"/*|+-<> \n\\#\x80";
  for (const char* name : {"ptx/calls.ptx", "ptx/scopes.ptx", "ptx/debug_lines.ptx"}) {
    const std::string file = read_text(name);
    const std::string text = file.substr(0, file.find("//// canonical"));
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::string changed = text;
      changed[at] = bytes[at * 7 % bytes.size()];
      judged(changed);
    }
  }
}

BOOST_AUTO_TEST_CASE(deep_and_long_text_is_judged) {
  constexpr std::size_t kMany = 300000;
  const std::string head = kHead;
  const std::string texts[] = {
      head + ".entry k() " + repeated("{", kMany),
      head + ".entry k() { bar.sync " + repeated("(", kMany),
      head + ".entry k() { bar.sync " + repeated("[", kMany),
      head + ".entry k() { mov.b32 " + repeated("{", kMany),
      head + ".entry k() { call " + repeated("(", kMany),
      head + ".global .b8 a" + repeated("[1]", kMany) + ";",
      head + ".global .b8 a[2] = " + repeated("{", kMany),
      head + ".entry " + repeated("k", kMany) + "() { ret; }",
      head + ".entry k() { ret" + repeated(".x", kMany) + "; }",
      head + ".entry k" + repeated("() .maxntid 1", kMany),
      repeated("\n", kMany) + repeated(" ", kMany) + "x",
      repeated("/*", kMany),
      repeated("#\n", kMany) + "@",
      repeated("\"", kMany),
      head + ".global .attribute(" + repeated("(", kMany),
      head + ".section .x {" + repeated("a ", kMany),
      head + ".pragma " + repeated("\"\",", kMany),
      head + ".entry k() { " + repeated(".reg .b32 %r<16777216>;", 2) + "}",
      head + ".entry k() { L0: t: .branchtargets " + repeated("L<16777216>,", 4) + "L0; }",
  };
  for (const std::string& text : texts) judged(text);
}

/// Twice the text takes about twice the time: repeated declarations, scopes, labels and uses.
BOOST_AUTO_TEST_CASE(time_is_linear) {
  const auto program = [](std::size_t n) {
    std::string text = std::string(kHead) + ".entry k() {\n";
    for (std::size_t i = 0; i < n; ++i) {
      const std::string s = std::to_string(i);
      text += ".reg .b32 a" + s + "_, %r" + s + "x<" + s +
              "1>;\n{ .reg .pred P; L: @P bra L; }\nM" + s + ": mov.b32 a" + s + "_, %r" + s +
              "x0; bra M" + s + ";\n";
    }
    return text + "}\n";
  };
  const double once = seconds_to_judge(program(4000));
  const double eightfold = seconds_to_judge(program(32000));
  BOOST_TEST(eightfold < 40 * once + 0.5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace lc::tests
