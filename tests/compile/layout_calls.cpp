// The same calls for the host, which prints the numbers, and for WebAssembly, which exports them.
#include "tests/compile/layout_calls.h"

#include "every_layout_header.h"

#ifdef __wasm__
extern "C" std::uint32_t layout_calls(std::uint32_t seed) {
  return lc::compile::layout_calls(seed);
}
#else
#include <cstdio>

int main() {
  for (std::uint32_t seed = 0; seed < lc::compile::kLayoutSeeds; ++seed) {
    std::printf("%u\n", static_cast<unsigned>(lc::compile::layout_calls(seed)));
  }
}
#endif
