#pragma once

#include <bit>
#include <cstdint>

// f16 and bf16 as their bits, and on the way to float and back.  The conversions are loops over
// lanes in disguise: every branch is a choice between two values.
namespace lc::isa {

struct F16 {
  std::uint16_t bits = 0;
  static constexpr std::uint16_t kOne = 0x3C00, kNan = 0x7FFF, kInfinity = 0x7C00;
};

struct Bf16 {
  std::uint16_t bits = 0;
  static constexpr std::uint16_t kOne = 0x3F80, kNan = 0x7FFF, kInfinity = 0x7F80;
};

template <class T>
inline constexpr bool kIsHalf = false;
template <>
inline constexpr bool kIsHalf<F16> = true;
template <>
inline constexpr bool kIsHalf<Bf16> = true;

/// What fills the elements of a box outside of a tensor, in halves (measured: docs/arithmetic.md;
/// `fma.oob` looks for it).
inline constexpr std::uint16_t kOutOfBoundsNan = 0x7FF7;

/// Exact; NaNs keep their payload at the top of the mantissa.
constexpr float to_float(F16 h) {
  const std::uint32_t magnitude = (h.bits & 0x7FFFu) << 13;
  const std::uint32_t exponent = magnitude & 0x0F800000;
  const std::uint32_t normal = magnitude + (112u << 23);
  // A subnormal number is 2^-14 less than the normal number of the same bits.
  const float subnormal = std::bit_cast<float>(normal + (1u << 23)) - 0x1p-14f;
  const std::uint32_t bits = exponent == 0            ? std::bit_cast<std::uint32_t>(subnormal)
                             : exponent == 0x0F800000 ? normal + (112u << 23)
                                                      : normal;
  return std::bit_cast<float>(bits | (h.bits & 0x8000u) << 16);
}

constexpr float to_float(Bf16 h) {
  return std::bit_cast<float>(std::uint32_t{h.bits} << 16);
}

/// To nearest, ties to even; every NaN becomes the canonical one.
constexpr F16 nearest_f16(float value) {
  const std::uint32_t all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t f = all & 0x7FFFFFFF;
  constexpr std::uint32_t kInfinity = 255u << 23, kTooLarge = 143u << 23, kNormal = 113u << 23;
  // Adding 1/2 leaves a subnormal f16 in the low mantissa bits, rounded as floats are.
  const float shifted = std::bit_cast<float>(f < kNormal ? f : 0) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - (126u << 23);
  const std::uint32_t normal = (f + (f >> 13 & 1) + 0xFFF - (112u << 23)) >> 13;
  const std::uint32_t finite = f < kNormal ? subnormal : normal;
  const std::uint32_t large = f > kInfinity ? F16::kNan : F16::kInfinity;
  const std::uint32_t sign = f > kInfinity ? 0 : all >> 16 & 0x8000;
  return {static_cast<std::uint16_t>((f >= kTooLarge ? large : finite) | sign)};
}

constexpr Bf16 nearest_bf16(float value) {
  const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (f + 0x7FFF + (f >> 16 & 1)) >> 16;
  const bool nan = (f & 0x7FFFFFFF) > 0x7F800000;
  return {static_cast<std::uint16_t>(nan ? std::uint32_t{Bf16::kNan} : rounded)};
}

template <class H>
constexpr H nearest(float value);
template <>
constexpr F16 nearest<F16>(float value) {
  return nearest_f16(value);
}
template <>
constexpr Bf16 nearest<Bf16>(float value) {
  return nearest_bf16(value);
}

template <class H>
constexpr bool is_nan(H h) {
  return (h.bits & 0x7FFF) > H::kInfinity;
}

static_assert(to_float(F16{0x3C00}) == 1 && to_float(F16{0x0001}) == 0x1p-24f);
static_assert(nearest_f16(65519.0f).bits == 0x7BFF && nearest_f16(65520.0f).bits == 0x7C00);
static_assert(nearest_f16(-0x1p-25f).bits == 0x8000 && nearest_f16(0x1.8p-24f).bits == 0x0002);
static_assert(nearest_bf16(1.00390625f).bits == 0x3F80);

}  // namespace lc::isa
