#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/numerics/dot_rule.h"
#include "sim/numerics/fused_tile.h"

/// The arithmetic rules once more, written for certainty and not for speed: numbers are big
/// integers in units of 2^-700, decoded here from their codes bit by bit.
namespace lc::tests {

/// Scale factors of one row of A and one column of B; no codes: none.
struct ReferenceScales {
  numerics::Format format = numerics::Format::ue8m0;
  std::span<const std::uint32_t> a, b;
};

/// One element of D.  For a sparse A, `b` holds the elements that A meets.
std::uint32_t reference_dot(const numerics::DotRule& rule, numerics::Format a_format,
                            std::span<const std::uint32_t> a, numerics::Format b_format,
                            std::span<const std::uint32_t> b, std::uint32_t c,
                            const numerics::TileOptions& options,
                            const ReferenceScales& scales = {});

}  // namespace lc::tests
