#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/layout/spelling.h"

namespace lc {

enum class Severity : std::uint8_t { note, warning, error };

constexpr std::array<Spelled<Severity>, 3> spellings(Severity) {
  return {{{Severity::note, "note"}, {Severity::warning, "warning"}, {Severity::error, "error"}}};
}

/// One rule of the hardware (or advice about it), written once.  In `sentence`, `{value}` stands
/// for the offending value, `{limit}` for the bound, `{index}` for the dimension.
struct Rule {
  const char* id;  ///< stable, for scripts: "smem_descriptor.sbo-unaligned"
  Severity severity;
  const char* field;  ///< field of the question it speaks of; gets "[index]" when there is one
  const char* sentence;
};

/// A rule met in an input.
struct Finding {
  Rule rule{};
  int index = -1;  ///< dimension, or -1
  std::int64_t value = 0;
  std::int64_t limit = 0;
  bool hex = false;  ///< print value and limit as addresses
};

/// A short list that needs no allocation.  Beyond its capacity further findings are counted only.
struct Findings {
  static constexpr std::size_t kCapacity = 32;
  std::array<Finding, kCapacity> items{};
  std::size_t count = 0;
  std::size_t dropped = 0;

  constexpr void add(const Rule& rule, std::int64_t value = 0, std::int64_t limit = 0,
                     int index = -1, bool hex = false) {
    if (count == kCapacity) {
      ++dropped;
      return;
    }
    items[count++] = Finding{rule, index, value, limit, hex};
  }
  constexpr void add_at(const Rule& rule, int index, std::int64_t value = 0,
                        std::int64_t limit = 0) {
    add(rule, value, limit, index);
  }
  constexpr void add_hex(const Rule& rule, std::uint64_t value, std::uint64_t limit = 0,
                         int index = -1) {
    add(rule, static_cast<std::int64_t>(value), static_cast<std::int64_t>(limit), index, true);
  }
  constexpr void append(const Findings& other) {
    for (const Finding& f : other) {
      if (count == kCapacity) {
        ++dropped;
      } else {
        items[count++] = f;
      }
    }
  }
  constexpr bool has(Severity severity) const {
    for (const Finding& f : *this) {
      if (f.rule.severity == severity) return true;
    }
    return false;
  }
  constexpr bool has_error() const { return has(Severity::error); }

  constexpr const Finding* begin() const { return items.data(); }
  constexpr const Finding* end() const { return items.data() + count; }
};

}  // namespace lc
