#pragma once

#include <functional>
#include <string>

#include "sim/machine/fault.h"
#include "tests/test.h"

namespace lc::machine {

/// The rule a call breaks, "" when it breaks none.
inline std::string rule_broken(const std::function<void()>& call) {
  try {
    call();
  } catch (const Fault& fault) {
    return fault.rule;
  }
  return "";
}

}  // namespace lc::machine
