#pragma once

#include <optional>
#include <string>

#include "verify/check/diagnose.h"

namespace lc::verify {

/// The explanation that cells were not written: they hold one value over and over.
std::optional<Explanation> unwritten(const Subject& subject, const Rendering& right);

/// "1 byte differs (bits 0x10): looks like corruption, not layout"; empty when more than a few
/// neighbouring bytes are wrong.
std::string damage_of(const Subject& subject, const Rendering& right);

}  // namespace lc::verify
