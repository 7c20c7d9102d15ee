#include "sim/machine/reduction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sim/numerics/minifloat.h"

namespace lc::machine {
namespace {

using numerics::Format;

std::uint32_t flushed(std::uint32_t word) {
  return (word & 0x7F800000u) == 0 ? word & 0x80000000u : word;
}

std::uint32_t added_f32(std::uint32_t a, std::uint32_t b, bool flush) {
  if (flush) a = flushed(a), b = flushed(b);
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  if (std::isnan(sum)) return 0x7FFFFFFF;
  const auto word = std::bit_cast<std::uint32_t>(sum);
  return flush ? flushed(word) : word;
}

/// A NaN stays as it is, that of the source before that of memory; infinities of both signs give
/// the negative one without payload (atom.global.add.f64 on an H200).
std::uint64_t added_f64(std::uint64_t old, std::uint64_t source) {
  const double a = std::bit_cast<double>(old), b = std::bit_cast<double>(source);
  if (std::isnan(b)) return source;
  if (std::isnan(a)) return old;
  const double sum = a + b;
  return std::isnan(sum) ? 0xFFF8000000000000 : std::bit_cast<std::uint64_t>(sum);
}

/// Two bf16 numbers can lie so far apart that double rounds their sum; 53 bits are more than
/// 2 * 8 + 2, so that rounding twice gives what rounding once would.
std::uint32_t added_half(Format format, std::uint32_t a, std::uint32_t b) {
  const double x = numerics::to_double(format, a), y = numerics::to_double(format, b);
  const double sum = x + y;
  if (std::isnan(sum)) return 0x7FFF;
  if (std::isinf(sum)) {
    const std::uint32_t infinity = format == Format::f16 ? 0x7C00 : 0x7F80;
    return infinity | (sum < 0 ? 0x8000u : 0u);
  }
  if (sum == 0) return (a & b & 0x8000u);
  return numerics::encode(format, sum, numerics::Rounding::nearest_even);
}

std::uint32_t extreme_half(Format format, std::uint32_t a, std::uint32_t b, bool smaller) {
  const std::uint32_t infinity = format == Format::f16 ? 0x7C00 : 0x7F80;
  const bool a_nan = (a & 0x7FFF) > infinity, b_nan = (b & 0x7FFF) > infinity;
  if (a_nan && b_nan) return 0x7FFF;
  if (a_nan) return b;
  if (b_nan) return a;
  // Sign and magnitude as a number in order: -0 directly below +0.
  const auto rank = [](std::uint32_t code) {
    const auto magnitude = static_cast<std::int32_t>(code & 0x7FFF);
    return (code & 0x8000) != 0 ? -magnitude - 1 : magnitude;
  };
  return (rank(a) < rank(b)) == smaller ? a : b;
}

template <class T>
std::uint64_t integer_reduced(TmaOperation operation, std::uint64_t old_bits,
                              std::uint64_t source_bits) {
  const T old = static_cast<T>(old_bits), source = static_cast<T>(source_bits);
  using U = std::make_unsigned_t<T>;
  const auto bits = [](T value) { return static_cast<std::uint64_t>(static_cast<U>(value)); };
  switch (operation) {
    case TmaOperation::store:
      return bits(source);
    case TmaOperation::add:
      return static_cast<U>(static_cast<U>(old) + static_cast<U>(source));
    case TmaOperation::min:
      return bits(std::min(old, source));
    case TmaOperation::max:
      return bits(std::max(old, source));
    case TmaOperation::inc:
      return old >= source ? 0 : bits(static_cast<T>(old + 1));
    case TmaOperation::dec:
      return old == 0 || old > source ? bits(source) : bits(static_cast<T>(old - 1));
    case TmaOperation::bit_and:
      return bits(old & source);
    case TmaOperation::bit_or:
      return bits(old | source);
    case TmaOperation::bit_xor:
      return bits(old ^ source);
  }
  return bits(old);
}

std::uint64_t half_reduced(Format format, TmaOperation operation, std::uint32_t old,
                           std::uint32_t source) {
  if (operation == TmaOperation::add) return added_half(format, old, source);
  return extreme_half(format, old, source, operation == TmaOperation::min);
}

}  // namespace

std::uint32_t bytes_of(ReductionType type) {
  switch (type) {
    case ReductionType::f16:
    case ReductionType::bf16:
      return 2;
    case ReductionType::u64:
    case ReductionType::s64:
    case ReductionType::b64:
    case ReductionType::f64:
      return 8;
    default:
      return 4;
  }
}

std::optional<ReductionType> reduction_type(DataType type, TmaOperation operation) {
  if (!has_operation(type, operation)) return std::nullopt;
  switch (type) {
    case DataType::u32:
      return ReductionType::u32;
    case DataType::s32:
      return ReductionType::s32;
    case DataType::u64:
      return ReductionType::u64;
    case DataType::s64:
      return ReductionType::s64;
    case DataType::f16:
      return ReductionType::f16;
    case DataType::bf16:
      return ReductionType::bf16;
    case DataType::f32:
    case DataType::tf32:
      return ReductionType::f32;
    case DataType::f32_ftz:
    case DataType::tf32_ftz:
      return ReductionType::f32_ftz;
    case DataType::f64:
      return ReductionType::f64;
    default:
      return std::nullopt;
  }
}

bool has_bulk_reduction(ReductionType type, TmaOperation operation, bool to_shared) {
  using T = ReductionType;
  const auto any = [&](std::initializer_list<T> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  switch (operation) {
    case TmaOperation::store:
      return false;
    case TmaOperation::add:
      if (any({T::u32, T::s32, T::u64})) return true;
      return !to_shared && any({T::f16, T::bf16, T::f32_ftz, T::f64});
    case TmaOperation::min:
    case TmaOperation::max:
      if (any({T::u32, T::s32})) return true;
      return !to_shared && any({T::u64, T::s64, T::f16, T::bf16});
    case TmaOperation::inc:
    case TmaOperation::dec:
      return type == T::u32;
    case TmaOperation::bit_and:
    case TmaOperation::bit_or:
    case TmaOperation::bit_xor:
      return type == T::b32 || (!to_shared && type == T::b64);
  }
  return false;
}

std::uint64_t reduced(TmaOperation operation, ReductionType type, std::uint64_t old,
                      std::uint64_t source) {
  const auto low = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
  switch (type) {
    case ReductionType::u32:
    case ReductionType::b32:
      return integer_reduced<std::uint32_t>(operation, old, source);
    case ReductionType::s32:
      return integer_reduced<std::int32_t>(operation, old, source);
    case ReductionType::u64:
    case ReductionType::b64:
      return integer_reduced<std::uint64_t>(operation, old, source);
    case ReductionType::s64:
      return integer_reduced<std::int64_t>(operation, old, source);
    case ReductionType::f16:
      return half_reduced(Format::f16, operation, low(old) & 0xFFFF, low(source) & 0xFFFF);
    case ReductionType::bf16:
      return half_reduced(Format::bf16, operation, low(old) & 0xFFFF, low(source) & 0xFFFF);
    case ReductionType::f32:
      return added_f32(low(old), low(source), false);
    case ReductionType::f32_ftz:
      return added_f32(low(old), low(source), true);
    case ReductionType::f64:
      return added_f64(old, source);
  }
  return old;
}

void reduce_bytes(TmaOperation operation, ReductionType type, std::byte* target,
                  const std::byte* source, std::size_t size) {
  if (operation == TmaOperation::store) {
    std::memcpy(target, source, size);
    return;
  }
  const std::size_t bytes = bytes_of(type);
  for (std::size_t at = 0; at + bytes <= size; at += bytes) {
    std::uint64_t old = 0, from = 0;
    std::memcpy(&old, target + at, bytes);
    std::memcpy(&from, source + at, bytes);
    const std::uint64_t result = reduced(operation, type, old, from);
    std::memcpy(target + at, &result, bytes);
  }
}

}  // namespace lc::machine
