// Command lines with everything they print, as a user sees it: tests/golden/commands/*.txt.
//
//   # a remark
//   $ layout-check decode 0x12
//   exit 2
//   what stdout got, to the next line that begins with "$ " or "# "
//   ! what stderr got
//
// LC_UPDATE_GOLDEN=1 rewrites the exit codes and the outputs; read the difference before you
// commit.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/golden.h"
#include "tests/test.h"
#include "tests/verify/shell.h"
#include "verify/commands/commands.h"
#include "verify/text.h"

namespace fs = std::filesystem;
using namespace lc::tests;

namespace {

/// One command line and what belongs to it.
struct Exchange {
  std::string remarks;  ///< whole lines
  std::string command;
  std::string expected;  ///< exit code and output, whole lines
};

std::vector<Exchange> exchanges(const std::string& text) {
  std::vector<Exchange> all;
  std::istringstream in(text);
  std::string remarks;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("$ ")) {
      all.push_back({remarks, line.substr(2), ""});
      remarks.clear();
    } else if (line.starts_with("# ")) {
      remarks += line + '\n';
    } else if (!all.empty()) {
      all.back().expected += line + '\n';
    }
  }
  return all;
}

/// Lines of `text`, each with `prefix` in front; a last line without an end is told.
std::string prefixed(const std::string& text, const std::string& prefix) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) out += prefix + line + '\n';
  if (!text.empty() && text.back() != '\n') out += "(no line end)\n";
  return out;
}

/// What a person reads: no JSON, no CSV.
bool is_for_people(const Exchange& e) {
  return e.command.find("--json") == std::string::npos &&
         e.command.find("--csv") == std::string::npos &&
         e.command.find("layout-check batch") == std::string::npos;
}

void check_width(const std::string& out) {
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) {
    BOOST_TEST(lc::verify::display_width(line) <= lc::verify::kColumns, line);
  }
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(LC_GOLDEN_DIR) / "commands")) {
    if (entry.path().extension() == ".txt") {
      names.push_back("commands/" + entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Compares every exchange of a file; gives the file as it should be.
std::string play(const std::string& name) {
  const Scratch scratch;
  std::string updated;
  for (const Exchange& e : exchanges(read_text(name))) {
    BOOST_TEST_CONTEXT(name << ": " << e.command) {
      const ShellResult got = run_in_shell(e.command, scratch, LC_GOLDEN_DIR);
      const std::string text =
          "exit " + got.code + '\n' + prefixed(got.out, "") + prefixed(got.err, "! ");
      if (std::getenv("LC_UPDATE_GOLDEN") == nullptr) BOOST_TEST(text == e.expected);
      if (is_for_people(e)) check_width(got.out);
      updated += e.remarks + "$ " + e.command + '\n' + text;
    }
  }
  return updated;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(commands_tests)

BOOST_AUTO_TEST_CASE(every_command_prints_what_it_printed) {
  BOOST_TEST(files().size() >= 8u);
  for (const std::string& name : files()) {
    const std::string updated = play(name);
    if (std::getenv("LC_UPDATE_GOLDEN") == nullptr) continue;
    std::ofstream(std::string(LC_GOLDEN_DIR) + "/" + name) << updated;
  }
}

BOOST_AUTO_TEST_CASE(every_example_of_the_help_can_be_copied) {
  const Scratch scratch;
  fs::create_directory_symlink(fs::path(LC_GOLDEN_DIR).parent_path(), scratch.file("tests"));
  fs::copy(fs::path(LC_GOLDEN_DIR) / "dumps" / "pipeline.safetensors",
           scratch.file("tile.safetensors"));
  for (const char* program : {"scale", "gemm"}) {  // that `run` runs
    fs::create_symlink("/bin/true", scratch.file(program));
  }
  for (const lc::verify::Command& command : lc::verify::all_commands()) {
    for (const std::string& line : split(joined_lines(command.example), '\n')) {
      const ShellResult got = run_in_shell(line, scratch, scratch.file("."));
      BOOST_TEST((got.code == "0" || got.code == "1"), line << '\n' << got.err);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
