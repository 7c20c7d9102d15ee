#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/layout/spelling.h"

namespace lc::verify {

/// Types of kernel arguments and of the elements of buffers.
enum class ValueType : std::uint8_t {
  u8,
  s8,
  u16,
  s16,
  u32,
  s32,
  u64,
  s64,
  f16,
  bf16,
  f32,
  f64,
  tf32,
  e4m3,
  e5m2
};

constexpr std::array<Spelled<ValueType>, 15> spellings(ValueType) {
  using enum ValueType;
  return {{{u8, "u8"},
           {s8, "s8"},
           {u16, "u16"},
           {s16, "s16"},
           {u32, "u32"},
           {s32, "s32"},
           {u64, "u64"},
           {s64, "s64"},
           {f16, "f16"},
           {bf16, "bf16"},
           {f32, "f32"},
           {f64, "f64"},
           {tf32, "tf32"},
           {e4m3, "e4m3"},
           {e5m2, "e5m2"}}};
}

std::uint32_t bytes_of(ValueType type);
bool is_float(ValueType type);
bool is_signed(ValueType type);
/// The bits of a number, rounded to nearest; integers wrap.
std::uint64_t bits_of(ValueType type, double value);
/// The number of bits, for messages.
std::string text_of(ValueType type, std::uint64_t bits);
/// Every integer of at most that magnitude has bits of its own.
double exact_integers(ValueType type);
/// "<f4"; types that NumPy lacks are written as unsigned integers of their size.
std::string npy_descr(ValueType type);

}  // namespace lc::verify
