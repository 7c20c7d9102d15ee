#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/run/guest.h"

namespace lc::verify {

/// A buffer that should hold the values of a .npy file after the run.
struct Expectation {
  std::string buffer, path;
};

/// "d=expected.npy"; throws `Error` for another form or a buffer that the launch does not have.
Expectation parse_expectation(const std::string& text, const LaunchFile& file);

/// The first element that differs, by its bits.
struct Difference {
  Expectation expectation;
  std::uint64_t elements = 0, differ = 0;
  std::vector<std::uint64_t> first;  ///< its indices
  std::string found, expected;
};

Difference compare(const Expectation& expectation, const LaunchFile& file, const Guest& guest);

}  // namespace lc::verify
