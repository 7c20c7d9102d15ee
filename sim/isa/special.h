#pragma once

#include "sim/isa/binder.h"

namespace lc::isa {

/// Where a special register stands; throws for those that change while a warp runs (%clock), which
/// mov reads.
Sized special_register(Binder& binder, const ptx::Operand& operand);

/// %clock and the like, which only mov can read: which part of the counter.
enum class Clock : std::uint8_t { none, low, high, whole };
Clock clock_of(const ptx::Operand& operand);

}  // namespace lc::isa
