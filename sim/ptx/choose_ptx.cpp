#include <charconv>

#include "sim/ptx/error.h"
#include "sim/ptx/fatbin.h"
#include "sim/ptx/lexer.h"

namespace lc::ptx {
namespace {

struct Target {
  std::uint32_t arch = 0;  ///< 0: not an architecture
  char suffix = '\0';      ///< 'a', 'f' or none
};

/// "sm_100a", "compute_100a"
Target target_named(std::string_view text) {
  const std::size_t digits = text.find('_') + 1;
  if (text.substr(0, digits) != "sm_" && text.substr(0, digits) != "compute_") return {};
  Target target;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data() + digits, end, target.arch);
  if (error != std::errc() || target.arch > 9999) return {};
  if (after != end) target.suffix = *after;
  const bool known = after == end || ((*after == 'a' || *after == 'f') && after + 1 == end);
  return known ? target : Target{};
}

/// What follows .target in PTX text, read no further than that; empty: none.
std::string target_of(std::string_view text, const std::string& name) {
  try {
    Lexer lexer(text, name);
    for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next()) {
      if (token.is(".target")) return std::string(lexer.next().text);
      if (token.is("{") || token.is(".address_size")) break;
    }
  } catch (const ParseError&) {
    // Not PTX at all; whoever parses it says so better.
  }
  return {};
}

}  // namespace

/// Targets with `a` run on their own architecture only, with `f` on their family, plain ones on
/// everything newer (PTX ISA, ".target").
std::uint32_t suitability(std::string_view target, std::string_view device) {
  constexpr std::uint32_t kOwn = 40000, kFamily = 20000;
  const Target code = target_named(target), machine = target_named(device);
  if (code.arch == 0 || machine.arch == 0 || code.arch > machine.arch) return 0;
  switch (code.suffix) {
    case 'a':
      return code.arch == machine.arch ? kOwn : 0;
    case 'f':
      return code.arch / 10 == machine.arch / 10 ? kFamily + code.arch : 0;
    default:
      return code.arch;
  }
}

std::optional<PtxImage> choose_ptx(const FatbinContainer& container, std::string_view device,
                                   const std::string& name) {
  const Target machine = target_named(device);
  if (machine.arch == 0) {
    throw ParseError(name, {}, "no device is called " + quoted(device), {}, "sm_90 or sm_100");
  }
  std::optional<PtxImage> best;
  std::uint32_t best_score = 0;
  for (const FatbinEntry& entry : container.entries) {
    if (entry.kind != FatbinEntry::Kind::ptx || entry.arch > machine.arch) continue;
    PtxImage image;
    image.text = ptx_text(entry, name);
    image.target = target_of(image.text, name);
    const std::uint32_t score = suitability(image.target, device);
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(image);
  }
  return best;
}

}  // namespace lc::ptx
