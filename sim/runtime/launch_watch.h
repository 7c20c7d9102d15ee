#pragma once

#include <memory>
#include <string>

#include "sim/machine/launch.h"

namespace lc::runtime {

struct WatchedLaunch {
  const std::string& kernel;
  const machine::Launch& launch;
  Arch arch;
  std::string device;
};

/// Where observers of launches attach: coverage, banks, timelines, dumps of a run.
class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  /// What sees the launch's events; nullptr: nobody.  Valid until `after`.
  virtual const machine::Events* before(const WatchedLaunch& launch) = 0;
  virtual void after(const WatchedLaunch& launch, const machine::RunResult& result) = 0;
};

/// The watch of this process, made at the first launch; nullptr: none.  LC_WATCH_LIBRARY names a
/// shared library with the function lc_make_launch_watch, LC_WATCH what it should do.
std::unique_ptr<LaunchWatch> make_launch_watch();

/// Of the library: a watch made by new, or nullptr with a sentence in `problem`.
using MakeLaunchWatch = LaunchWatch* (*)(const char* what, std::string& problem);

}  // namespace lc::runtime
