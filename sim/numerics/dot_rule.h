#pragma once

#include <cstdint>
#include <string_view>

#include "sim/numerics/format.h"

/// Which arithmetic an instruction does: one row per (family, kind, operand types, D type).
///
/// The window rule, for one element of D (docs/arithmetic.md derives each ingredient):
///
///   term   = (-1)^s * m * 2^e      product of two factors, or C; m not normalised
///   E      = max e over the terms that are not zero, at least kFloorExponent
///   D      = round(2^(E - window) * sum over terms of trunc(term / 2^(E - window)))
///
///           |<------------ window + 2 bits ------------>|
///   E ...   [m = 11.xxxxxxxxxxxxxxxxxxxxxxxxx]              largest exponent
///   E - 7   [       0 0 0 0 0 0 0 x.xxxxxxxxx]xxxxxxx       cut at 2^(E - window)
namespace lc::numerics {

enum class Family : std::uint8_t { wgmma, mma_sync, tcgen05 };

/// `.kind` of tcgen05.mma; the other families have the same kinds without saying so.
enum class Kind : std::uint8_t { f16, tf32, f8f6f4, i8, b1, mxf8f6f4, mxf4, mxf4nvf4 };

/// How the products of one instruction become D.
enum class Method : std::uint8_t {
  window,        ///< the window rule over the whole K
  fp8_as_f16,    ///< two window steps on f16 copies of the operands, then one addition of C
  groups_of_16,  ///< the window rule over exact, scaled sums of 16 products
  integer,       ///< exact sum with C, wrapped modulo 2^32 or clamped once
};

/// Why we believe a row.
enum class Evidence : std::uint8_t {
  measured,    ///< all its words captured on an H200 agree
  b200_words,  ///< published B200 words agree; what they do not show is taken from Hopper
  inferred     ///< no word seen: taken from the formats and the other rows
};

/// A set of formats, as bits.
constexpr std::uint32_t format_bit(Format format) {
  return 1u << static_cast<unsigned>(format);
}

template <class... Formats>
constexpr std::uint32_t format_set(Formats... formats) {
  return (0u | ... | format_bit(formats));
}

inline constexpr std::uint32_t kFp8 = format_set(Format::e4m3, Format::e5m2);
inline constexpr std::uint32_t kF8f6f4 =
    kFp8 | format_set(Format::e2m3, Format::e3m2, Format::e2m1);
inline constexpr std::uint32_t kInt8 = format_set(Format::s8, Format::u8);
inline constexpr std::uint32_t kInt4 = format_set(Format::s4, Format::u4);

/// The largest exponent of a sum is never taken smaller than this (measured with bf16 and tf32).
inline constexpr int kFloorExponent = -133;

struct DotRule {
  Family family;
  Kind kind;
  std::uint32_t operands;  ///< formats A and B may have
  Format d;                ///< type of C and D
  Method method;
  std::uint8_t window;         ///< bits kept below 2^E
  std::uint8_t fraction_bits;  ///< of an f32 result; the lower ones are 0
  Evidence evidence;
};

inline constexpr DotRule kDotRules[] = {
    // f32 results are cut toward zero, f16 results rounded to nearest even.
    {Family::wgmma, Kind::f16, format_set(Format::f16, Format::bf16), Format::f32, Method::window,
     25, 23, Evidence::measured},
    {Family::wgmma, Kind::f16, format_set(Format::f16), Format::f16, Method::window, 25, 10,
     Evidence::measured},
    {Family::wgmma, Kind::tf32, format_set(Format::tf32), Format::f32, Method::window, 25, 23,
     Evidence::measured},
    {Family::wgmma, Kind::f8f6f4, kFp8, Format::f32, Method::window, 13, 13, Evidence::measured},
    {Family::wgmma, Kind::f8f6f4, kFp8, Format::f16, Method::window, 13, 10, Evidence::measured},
    {Family::wgmma, Kind::i8, kInt8, Format::s32, Method::integer, 0, 0, Evidence::measured},
    {Family::wgmma, Kind::b1, format_set(Format::b1), Format::s32, Method::integer, 0, 0,
     Evidence::measured},

    {Family::mma_sync, Kind::f16, format_set(Format::f16, Format::bf16), Format::f32,
     Method::window, 25, 23, Evidence::measured},
    {Family::mma_sync, Kind::f16, format_set(Format::f16), Format::f16, Method::window, 25, 10,
     Evidence::measured},
    {Family::mma_sync, Kind::tf32, format_set(Format::tf32), Format::f32, Method::window, 25, 23,
     Evidence::measured},
    {Family::mma_sync, Kind::f8f6f4, kFp8, Format::f32, Method::fp8_as_f16, 25, 23,
     Evidence::measured},
    {Family::mma_sync, Kind::f8f6f4, kFp8, Format::f16, Method::fp8_as_f16, 25, 10,
     Evidence::measured},
    {Family::mma_sync, Kind::i8, kInt8, Format::s32, Method::integer, 0, 0, Evidence::measured},
    {Family::mma_sync, Kind::i8, kInt4, Format::s32, Method::integer, 0, 0, Evidence::measured},
    {Family::mma_sync, Kind::b1, format_set(Format::b1), Format::s32, Method::integer, 0, 0,
     Evidence::measured},

    {Family::tcgen05, Kind::f16, format_set(Format::f16, Format::bf16), Format::f32, Method::window,
     25, 23, Evidence::b200_words},
    {Family::tcgen05, Kind::f16, format_set(Format::f16), Format::f16, Method::window, 25, 10,
     Evidence::inferred},
    {Family::tcgen05, Kind::tf32, format_set(Format::tf32), Format::f32, Method::window, 25, 23,
     Evidence::b200_words},
    {Family::tcgen05, Kind::f8f6f4, kF8f6f4, Format::f32, Method::window, 25, 23,
     Evidence::b200_words},
    {Family::tcgen05, Kind::f8f6f4, kF8f6f4, Format::f16, Method::window, 25, 10,
     Evidence::inferred},
    {Family::tcgen05, Kind::i8, kInt8, Format::s32, Method::integer, 0, 0, Evidence::b200_words},
    {Family::tcgen05, Kind::mxf8f6f4, kF8f6f4, Format::f32, Method::window, 25, 23,
     Evidence::inferred},
    {Family::tcgen05, Kind::mxf4, format_set(Format::e2m1), Format::f32, Method::groups_of_16, 35,
     23, Evidence::inferred},
    {Family::tcgen05, Kind::mxf4nvf4, format_set(Format::e2m1), Format::f32, Method::groups_of_16,
     35, 23, Evidence::inferred},
};

/// The kind that operands of a format imply where there are no scale factors.
constexpr Kind kind_of_operand(Format format) {
  const std::uint32_t bit = format_bit(format);
  if ((bit & kF8f6f4) != 0) return Kind::f8f6f4;
  if ((bit & (kInt8 | kInt4)) != 0) return Kind::i8;
  if (format == Format::tf32) return Kind::tf32;
  return format == Format::b1 ? Kind::b1 : Kind::f16;
}

/// The rule of an instruction, or null where the families have none for these types.  A wgmma or
/// mma.sync that mixes f16 with bf16, or an A of 8 bits with a B of 4, is no instruction: whether
/// the types are legal together is for the instruction table to say.
constexpr const DotRule* find_dot_rule(Family family, Kind kind, Format a, Format b, Format d) {
  const std::uint32_t both = format_bit(a) | format_bit(b);
  for (const DotRule& rule : kDotRules) {
    if (rule.family == family && rule.kind == kind && rule.d == d && (both & ~rule.operands) == 0) {
      return &rule;
    }
  }
  return nullptr;
}

constexpr bool is_block_scaled(Kind kind) {
  return kind == Kind::mxf8f6f4 || kind == Kind::mxf4 || kind == Kind::mxf4nvf4;
}

}  // namespace lc::numerics
