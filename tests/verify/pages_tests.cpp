// What README.md and docs/*.md show in a fenced block that begins with "$ " is what the program
// prints today.  A line of "…" stands for lines left out; a block without output shows a command
// only.
#include <filesystem>
#include <sstream>

#include "tests/golden.h"
#include "tests/test.h"
#include "tests/verify/shell.h"

namespace fs = std::filesystem;
using namespace lc::tests;

namespace {

using Lines = std::vector<std::string>;

/// A command and the lines below it.
struct Shown {
  std::string page;
  std::string command;
  Lines output;
};

void read_block(const std::string& page, const Lines& block, std::vector<Shown>& out) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (!block[i].starts_with("$ ")) {
      out.back().output.push_back(block[i]);
      continue;
    }
    std::string command = block[i].substr(2);
    while (command.ends_with('\\') && i + 1 < block.size()) command += '\n' + block[++i];
    out.push_back({page, joined_lines(command), {}});
  }
}

std::vector<Shown> shown_on(const std::string& page) {
  std::vector<Shown> out;
  Lines block;
  bool inside = false;
  for (const std::string& line : split(read_text("../../" + page), '\n')) {
    if (!line.starts_with("```")) {
      if (inside) block.push_back(line);
      continue;
    }
    if (inside && !block.empty() && block[0].starts_with("$ ")) read_block(page, block, out);
    block.clear();
    inside = !inside;
  }
  return out;
}

std::vector<Shown> everything_shown() {
  Lines pages = {"README.md"};
  for (const auto& entry : fs::directory_iterator(fs::path(LC_GOLDEN_DIR) / "../../docs")) {
    if (entry.path().extension() == ".md") {
      pages.push_back("docs/" + entry.path().filename().string());
    }
  }
  std::vector<Shown> out;
  for (const std::string& page : pages) {
    for (Shown& shown : shown_on(page)) out.push_back(std::move(shown));
  }
  return out;
}

bool fits(const Lines& got, std::size_t g, const Lines& shown, std::size_t s) {
  if (s == shown.size()) return g == got.size();
  if (shown[s] != "…")
    return g < got.size() && got[g] == shown[s] && fits(got, g + 1, shown, s + 1);
  for (; g <= got.size(); ++g) {
    if (fits(got, g, shown, s + 1)) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pages_tests)

BOOST_AUTO_TEST_CASE(pages_show_what_the_program_prints) {
  const Scratch scratch;
  int compared = 0;
  for (const Shown& shown : everything_shown()) {
    if (shown.command.find("layout-check ") == std::string::npos || shown.output.empty()) continue;
    BOOST_TEST_CONTEXT(shown.page << ": " << shown.command) {
      const ShellResult got =
          run_in_shell(shown.command, scratch, fs::path(LC_GOLDEN_DIR) / "../..");
      BOOST_TEST(fits(split(got.out + got.err, '\n'), 0, shown.output, 0), got.out << got.err);
      ++compared;
    }
  }
  BOOST_TEST(compared >= 3);
}

BOOST_AUTO_TEST_SUITE_END()
