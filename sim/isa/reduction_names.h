#pragma once

#include <string_view>

#include "sim/machine/reduction.h"
#include "sim/ptx/types.h"

namespace lc::isa {

/// The modifier `add`, `min` … of atomics and reductions; `store` for none.
inline TmaOperation operation_named(std::string_view modifier) {
  return value_of<TmaOperation>(modifier).value_or(TmaOperation::store);
}

/// How elements of the type are combined; packed types as their halves.
inline machine::ReductionType reduction_of(ptx::Type type) {
  using machine::ReductionType;
  switch (type) {
    case ptx::Type::s32:
      return ReductionType::s32;
    case ptx::Type::u64:
      return ReductionType::u64;
    case ptx::Type::s64:
      return ReductionType::s64;
    case ptx::Type::b32:
      return ReductionType::b32;
    case ptx::Type::b64:
      return ReductionType::b64;
    case ptx::Type::f16:
    case ptx::Type::f16x2:
      return ReductionType::f16;
    case ptx::Type::bf16:
    case ptx::Type::bf16x2:
      return ReductionType::bf16;
    case ptx::Type::f32:
      return ReductionType::f32;
    case ptx::Type::f64:
      return ReductionType::f64;
    default:
      return ReductionType::u32;
  }
}

}  // namespace lc::isa
