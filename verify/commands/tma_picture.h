#pragma once

#include <cstddef>
#include <string>

#include "sim/layout/tma_box.h"
#include "verify/text.h"

namespace lc::verify {

/// Shared memory after a load or before a store, one line per 128 bytes, one cell per 16-byte bank
/// sector: which row (r) and which 16-byte chunk of it (q) stands there, what lies outside the
/// tensor, what the box does not touch.
std::string tma_picture(const TmaBox& box, bool store, std::size_t max_lines, const Paint& paint);

}  // namespace lc::verify
