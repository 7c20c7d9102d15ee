#include "sim/machine/schedule.h"

#include <charconv>

namespace lc::machine {

std::optional<Schedule> parse_schedule(std::string_view text) {
  if (text == "eager") return Schedule{Schedule::Kind::eager, 0};
  if (text == "lazy") return Schedule{Schedule::Kind::lazy, 0};
  constexpr std::string_view kRandom = "random:";
  if (!text.starts_with(kRandom)) return std::nullopt;
  text.remove_prefix(kRandom.size());
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  Schedule schedule{Schedule::Kind::random, 0};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, schedule.seed, hexadecimal ? 16 : 10);
  if (error != std::errc{} || at != end) return std::nullopt;
  return schedule;
}

std::string to_text(const Schedule& schedule) {
  switch (schedule.kind) {
    case Schedule::Kind::eager:
      return "eager";
    case Schedule::Kind::lazy:
      return "lazy";
    case Schedule::Kind::random:
      break;
  }
  return "random:" + std::to_string(schedule.seed);
}

}  // namespace lc::machine
