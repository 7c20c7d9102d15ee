#include "verify/gemm/gemm_operands.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "verify/json.h"

namespace lc::verify {
namespace {

namespace fs = std::filesystem;

/// A file of its own, gone at the end.
class TemporaryFile {
 public:
  TemporaryFile() : path_((fs::temp_directory_path() / "layout-check-XXXXXX").string()) {
    const int descriptor = mkstemp(path_.data());
    if (descriptor >= 0) close(descriptor);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> out;
  for (char** at = environ; *at != nullptr; ++at) {
    if (!std::string_view(*at).starts_with("LC_")) out.emplace_back(*at);
  }
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Runs this program silently; its exit code does not matter.
bool run_silently(std::vector<std::string> arguments, std::vector<std::string> environment) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                                 pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return failed == 0 && waitpid(child, &status, 0) == child;
}

}  // namespace

std::optional<FileReport> operands_as_executed(const std::vector<std::string>& arguments,
                                               const std::string& watch_library) {
  // This run may be such a second one.
  if (std::getenv("LC_WATCH") != nullptr || !fs::exists(watch_library)) return std::nullopt;
  const TemporaryFile dump;
  const Question what = {{"dump_smem", {"mma"}}, {"dump", dump.path()}};
  const std::vector<std::string> environment =
      environment_with({"LC_WATCH_LIBRARY=" + watch_library, "LC_WATCH=" + what.dump()});
  if (!run_silently(arguments, environment)) return std::nullopt;
  FileReport report = check_file(dump.path());
  if (report.problem) return std::nullopt;
  report.path = "operands as the matrix instructions read them";
  return report;
}

}  // namespace lc::verify
