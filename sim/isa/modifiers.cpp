#include "sim/isa/modifiers.h"

#include <algorithm>

namespace lc::isa {
namespace {

struct Slot {
  std::string_view name;
  std::string_view choices;
  bool optional = false;
  bool filled = false;
};

/// '#' in the pattern stands for one or more digits.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t i = 0, j = 0;
  while (i < pattern.size()) {
    if (pattern[i] == '#') {
      const std::size_t begin = j;
      while (j < text.size() && text[j] >= '0' && text[j] <= '9') ++j;
      if (j == begin) return false;
      ++i;
    } else if (j < text.size() && text[j] == pattern[i]) {
      ++i;
      ++j;
    } else {
      return false;
    }
  }
  return j == text.size();
}

template <class F>
void each_choice(std::string_view choices, F&& f) {
  while (true) {
    const std::size_t bar = choices.find('|');
    f(choices.substr(0, bar));
    if (bar == std::string_view::npos) return;
    choices.remove_prefix(bar + 1);
  }
}

bool takes(const Slot& slot, std::string_view modifier) {
  bool found = false;
  each_choice(slot.choices, [&](std::string_view choice) { found |= fits(choice, modifier); });
  return found;
}

std::vector<Slot> slots_of(std::string_view pattern) {
  std::vector<Slot> slots;
  while (!pattern.empty()) {
    const std::size_t space = pattern.find(' ');
    std::string_view word = pattern.substr(0, space);
    pattern = space == std::string_view::npos ? std::string_view{} : pattern.substr(space + 1);
    if (word.empty()) continue;
    Slot slot;
    if (word.front() == '[') {
      slot.optional = true;
      word = word.substr(1, word.size() - 2);
    }
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos) {
      slot.name = word.substr(0, equals);
      word = word.substr(equals + 1);
    }
    slot.choices = word;
    slots.push_back(slot);
  }
  return slots;
}

/// ".a, .b or .c"
std::string listed(std::string_view choices) {
  std::string text;
  const auto count = std::count(choices.begin(), choices.end(), '|');
  std::ptrdiff_t i = 0;
  each_choice(choices, [&](std::string_view choice) {
    if (i > 0) text += i == count ? " or " : ", ";
    text += '.';
    text += choice;
    ++i;
  });
  return text;
}

}  // namespace

bool Modifiers::has(std::string_view modifier) const {
  return std::any_of(filled_.begin(), filled_.end(),
                     [&](const Filled& f) { return f.modifier == modifier; });
}

std::string_view Modifiers::operator[](std::string_view slot) const {
  for (const Filled& f : filled_) {
    if (f.slot == slot) return f.modifier;
  }
  return {};
}

std::uint32_t Modifiers::number(std::string_view slot) const {
  const std::string_view text = (*this)[slot];
  std::size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::uint32_t value = 0;
  for (const char c : text.substr(begin)) {
    if (value > 100'000'000) break;
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return value;
}

bool ModifierPattern::match(std::string_view pattern, const ptx::Mnemonic& spelling,
                            Modifiers& result, Mismatch& why) {
  std::vector<Slot> slots = slots_of(pattern);
  result.filled_.clear();
  why = {};
  const auto fill = [&](std::string_view modifier) {
    for (Slot& slot : slots) {
      if (slot.filled || !takes(slot, modifier)) continue;
      slot.filled = true;
      result.filled_.push_back({slot.name, modifier});
      return true;
    }
    return false;
  };
  bool good = true;
  for (const std::string_view modifier : spelling.modifiers) {
    if (fill(modifier)) {
      ++why.filled;
    } else if (good) {
      good = false;
      why.problem =
          "`" + std::string(spelling.opcode) + "` has no `." + std::string(modifier) + "` here";
    }
  }
  for (const Slot& slot : slots) {
    if (slot.filled || slot.optional) continue;
    if (good) {
      why.problem = "`" + spelling.text() + "` lacks " + listed(slot.choices);
    } else if (why.hint.empty()) {
      why.hint = listed(slot.choices);
    }
    good = false;
  }
  return good;
}

}  // namespace lc::isa
