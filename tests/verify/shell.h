#pragma once

#include <filesystem>
#include <string>

namespace lc::tests {

/// A folder of this process for outputs and files to be found; gone at the end.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
  std::filesystem::path file(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

struct ShellResult {
  std::string code;  ///< "0", "2", "by a signal"
  std::string out, err;
};

/// Runs a line in sh, in `folder`, with the built programs first on the path and without colour.
ShellResult run_in_shell(const std::string& line, const Scratch& scratch,
                         const std::filesystem::path& folder);

/// Lines of a shell script with "\" at their ends joined to the next.
std::string joined_lines(std::string text);

}  // namespace lc::tests
