#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/layout/tma_copy.h"

namespace lc::machine {

/// Types of the elements that bulk and tensor reductions combine.
enum class ReductionType : std::uint8_t {
  u32,
  s32,
  u64,
  s64,
  b32,
  b64,
  f16,
  bf16,
  f32,      ///< subnormal numbers are kept
  f32_ftz,  ///< subnormal numbers become zero, the sign is kept
  f64
};

std::uint32_t bytes_of(ReductionType type);

/// How a tensor copy reduces elements of a data type; nothing where the hardware faults.
std::optional<ReductionType> reduction_type(DataType type, TmaOperation operation);

/// Whether cp.reduce.async.bulk has the pair (PTX ISA 9.0; to shared memory of a cluster the list
/// is shorter than to global memory).
bool has_bulk_reduction(ReductionType type, TmaOperation operation, bool to_shared);

/// old op source, in the low bits.  Measured on an H200 for tensor copies:
///   inc   old >= source ? 0 : old + 1            dec   old == 0 || old > source ? source : old - 1
///   add   f16, bf16: nearest even, NaN 0x7FFF; f32: NaN 0x7FFFFFFF, subnormals kept, except that
///         tf32_ftz flushes (f32_ftz is taken to do the same: its records do not decide)
///         f64: see added_f64
///   min, max of f16, bf16: NaN loses to a number; -0 < +0 is inferred
std::uint64_t reduced(TmaOperation operation, ReductionType type, std::uint64_t old,
                      std::uint64_t source);

/// Combines `size` bytes, a whole number of elements, into `target`; `store` copies.
void reduce_bytes(TmaOperation operation, ReductionType type, std::byte* target,
                  const std::byte* source, std::size_t size);

}  // namespace lc::machine
