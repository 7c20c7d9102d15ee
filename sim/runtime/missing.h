#pragma once

namespace lc::runtime {

/// A function that programs may link to and that the virtual GPU does not have: says so once and
/// returns cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED.
int missing(const char* function, bool& told);

}  // namespace lc::runtime

/// A weak definition: where a function is written, that one is taken.
#define LC_MISSING(name)                        \
  extern "C" __attribute__((weak)) int name() { \
    static bool told = false;                   \
    return lc::runtime::missing(#name, told);   \
  }

/// A name that jumps to another function: _ptsz and _ptds mean the per-thread default stream, which
/// is like any other here.
#if defined(__x86_64__)
#define LC_JUMP "jmp "
#define LC_JUMP_END "@PLT\n"
#elif defined(__aarch64__)
#define LC_JUMP "b "
#define LC_JUMP_END "\n"
#else
#error "how does this processor jump?"
#endif
#define LC_SAME(name, target)                                       \
  asm(".text\n.globl " #name "\n.type " #name ", %function\n" #name \
      ":\n" LC_JUMP #target LC_JUMP_END ".size " #name ", . - " #name "\n");
