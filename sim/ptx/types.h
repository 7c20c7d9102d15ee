#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace lc::ptx {

/// Types a register, variable or parameter is declared with (PTX ISA, "Types" and "Packed Data
/// Types").  Alternate formats (bf16, tf32, e4m3 …) are kept in bits and appear as modifiers too.
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  f32,
  f32x2,
  f64,
  bf16,
  bf16x2,
  tf32,
  e4m3,
  e5m2,
  u16x2,
  s16x2,
  texref,
  samplerref,
  surfref,
};

struct TypeRow {
  Type type;
  std::string_view name;
  std::uint32_t bits;  ///< storage; 0 where it has none that a program sees
};

inline constexpr TypeRow kTypes[] = {
    {Type::none, "", 0},
    {Type::pred, "pred", 1},
    {Type::b8, "b8", 8},
    {Type::b16, "b16", 16},
    {Type::b32, "b32", 32},
    {Type::b64, "b64", 64},
    {Type::b128, "b128", 128},
    {Type::u8, "u8", 8},
    {Type::u16, "u16", 16},
    {Type::u32, "u32", 32},
    {Type::u64, "u64", 64},
    {Type::s8, "s8", 8},
    {Type::s16, "s16", 16},
    {Type::s32, "s32", 32},
    {Type::s64, "s64", 64},
    {Type::f16, "f16", 16},
    {Type::f16x2, "f16x2", 32},
    {Type::f32, "f32", 32},
    {Type::f32x2, "f32x2", 64},
    {Type::f64, "f64", 64},
    {Type::bf16, "bf16", 16},
    {Type::bf16x2, "bf16x2", 32},
    {Type::tf32, "tf32", 32},
    {Type::e4m3, "e4m3", 8},
    {Type::e5m2, "e5m2", 8},
    {Type::u16x2, "u16x2", 32},
    {Type::s16x2, "s16x2", 32},
    {Type::texref, "texref", 64},
    {Type::samplerref, "samplerref", 64},
    {Type::surfref, "surfref", 64},
};

static_assert([] {
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i].type != static_cast<Type>(i)) return false;
  }
  return true;
}());

constexpr const TypeRow& row_of(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

/// Type::none where there is no such type.  `name` has no dot.
constexpr Type type_named(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return Type::none;
}

/// State spaces that a declaration can name.
enum class Space : std::uint8_t { none, reg, const_, global, local, param, shared };

inline constexpr std::string_view kSpaceNames[] = {"",      "reg",   "const", "global",
                                                   "local", "param", "shared"};

constexpr std::string_view name_of(Space space) {
  return kSpaceNames[static_cast<std::size_t>(space)];
}

constexpr Space space_named(std::string_view name) {
  for (std::size_t i = 1; i < std::size(kSpaceNames); ++i) {
    if (kSpaceNames[i] == name) return static_cast<Space>(i);
  }
  return Space::none;
}

/// Linking directives.
enum class Linkage : std::uint8_t { none, extern_, visible, weak, common };

inline constexpr std::string_view kLinkageNames[] = {"", "extern", "visible", "weak", "common"};

constexpr std::string_view name_of(Linkage linkage) {
  return kLinkageNames[static_cast<std::size_t>(linkage)];
}

constexpr Linkage linkage_named(std::string_view name) {
  for (std::size_t i = 1; i < std::size(kLinkageNames); ++i) {
    if (kLinkageNames[i] == name) return static_cast<Linkage>(i);
  }
  return Linkage::none;
}

}  // namespace lc::ptx
