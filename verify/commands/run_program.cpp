#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/ptx/elf.h"
#include "sim/ptx/error.h"
#include "sim/runtime/options.h"
#include "verify/commands/run_program.h"
#include "verify/error.h"
#include "verify/run/observers.h"

// Runs a program with our CUDA libraries in place of NVIDIA's.  This process becomes the program,
// so its exit code is the program's; 2 when it could not be started.
namespace lc::verify {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuntime = "libcudart.so.13";
constexpr const char* kDriver = "libcuda.so.1";

/// An option and the environment variable that carries it (sim/runtime/options.h).
struct Carried {
  const char* field;
  const char* variable;
};
constexpr Carried kCarried[] = {
    {"device", "LC_DEVICE"},
    {"schedule", "LC_SCHEDULE"},
    {"memory", "LC_MEMORY_LIMIT"},
    {"max_instructions", "LC_INSTRUCTION_LIMIT"},
    {"host_threads", "LC_HOST_THREADS"},
    {"fresh_shared", "LC_FRESH_SHARED"},
    {"fresh_global", "LC_FRESH_GLOBAL"},
    {"keep_ptx", "LC_KEEP_PTX"},
    {"launches", "LC_TRACE"},
};

/// The file that a shell would run.
fs::path found_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), X_OK) == 0 && !fs::is_directory(name)) return name;
    throw Error(name, fs::exists(name) ? "cannot be executed" : "there is no such program");
  }
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, end)) / name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
    rest.erase(0, end + 1);
  }
  throw Error(name, "there is no such program on PATH", "./" + name);
}

ptx::Bytes section_of(const ptx::ElfFile& file, std::string_view name) {
  for (const ptx::ElfSection& section : file.sections) {
    if (section.name == name) return section.bytes;
  }
  return {};
}

/// Shared libraries that an ELF file asks for by name (DT_NEEDED).
std::vector<std::string> needed_libraries(const ptx::ElfFile& file) {
  constexpr std::uint64_t kNeeded = 1, kEntry = 16;
  const ptx::Bytes dynamic = section_of(file, ".dynamic"), names = section_of(file, ".dynstr");
  std::vector<std::string> needed;
  for (std::uint64_t at = 0; ptx::holds(dynamic, at, kEntry); at += kEntry) {
    const auto name = ptx::read_at<std::uint64_t>(dynamic, at + 8);
    if (ptx::read_at<std::uint64_t>(dynamic, at) != kNeeded || name >= names.size()) continue;
    const auto* const text = reinterpret_cast<const char*>(names.data()) + name;
    needed.emplace_back(text, strnlen(text, names.size() - name));
  }
  return needed;
}

/// Refuses programs whose CUDA calls would never reach us.  What is no ELF file, or a program
/// without device code (an interpreter), is taken as it is.
void check_program(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(in)), {});
  if (!ptx::looks_like_elf(bytes)) return;
  std::vector<std::string> needed;
  bool device_code = false;
  try {
    const ptx::ElfFile file = ptx::read_elf(bytes, path.string());
    needed = needed_libraries(file);
    device_code = !section_of(file, ".nv_fatbin").empty();
  } catch (const ptx::ParseError&) {
    return;  // the loader will say what it thinks of it
  }
  const auto needs = [&](const char* name) {
    return std::find(needed.begin(), needed.end(), name) != needed.end();
  };
  for (const std::string& name : needed) {
    if (name.starts_with("libcudart.so.") && name != kRuntime) {
      throw Error(path.string(), fmt::format("asks for {}; the virtual GPU is {}", name, kRuntime),
                  "build with nvcc of CUDA 13");
    }
  }
  if (device_code && !needs(kRuntime) && !needs(kDriver)) {
    throw Error(path.string(), "holds the CUDA runtime inside, so that it cannot be replaced",
                "build with nvcc -cudart shared");
  }
}

std::string text_of(const Question& value) {
  return value.is_boolean() ? (value.get<bool>() ? "1" : "0") : value.get<std::string>();
}

/// What watches a launch, in the question's own words, for the library that does (verify/watch).
void put_watch(const Question& question, const fs::path& folder) {
  if (!LaunchObservers(question).wanted()) {
    if (question.contains("watch")) {
      throw Error("watch", "nothing says what to watch",
                  "--coverage, --banks, --timeline, --trace FILE or --dump-smem WHERE --dump FILE");
    }
    return;
  }
  const fs::path library = folder / "liblc_watch.so";
  if (!fs::exists(library)) {
    throw Error(library.string(), "is not there", "build the target lc_watch");
  }
  Question what = Question::object();
  for (const char* field :
       {"watch", "coverage", "banks", "timeline", "trace", "dump_smem", "dump"}) {
    if (question.contains(field)) what[field] = question.at(field);
  }
  for (const char* path : {"trace", "dump"}) {  // the program may go elsewhere
    if (what.contains(path)) what[path] = fs::absolute(what.at(path).get<std::string>()).string();
  }
  setenv("LC_WATCH_LIBRARY", library.c_str(), 1);
  setenv("LC_WATCH", what.dump().c_str(), 1);
}

/// In front of what is there: libraries by name, and for programs that carry a path of their own,
/// loaded before them.
void put_libraries(const fs::path& folder) {
  const auto prepend = [](const char* variable, const std::string& value, const char* separator) {
    const char* old = std::getenv(variable);
    const bool more = old != nullptr && *old != '\0';
    setenv(variable, (value + (more ? separator + std::string(old) : "")).c_str(), 1);
  };
  prepend("LD_LIBRARY_PATH", folder.string(), ":");
  prepend("LD_PRELOAD", (folder / kRuntime).string() + " " + (folder / kDriver).string(), " ");
}

}  // namespace

fs::path runtime_folder() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const fs::path folder = program.parent_path().parent_path() / "lib" / "layout-check";
  if (!fs::exists(folder / kRuntime) || !fs::exists(folder / kDriver)) {
    throw Error(folder.string(), "the libraries of the virtual GPU are not there",
                "build the targets lc_cudart and lc_cuda_driver");
  }
  return folder;
}

void put_runtime_options(const Question& question) {
  std::map<std::string, std::string> set;
  for (const Carried& carried : kCarried) {
    if (question.contains(carried.field)) {
      set[carried.variable] = text_of(question.at(carried.field));
    }
  }
  std::string problem;
  runtime::read_options(
      [&](const char* name) {
        const auto at = set.find(name);
        return at != set.end() ? at->second.c_str() : nullptr;
      },
      problem);
  if (!problem.empty()) {
    problem.erase(problem.find(';'));
    throw Error("run", problem);
  }
  for (const auto& [name, value] : set) setenv(name.c_str(), value.c_str(), 1);
}

int run_program(const Question& question, const Output& output) {
  if (output.json) throw Error("--json", "what is printed is the program's");
  auto arguments = question.at("file").get<std::vector<std::string>>();
  const fs::path program = found_program(arguments.front());
  check_program(program);
  put_runtime_options(question);
  const fs::path folder = runtime_folder();
  put_watch(question, folder);
  put_libraries(folder);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  output.out.flush();
  execv(program.c_str(), argv.data());
  throw Error(program.string(), fmt::format("cannot be started: {}", std::strerror(errno)));
}

}  // namespace lc::verify
