#include "verify/run/value_type.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "sim/numerics/minifloat.h"

namespace lc::verify {
namespace {

using enum ValueType;

std::optional<numerics::Format> format_of(ValueType type) {
  switch (type) {
    case f16:
      return numerics::Format::f16;
    case bf16:
      return numerics::Format::bf16;
    case f32:
      return numerics::Format::f32;
    case tf32:
      return numerics::Format::tf32;
    case e4m3:
      return numerics::Format::e4m3;
    case e5m2:
      return numerics::Format::e5m2;
    default:
      return std::nullopt;
  }
}

std::uint64_t mask_of(ValueType type) {
  return ~std::uint64_t{0} >> (64 - 8 * bytes_of(type));
}

}  // namespace

std::uint32_t bytes_of(ValueType type) {
  switch (type) {
    case u8:
    case s8:
    case e4m3:
    case e5m2:
      return 1;
    case u16:
    case s16:
    case f16:
    case bf16:
      return 2;
    case u32:
    case s32:
    case f32:
    case tf32:
      return 4;
    case u64:
    case s64:
    case f64:
      return 8;
  }
  return 0;
}

bool is_float(ValueType type) {
  return type == f64 || format_of(type).has_value();
}

bool is_signed(ValueType type) {
  return is_float(type) || type == s8 || type == s16 || type == s32 || type == s64;
}

std::uint64_t bits_of(ValueType type, double value) {
  if (type == f64) return std::bit_cast<std::uint64_t>(value);
  if (type == f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (const auto format = format_of(type)) {
    return numerics::encode(*format, value, numerics::Rounding::nearest_even);
  }
  const auto whole =
      value < 0 ? 0 - static_cast<std::uint64_t>(-value) : static_cast<std::uint64_t>(value);
  return whole & mask_of(type);
}

std::string text_of(ValueType type, std::uint64_t bits) {
  if (type == f64) return fmt::format("{}", std::bit_cast<double>(bits));
  if (const auto format = format_of(type)) {
    return fmt::format("{}", numerics::to_double(*format, static_cast<std::uint32_t>(bits)));
  }
  if (!is_signed(type)) return fmt::format("{}", bits);
  const std::uint32_t above = 64 - 8 * bytes_of(type);
  return fmt::format("{}", static_cast<std::int64_t>(bits << above) >> above);
}

double exact_integers(ValueType type) {
  if (type == f64) return 9007199254740992.0;
  if (const auto format = format_of(type)) {
    return std::ldexp(1.0, numerics::format_row(*format).mantissa_bits + 1);
  }
  return std::ldexp(1.0, static_cast<int>(8 * bytes_of(type)) - (is_signed(type) ? 1 : 0));
}

std::string npy_descr(ValueType type) {
  const bool has_float = type == f16 || type == f32 || type == f64 || type == tf32;
  const char kind = has_float ? 'f' : is_signed(type) && !is_float(type) ? 'i' : 'u';
  return fmt::format("{}{}{}", bytes_of(type) == 1 ? '|' : '<', kind, bytes_of(type));
}

}  // namespace lc::verify
