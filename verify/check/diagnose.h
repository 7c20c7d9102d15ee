#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/check/hypothesis.h"

namespace lc::verify {

/// A single change of the description, and how well it fits the bytes.
struct Explanation {
  std::string kind;             ///< of its generator
  std::string text;             ///< "every difference fits a tile that <text>"
  std::string advice;           ///< what to try
  std::uint64_t explained = 0;  ///< differing bytes that would be right
  std::uint64_t silent = 0;     ///< differing bytes of which it says nothing
  std::uint64_t elsewhere = 0;  ///< fitting bytes where the description says nothing
  std::uint64_t broken = 0;     ///< bytes that are right as described, and would not be
  bool same_as_first = false;   ///< asks for the very bytes of the first explanation
  bool whole = false;           ///< kind "unwritten": nothing of the tile is there

  /// Bytes that speak for it.  A tile that was moved leaves its old place silent.
  std::uint64_t support() const { return explained + std::min(silent, elsewhere); }
  bool complete(std::uint64_t differing) const {
    return broken == 0 && explained + silent == differing && 2 * support() >= differing;
  }
};

/// Why a tile is wrong, as far as one change tells.
struct Diagnosis {
  std::uint64_t differing = 0;
  /// Complete ones, the simplest of each kind, simplest first; if there are none, the best one if
  /// it explains half or more.
  std::vector<Explanation> explanations;
  /// Set when no layout explains it but the bytes look damaged: "looks like corruption, …".
  std::string damage;
  std::size_t tried = 0;

  bool complete() const {
    return !explanations.empty() && explanations.front().complete(differing);
  }
  /// The first explanation leaves so little that a second, small fault is likely.
  bool nearly() const;
};

/// Searches over all single changes.  `right` is what the description asks for.
Diagnosis diagnose(const Subject& subject, const Rendering& right);

}  // namespace lc::verify
