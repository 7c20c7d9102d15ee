#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lc::machine {

/// When asynchronous work completes.
///  eager   before the next warp has its turn
///  lazy    when a wait needs it, or the grid ends: as late as the program's waits allow
///  random  at any time in between and in any order the ISA leaves open; the seed repeats it
struct Schedule {
  enum class Kind : std::uint8_t { eager, lazy, random } kind = Kind::eager;
  std::uint64_t seed = 0;

  constexpr bool operator==(const Schedule&) const = default;
};

/// "eager", "lazy" or "random:SEED" (decimal or 0x); nothing for any other text.
std::optional<Schedule> parse_schedule(std::string_view text);
std::string to_text(const Schedule& schedule);

/// A small generator whose numbers depend on its seed and stream only (splitmix64), so that every
/// cluster draws its own, whichever host thread runs it.
class RandomStream {
 public:
  constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
      : state_(mixed(seed) ^ mixed(stream * 0x9E3779B97F4A7C15 + 1)) {}

  constexpr std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15); }
  /// 0 .. count - 1.
  constexpr std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  static constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
  }
  std::uint64_t state_;
};

}  // namespace lc::machine
