#pragma once

/// Marks a function of plain loops that the compiler may build several times, for wider vector
/// units too; the loader picks one.  All versions give the same words: the arithmetic in them is
/// exact, or conversion and truncation of single numbers.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LC_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LC_SIMD_CLONES
#endif

/// Functions that such a function calls in its loops: built with it, for the same unit.
#if defined(__GNUC__)
#define LC_INLINE_INTO_CLONES [[gnu::always_inline]] inline
#else
#define LC_INLINE_INTO_CLONES inline
#endif
