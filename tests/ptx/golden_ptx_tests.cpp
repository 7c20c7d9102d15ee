#include <cstdlib>
#include <fstream>

#include "sim/ptx/parser.h"
#include "sim/ptx/printer.h"
#include "tests/golden.h"
#include "tests/test.h"

// Files of tests/golden/ptx hold a program and, after a line `//// canonical`, how it is printed.
// errors.txt holds many short programs and what is wrong with each.  LC_BLESS=1 rewrites what is
// expected; read the difference before you commit it.
namespace lc::tests {
namespace {

constexpr const char* kPrograms[] = {"calls.ptx",    "debug_lines.ptx", "initialisers.ptx",
                                     "operands.ptx", "scopes.ptx",      "tma_pipeline.ptx"};
constexpr std::string_view kCanonical = "\n//// canonical\n";
constexpr std::string_view kExpected = "//// expected\n";
constexpr std::string_view kCase = "//// ";

bool blessing() {
  return std::getenv("LC_BLESS") != nullptr;
}

void rewrite(const std::string& name, const std::string& text) {
  std::ofstream file(std::string(LC_GOLDEN_DIR) + "/" + name, std::ios::binary);
  file << text;
}

/// The message of the parser; "accepted" without one.
std::string verdict(const std::string& text) {
  try {
    ptx::parse(text, "k.ptx");
  } catch (const ptx::ParseError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(golden_ptx_tests)

BOOST_AUTO_TEST_CASE(programs_print_as_expected_and_parse_back_to_the_same_module) {
  for (const std::string name : kPrograms) {
    BOOST_TEST_CONTEXT(name) {
      const std::string file = read_text("ptx/" + name);
      const std::size_t cut = file.find(kCanonical);
      const std::string program = file.substr(0, cut);
      const ptx::Module module = ptx::parse(program, name);
      const std::string canonical = ptx::print(module);
      BOOST_TEST((ptx::parse(canonical, name) == module));
      BOOST_TEST(ptx::print(ptx::parse(canonical, name)) == canonical);
      if (blessing()) {
        rewrite("ptx/" + name, program + std::string(kCanonical) + canonical);
        continue;
      }
      BOOST_TEST_REQUIRE(cut != std::string::npos);
      BOOST_TEST(canonical == file.substr(cut + kCanonical.size()));
    }
  }
}

BOOST_AUTO_TEST_CASE(errors_name_the_place_and_the_remedy) {
  const std::string file = read_text("ptx/errors.txt");
  std::string blessed;
  std::size_t cases = 0;
  for (std::size_t at = file.find(kCase); at != std::string::npos;) {
    const std::size_t name_end = file.find('\n', at) + 1;
    std::size_t next = file.find(kCase, name_end);
    std::string expected;
    const std::string program = file.substr(name_end, next - name_end);
    if (next != std::string::npos && file.compare(next, kExpected.size(), kExpected) == 0) {
      const std::size_t begin = next + kExpected.size();
      next = file.find(kCase, begin);
      expected = file.substr(begin, next - begin);
    }
    const std::string name = file.substr(at, name_end - at);
    const std::string found = verdict(program) + "\n";
    if (!blessing()) BOOST_TEST_CONTEXT(name) {
        BOOST_TEST(found == expected);
      }
    blessed += name + program + std::string(kExpected) + found;
    ++cases;
    at = next;
  }
  BOOST_TEST(cases >= 50u);
  if (blessing()) rewrite("ptx/errors.txt", blessed);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace lc::tests
