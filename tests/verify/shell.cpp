#include "tests/verify/shell.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace lc::tests {
namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Scratch::Scratch()
    : folder_(std::filesystem::temp_directory_path() / ("lc_tests_" + std::to_string(getpid()))) {
  std::filesystem::create_directories(folder_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

ShellResult run_in_shell(const std::string& line, const Scratch& scratch,
                         const std::filesystem::path& folder) {
  std::ofstream(scratch.file("line.sh")) << "cd '" << folder.string() << "'\n"
                                         << "PATH='" << LC_PROGRAM_DIR << "':$PATH\n"
                                         << "export NO_COLOR=1\n"
                                         << line << '\n';
  const std::string command = "sh '" + scratch.file("line.sh").string() + "' >'" +
                              scratch.file("out").string() + "' 2>'" +
                              scratch.file("err").string() + "'";
  const int status = std::system(command.c_str());
  const bool exited = WIFEXITED(status);
  return {exited ? std::to_string(WEXITSTATUS(status)) : "by a signal",
          read_all(scratch.file("out")), read_all(scratch.file("err"))};
}

std::string joined_lines(std::string text) {
  for (std::size_t at; (at = text.find("\\\n")) != text.npos;) text.erase(at, 2);
  return text;
}

}  // namespace lc::tests
