#pragma once

#include <bit>
#include <cstdint>

// What PTX floating-point results have in common: one NaN, flushed subnormals, clamping.
namespace lc::isa {

/// The NaN that f32 arithmetic produces, whatever NaN went in (PTX ISA, "Floating Point
/// Instructions").
inline constexpr std::uint32_t kNanF32 = 0x7FFFFFFF;

inline float canonical(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>(value != value ? kNanF32 : bits);
}

/// f64 NaNs keep their payload and become quiet; an invalid operation gives 0xfff8000000000000 on
/// the GPU as on x86 (inferred).
inline double canonical(double value) {
  return value;
}

/// .ftz: a subnormal number becomes the zero of its sign.
inline float flushed(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits);
}

template <bool Ftz, class T>
T flushed_if(T value) {
  if constexpr (Ftz) {
    return flushed(value);
  } else {
    return value;
  }
}

/// .sat: to [0, 1]; NaN and -0 become +0.
template <class T>
T saturated(T value) {
  return value > T{0} ? (value < T{1} ? value : T{1}) : T{0};
}

}  // namespace lc::isa
