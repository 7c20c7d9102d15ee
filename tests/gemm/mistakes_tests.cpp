// Planted mistakes: a kernel with one line changed is compiled, run by `layout-check gemm`, and
// what that says first is looked at.  What the virtual GPU does not see is not here: a missing
// fence.proxy.async changes nothing on it.
#include "tests/gemm/persistent_mistakes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "tests/test.h"

namespace fs = std::filesystem;
using namespace lc::tests;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A copy of the kernels in which one text is replaced.
class ChangedKernels {
 public:
  explicit ChangedKernels(const Mistake& m)
      : folder_(fs::temp_directory_path() / ("layout_check_mistake_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    for (const char* part : {"kernel", "kernel/gemm", "kernel/ptx"}) {
      fs::create_directories(folder_ / part);
      for (const auto& entry : fs::directory_iterator(fs::path(LC_SOURCE_DIR) / part)) {
        if (entry.is_regular_file()) fs::copy(entry, folder_ / part);
      }
    }
    const fs::path file = folder_ / "kernel/gemm" / m.file;
    std::string text = text_of(file);
    const std::size_t at = text.find(m.before);
    BOOST_TEST_REQUIRE(at != text.npos, m << ": the line is not there any more");
    BOOST_TEST_REQUIRE(text.find(m.before, at + 1) == text.npos, m << ": the line is there twice");
    text.replace(at, std::string(m.before).size(), m.after);
    std::ofstream(file) << text;
  }
  ChangedKernels(const ChangedKernels&) = delete;
  ChangedKernels& operator=(const ChangedKernels&) = delete;
  ~ChangedKernels() { fs::remove_all(folder_); }

  /// Exit code of a line of sh; what it printed is in `out`.
  int run(const std::string& line, std::string& out) const {
    const int status = std::system((line + " > " + file("out") + " 2>&1").c_str());
    out = text_of(folder_ / "out");
    return WEXITSTATUS(status);
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

/// The cause that is told, on one line; everything where none is.
std::string first_said(const std::string& out) {
  if (const std::size_t at = out.find("\ncause: "); at != out.npos) {
    std::string cause = out.substr(at + 1);
    std::replace(cause.begin(), cause.end(), '\n', ' ');
    return std::regex_replace(cause, std::regex(" +"), " ");
  }
  return out;
}

/// Compiling takes seconds each: LC_FULL=1 asks for all, else a third is tried.
bool left_out() {
  static unsigned number = 0;
  const char* const full = std::getenv("LC_FULL");
  return number++ % 3 != 0 && (full == nullptr || *full == '\0');
}

void check(const Mistake& m, const char* exit_code, bool anywhere = false) {
  if (left_out()) return;
  const ChangedKernels kernels(m);
  const std::string arch = std::string(m.kernel).starts_with("wgmma") ? "90a" : "100a";
  std::string out;
  const int compiled = kernels.run(
      std::string(LC_NVCC) + " -std=c++20 -ptx -DLC_SMEM_DUMP=1 -gencode arch=compute_" + arch +
          ",code=compute_" + arch + " -I" + kernels.file("") + " " + kernels.file("kernel/gemm/") +
          m.kernel + ".cu -o " + kernels.file("changed.ptx"),
      out);
  BOOST_TEST_REQUIRE(compiled == 0, m << ": " << out);
  const int code = kernels.run(std::string(LC_LAYOUT_CHECK) + " gemm --kernel " + m.kernel +
                                   " --ptx " + kernels.file("changed.ptx") + " " + m.options,
                               out);
  BOOST_TEST(std::to_string(code) == exit_code, m << "\n" << out);
  BOOST_TEST(std::regex_search(anywhere ? out : first_said(out), std::regex(m.says)), m << "\n"
                                                                                        << out);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mistakes_tests)

BOOST_DATA_TEST_CASE(a_wrong_store_is_named, bdata::make(kStored), m) {
  check(m, "1");
}

BOOST_DATA_TEST_CASE(a_wrong_descriptor_is_named, bdata::make(kDescribed), m) {
  check(m, "1");
}

BOOST_DATA_TEST_CASE(right_tiles_and_a_wrong_product_point_at_the_reader, bdata::make(kRead), m) {
  check(m, "1");
}

BOOST_DATA_TEST_CASE(a_fault_names_its_rule, bdata::make(kStopped), m) {
  check(m, "1");
}

BOOST_DATA_TEST_CASE(the_persistent_kernel_stores_wrongly, bdata::make(kGemmStored), m) {
  check(m, "1");
}

BOOST_DATA_TEST_CASE(the_persistent_kernel_reads_wrongly, bdata::make(kGemmRead), m) {
  check(m, "1");
}

BOOST_DATA_TEST_CASE(the_persistent_kernel_faults, bdata::make(kGemmStopped), m) {
  check(m, "1");
}

BOOST_DATA_TEST_CASE(two_writers_of_a_tile_are_not_explained_away, bdata::make(kGemmUnexplained),
                     m) {
  check(m, "1", true);
}

BOOST_DATA_TEST_CASE(a_misplaced_tile_of_the_persistent_kernel_is_seen_in_d,
                     bdata::make(kGemmMisplaced), m) {
  check(m, "1", true);
}

BOOST_AUTO_TEST_SUITE_END()
