#include "verify/check/damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "verify/check/walk.h"

namespace lc::verify {
namespace {

/// The value that wrong bytes hold most often.
std::uint8_t commonest(const Window& window, const Rendering& right) {
  std::array<std::uint64_t, 256> count{};
  for (std::size_t i = 0; i < window.bytes.size(); ++i) {
    if (right.differs(window, i)) ++count[window.bytes[i]];
  }
  return static_cast<std::uint8_t>(std::max_element(count.begin(), count.end()) - count.begin());
}

/// Rows of the tile in which some cell is wrong, and whether every such cell holds `value` only.
struct WrongCells {
  std::set<std::uint64_t> rows;
  std::uint64_t cells = 0, all_cells = 0, bytes = 0;
  bool constant = true;
};

WrongCells wrong_cells(const Subject& s, const Rendering& right, std::uint8_t value) {
  const Window& window = s.tile.window;
  WrongCells out;
  const auto look = [&](std::uint64_t row, std::size_t begin, std::size_t end) {
    std::uint64_t wrong = 0;
    bool constant = true;
    for (std::size_t i = begin; i < end; ++i) {
      wrong += right.differs(window, i);
      constant = constant && (window.bytes[i] == value || right.state[i] == ByteState::masked);
    }
    ++out.all_cells;
    if (wrong == 0) return;
    out.rows.insert(row);
    ++out.cells;
    out.bytes += wrong;
    out.constant = out.constant && constant;
  };
  walk(s.image, s.description().source, [&](const Strip& strip) {
    for_each_piece(strip, [&](std::uint64_t address, std::uint32_t, std::uint32_t n) {
      for (std::uint32_t at = 0; at < n; at += 16) {
        const std::uint32_t length = std::min<std::uint32_t>(16, n - at);
        if (!window.holds(address + at, length)) continue;
        const std::size_t begin = address + at - window.address;
        look(strip.row, begin, begin + length);
      }
    });
    return out.constant;
  });
  return out;
}

/// "rows 0..7, 32..39"; empty when there are too many pieces.
std::string row_list(const std::set<std::uint64_t>& rows) {
  constexpr int kMostPieces = 6;
  std::string text;
  int pieces = 0;
  for (auto it = rows.begin(); it != rows.end();) {
    const std::uint64_t first = *it;
    std::uint64_t last = first;
    while (++it != rows.end() && *it == last + 1) last = *it;
    if (++pieces > kMostPieces) return "";
    text += text.empty() ? "" : ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
  }
  return text;
}

}  // namespace

std::optional<Explanation> unwritten(const Subject& s, const Rendering& right) {
  const std::uint8_t value = commonest(s.tile.window, right);
  const WrongCells wrong = wrong_cells(s, right, value);
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < right.state.size(); ++i) differing += right.differs(s.tile.window, i);
  if (!wrong.constant || wrong.bytes != differing || differing < 8) return std::nullopt;
  Explanation e;
  e.kind = "unwritten";
  e.explained = differing;
  const bool poison = s.description().untouched == value;
  const std::string holds = poison ? fmt::format("still hold 0x{:02x}, the value before", value)
                                   : fmt::format("hold nothing but 0x{:02x}", value);
  const std::string rows = row_list(wrong.rows);
  e.whole = wrong.cells == wrong.all_cells;
  if (e.whole) {
    e.text = fmt::format("was never written: all its bytes {}", holds);
  } else if (!rows.empty()) {
    e.text = fmt::format("was written in part: its rows {} {}", rows, holds);
  } else {
    e.text = fmt::format("was written in part: {} of its {} 16-byte cells {}", wrong.cells,
                         wrong.all_cells, holds);
  }
  e.advice = "wait for all of the copy before reading (barrier, phase, bytes), and check its size";
  return e;
}

std::string damage_of(const Subject& s, const Rendering& right) {
  constexpr std::uint64_t kFew = 16;
  const Window& window = s.tile.window;
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < window.bytes.size(); ++i) {
    if (!right.differs(window, i)) continue;
    if (wrong.size() == kFew) return "";
    wrong.push_back(i);
  }
  if (wrong.empty()) return "";
  if (wrong.size() == 1) {
    const std::size_t i = wrong.front();
    return fmt::format("1 byte differs (bits 0x{:02x}): looks like corruption, not layout",
                       window.bytes[i] ^ right.expected[i]);
  }
  const std::uint64_t first = window.address + wrong.front(), last = window.address + wrong.back();
  if (first / 8 == last / 8) {
    return fmt::format(
        "{} bytes of the word at 0x{:x} differ: looks like a stray store or a "
        "barrier, not layout; name barriers in the description",
        wrong.size(), first / 8 * 8);
  }
  return fmt::format("only {} bytes differ: looks like a stray store, not layout", wrong.size());
}

}  // namespace lc::verify
