#include "verify/check/diagnose.h"

#include <algorithm>

#include "verify/check/damage.h"

namespace lc::verify {
namespace {

/// An image larger than this fits no shared memory many times over.
constexpr std::uint64_t kMostImageBytes = std::uint64_t{16} << 20;

struct Score {
  Explanation explanation;
  int cost;
  std::size_t order;          ///< of proposal
  std::uint64_t fingerprint;  ///< of the bytes it asks for

  std::int64_t net() const {
    return static_cast<std::int64_t>(explanation.support()) -
           static_cast<std::int64_t>(explanation.broken);
  }
};

/// What a description says of every byte, as 0 or 1, so that the counting below is branch-free.
struct Wrong {
  std::vector<std::uint8_t> wrong;  ///< differs as described
  std::vector<std::uint8_t> free;   ///< nothing was described
};

Wrong wrong_bytes(const Rendering& right, const Window& window) {
  Wrong out;
  for (std::size_t i = 0; i < window.bytes.size(); ++i) {
    out.wrong.push_back(right.differs(window, i));
    out.free.push_back(right.state[i] == ByteState::free);
  }
  return out;
}

/// Compares what a hypothesis asks for with what was found, given what is wrong already.  Returns
/// the bytes of its tile that fit: a tile that lies elsewhere explains nothing.
std::uint64_t count(const Rendering& h, const Wrong& as_described, const Window& window,
                    Explanation& e) {
  constexpr std::size_t kBlock = 128;  // sums of so many 0s and 1s fit a byte
  const std::uint8_t* const found = window.bytes.data();
  std::uint64_t fitting = 0;
  for (std::size_t begin = 0; begin < window.bytes.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, window.bytes.size());
    std::uint8_t explained = 0, broken = 0, silent = 0, elsewhere = 0, fits_in_tile = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t wrong = as_described.wrong[i], right = wrong ^ 1;
      const std::uint8_t tile = h.state[i] == ByteState::tile;
      const std::uint8_t asks = tile | (h.state[i] == ByteState::untouched);
      const std::uint8_t unreadable = h.state[i] == ByteState::unreadable;
      const std::uint8_t equal = h.expected[i] == found[i];
      explained = static_cast<std::uint8_t>(explained + (wrong & asks & equal));
      broken = static_cast<std::uint8_t>(broken + (right & ((asks & (equal ^ 1)) | unreadable)));
      silent = static_cast<std::uint8_t>(silent + (wrong & ((asks | unreadable) ^ 1)));
      elsewhere = static_cast<std::uint8_t>(elsewhere + (as_described.free[i] & tile & equal));
      fits_in_tile = static_cast<std::uint8_t>(fits_in_tile + (tile & equal));
    }
    e.explained += explained, e.broken += broken, e.silent += silent, e.elsewhere += elsewhere;
    fitting += fits_in_tile;
  }
  return fitting;
}

std::uint64_t fingerprint(const Rendering& h) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < h.state.size(); ++i) {
    const bool asks = h.state[i] == ByteState::tile || h.state[i] == ByteState::untouched;
    const std::uint64_t byte = asks ? h.expected[i] + 1u : 0;
    hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

Hypotheses proposals(const Subject& s) {
  Hypotheses out;
  const auto run = [&](std::span<const Generator> generators) {
    for (const Generator& g : generators) g.propose(s, out);
  };
  switch (s.description().kind) {
    case TileDescription::Kind::tensor_map:
      run(box_generators());
      break;
    case TileDescription::Kind::descriptor:
      run(operand_generators());
      break;
    case TileDescription::Kind::scale_factors:
      run(scale_generators());
      break;
  }
  run(image_generators());
  return out;
}

std::vector<Score> scores(const Subject& s, const Rendering& right, std::uint64_t differing,
                          std::size_t& tried) {
  const TileDescription& d = s.description();
  const Wrong as_described = wrong_bytes(right, s.tile.window);
  std::vector<Score> out;
  Rendering buffer;
  for (Hypothesis& h : proposals(s)) {
    ++tried;
    if (h.image.rows() > kMostImageBytes / std::max<std::uint64_t>(h.image.row_bytes(), 1)) {
      continue;
    }
    Score score{{h.kind, std::move(h.text), std::move(h.advice)}, h.cost, tried, 0};
    render_into(buffer, h.image, h.source, s.tile.window, d.untouched, d.barriers);
    if (count(buffer, as_described, s.tile.window, score.explanation) == 0) continue;
    if (score.net() <= 0 || 2 * score.explanation.support() < differing) continue;
    if (score.explanation.complete(differing)) score.fingerprint = fingerprint(buffer);
    out.push_back(std::move(score));
  }
  return out;
}

}  // namespace

bool Diagnosis::nearly() const {
  if (complete() || explanations.empty()) return false;
  const Explanation& e = explanations.front();
  return e.explained >= differing - differing / 10 && e.broken <= differing / 10;
}

Diagnosis diagnose(const Subject& s, const Rendering& right) {
  Diagnosis out;
  for (std::size_t i = 0; i < right.state.size(); ++i) {
    out.differing += right.differs(s.tile.window, i);
  }
  if (out.differing == 0) return out;
  const std::string damage = damage_of(s, right);
  if (out.differing == 1) {
    out.damage = damage;
    return out;
  }
  std::vector<Score> ranked = scores(s, right, out.differing, out.tried);
  if (auto e = unwritten(s, right)) {
    const bool plain = s.description().untouched.has_value() || e->whole;
    ranked.push_back({std::move(*e), plain ? 0 : 3, 0, 1});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [&](const Score& a, const Score& b) {
    const bool all_a = a.explanation.complete(out.differing);
    const bool all_b = b.explanation.complete(out.differing);
    if (all_a != all_b) return all_a;
    // One that speaks of every byte before one that leaves some open.
    const bool open_a = a.explanation.silent != 0, open_b = b.explanation.silent != 0;
    if (all_a && open_a != open_b) return open_b;
    if (a.net() != b.net()) return a.net() > b.net();
    return a.cost != b.cost ? a.cost < b.cost : a.order < b.order;
  });
  for (const Score& score : ranked) {
    const bool complete = score.explanation.complete(out.differing);
    if (!complete && !out.explanations.empty()) break;
    const bool known =
        std::any_of(out.explanations.begin(), out.explanations.end(),
                    [&](const Explanation& e) { return e.kind == score.explanation.kind; });
    // A distance in the source says less than whatever else fits.
    if (known || (score.explanation.kind == "source-shift" && !out.explanations.empty())) continue;
    Explanation e = score.explanation;
    e.same_as_first =
        complete && !out.explanations.empty() && score.fingerprint == ranked.front().fingerprint;
    out.explanations.push_back(std::move(e));
  }
  if (!out.complete()) out.damage = damage;
  return out;
}

}  // namespace lc::verify
