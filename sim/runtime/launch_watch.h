#pragma once

#include <memory>
#include <string>

#include "sim/machine/launch.h"

namespace lc::runtime {

/// Where observers of launches attach: coverage, banks, timelines, dumps of a run.
class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  /// What sees the launch's events; nullptr: nobody.  Valid until `after`.
  virtual const machine::Events* before(const std::string& kernel,
                                        const machine::Launch& launch) = 0;
  virtual void after(const std::string& kernel, const machine::Launch& launch,
                     const machine::RunResult& result) = 0;
};

/// The watch of this process, made at the first launch from the environment; nullptr: none.
std::unique_ptr<LaunchWatch> make_launch_watch();

}  // namespace lc::runtime
