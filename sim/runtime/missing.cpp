#include "sim/runtime/missing.h"

#include <cstdio>

#include "sim/runtime/error.h"

namespace lc::runtime {

int missing(const char* function, bool& told) {
  if (!told) std::fprintf(stderr, "layout-check: %s is not part of the virtual GPU\n", function);
  told = true;
  return kNotSupported;
}

}  // namespace lc::runtime
