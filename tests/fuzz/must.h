#pragma once

#include <cstdio>
#include <cstdlib>

namespace lc::fuzz {

/// Ends the run with a crash that libFuzzer reports and saves the input of.
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace lc::fuzz
