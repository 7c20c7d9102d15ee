#pragma once

#include <cstdint>

namespace lc::ptx {

/// True in exactly one lane of a converged warp (PTX ISA, "elect.sync").
__device__ __forceinline__ bool elect_one() {
  std::uint32_t elected;
  asm volatile(
      "{\n\t.reg .pred p;\n\t"
      "elect.sync _|p, 0xffffffff;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t}"
      : "=r"(elected)::"memory");
  return elected != 0;
}

}  // namespace lc::ptx
