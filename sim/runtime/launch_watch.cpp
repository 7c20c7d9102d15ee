#include "sim/runtime/launch_watch.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace lc::runtime {

std::unique_ptr<LaunchWatch> make_launch_watch() {
  const char* const path = std::getenv("LC_WATCH_LIBRARY");
  const char* const what = std::getenv("LC_WATCH");
  if (path == nullptr || what == nullptr) return nullptr;
  std::string problem;
  // Never closed: what it made is used until the process ends.
  if (void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    const auto make = reinterpret_cast<MakeLaunchWatch>(dlsym(library, "lc_make_launch_watch"));
    if (make != nullptr) {
      if (LaunchWatch* const watch = make(what, problem))
        return std::unique_ptr<LaunchWatch>(watch);
    } else {
      problem = std::string(path) + " has no lc_make_launch_watch";
    }
  } else {
    problem = dlerror();
  }
  std::fprintf(stderr, "layout-check: launches are not watched: %s\n", problem.c_str());
  return nullptr;
}

}  // namespace lc::runtime
