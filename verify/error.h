#pragma once

#include <stdexcept>
#include <string>

namespace lc::verify {

/// Something the user can put right: where it is, what it is, and what to try.
struct Error : std::runtime_error {
  Error(std::string where, std::string what, std::string hint = {});

  std::string where, message, hint;
};

}  // namespace lc::verify
