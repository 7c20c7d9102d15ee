#include "sim/runtime/launch_watch.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "verify/error.h"
#include "verify/run/observers.h"

// The options of `layout-check run -- ./program` that watch a launch.  The program's own output is
// its own: what is to be told goes to stderr.
namespace lc::verify {
namespace {

/// "KERNEL", "KERNEL#N", "#N": the Nth launch, from 1, of kernels whose name has KERNEL in it.
struct Chosen {
  std::string kernel;
  std::uint64_t number = 1;
};

Chosen chosen(const std::string& text) {
  Chosen out{text};
  const std::size_t hash = text.rfind('#');
  if (hash == std::string::npos) return out;
  out.kernel = text.substr(0, hash);
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data() + hash + 1, end, out.number);
  if (error != std::errc{} || after != end || out.number == 0) {
    throw Error("watch", "\"" + text + "\" names no launch", "KERNEL, KERNEL#2 or #3");
  }
  return out;
}

class ProgramWatch : public runtime::LaunchWatch {
 public:
  explicit ProgramWatch(const Question& question)
      : chosen_(chosen(question.value("watch", ""))),
        any_(!question.contains("watch") && question.contains("dump")),
        observers_(question) {}

  /// What the user has to know when the program has ended.
  void end() const {
    if (watched_) return;
    const std::string of = chosen_.kernel.empty() ? "" : " of a kernel named " + chosen_.kernel;
    std::fprintf(stderr, "layout-check: %s; %llu launches, nothing was watched\n",
                 any_ ? "no launch had tiles to dump"
                      : ("launch " + std::to_string(chosen_.number) + of + " did not come").c_str(),
                 static_cast<unsigned long long>(launches_));
  }

  const machine::Events* before(const runtime::WatchedLaunch& launch) override {
    if (watching_) {  // that launch did not start: it is not the one
      watching_ = watched_ = false;
      --matching_;
    }
    ++launches_;
    if (watched_ || launch.kernel.find(chosen_.kernel) == std::string::npos) return nullptr;
    if (++matching_ != chosen_.number && !any_) return nullptr;
    watched_ = watching_ = true;
    return observers_.watch(launch.launch.program);
  }

  void after(const runtime::WatchedLaunch& launch, const machine::RunResult& result) override {
    if (!watching_) return;
    watching_ = false;
    if (any_ && observers_.dump_is_empty() && !result.fault) {
      watched_ = false;
      return;
    }
    std::string text = "launch " + std::to_string(launches_) + ": " + launch.kernel + ", " +
                       std::to_string(result.instructions) + " instructions executed\n";
    try {
      for (const std::string& path : observers_.save(launch.arch, launch.kernel, launch.device)) {
        text += "saved " + path + '\n';
      }
    } catch (const Error& e) {
      text += "not saved: " + e.where + ": " + e.message + '\n';
    }
    text += observers_.dump_text() + observers_.text();
    std::fputs(text.c_str(), stderr);
  }

 private:
  Chosen chosen_;
  bool any_;  ///< the first launch that has something to dump
  LaunchObservers observers_;
  std::uint64_t launches_ = 0, matching_ = 0;
  bool watched_ = false, watching_ = false;
};

}  // namespace
}  // namespace lc::verify

extern "C" lc::runtime::LaunchWatch* lc_make_launch_watch(const char* what, std::string& problem) {
  using namespace lc::verify;
  try {
    static ProgramWatch* watch = nullptr;
    watch = new ProgramWatch(Question::parse(what));
    std::atexit([] { watch->end(); });
    return watch;
  } catch (const Error& e) {
    problem = e.where + ": " + e.message;
  } catch (const std::exception& e) {
    problem = e.what();
  }
  return nullptr;
}
