#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "verify/check/hypothesis.h"

/// Changes that any tile can have: how it is permuted, where it stands, how far its rows are apart,
/// whose values it holds.
namespace lc::verify {
namespace {

bool is_operand(const Subject& s) {
  return s.description().kind == TileDescription::Kind::descriptor;
}

Hypothesis changed(const Subject& s, const char* kind, int cost, std::string text,
                   std::string advice) {
  return {kind, std::move(text), std::move(advice), s.image, s.description().source, cost};
}

// --- Keys -----------------------------------------------------------------------------------

/// The key's origin: absolute addresses (what TMA does and base offset 0 reads), or a buffer.
void propose_phases(const Subject& s, Hypotheses& out) {
  const Permutation& p = s.image.permutation;
  const std::uint32_t mask = p.row.key_mask;
  if (mask == 0) return;
  const std::uint32_t own = static_cast<std::uint32_t>(s.image.start >> 7) & mask;
  for (std::uint32_t base = 0; base <= mask; ++base) {
    if (base == (p.base_offset & mask)) continue;
    Hypothesis h = changed(s, "base-phase", base == own || base == 0 ? 1 : 2, "", "");
    h.image.permutation.base_offset = base;
    if (base == own) {
      h.text = fmt::format(
          "is swizzled relative to its own start: key 0 in its first row, as with base offset {}",
          base);
      h.advice =
          is_operand(s)
              ? fmt::format("align the tile to {} bytes, or set base offset {}", p.row.period, base)
              : fmt::format("align the tile to {} bytes: TMA uses absolute addresses",
                            p.row.period);
    } else if (base == 0) {
      h.text = "is swizzled by absolute addresses, as TMA writes and base offset 0 reads";
      h.advice = fmt::format("set base offset 0, or align the tile to {} bytes", p.row.period);
    } else {
      h.text = fmt::format("starts {} lines of 128 bytes into the swizzle pattern: base offset {}",
                           (own - base) & mask, base);
      h.advice = fmt::format("align the tile to {} bytes on both sides", p.row.period);
    }
    out.push_back(std::move(h));
  }
}

struct KeyRule {
  std::uint32_t mask, shift;
  const char* text;
};
constexpr KeyRule kKeyRules[] = {
    {0, 4, "is not swizzled at all"},
    {1, 4, "is swizzled by one key bit (bit 4 ^= bit 7, the rule of 32B)"},
    {3, 4, "is swizzled by two key bits (bits 5:4 ^= bits 8:7, the rule of 64B)"},
    {7, 4, "is swizzled by three key bits (bits 6:4 ^= bits 9:7, the rule of 128B)"},
    {3, 5, "is swizzled in 32-byte chunks (bits 6:5 ^= bits 8:7)"},
    {1, 6, "is swizzled in 64-byte chunks (bit 6 ^= bit 7)"},
};

void set_keys(Image& image, const KeyRule& rule) {
  image.permutation.row.key_mask = rule.mask;
  image.permutation.row.key_shift = rule.shift;
  image.permutation.row.flip8 = false;
}

/// The rows stay where they are, but the XOR of another width is used.
void propose_key_bits(const Subject& s, Hypotheses& out) {
  const Permutation& p = s.image.permutation;
  for (const KeyRule& rule : kKeyRules) {
    if (rule.mask == p.row.key_mask && (rule.shift == p.row.key_shift || rule.mask == 0)) continue;
    Hypothesis h = changed(s, "key-bits", 3, rule.text, "use one swizzle in writer and reader");
    set_keys(h.image, rule);
    out.push_back(h);
    const std::uint32_t own = static_cast<std::uint32_t>(s.image.start >> 7) & rule.mask;
    for (const std::uint32_t base : {own, 0u}) {
      if (base == (p.base_offset & rule.mask)) continue;
      Hypothesis phased = h;
      phased.cost = 5;
      phased.image.permutation.base_offset = base;
      phased.text += base == 0 ? ", by absolute addresses" : ", counted from its own start";
      out.push_back(std::move(phased));
    }
  }
}

/// Software that takes the row number for the key: chunk c of row r at c ^ (r & mask).
void propose_row_keys(const Subject& s, Hypotheses& out) {
  if (s.image.width < s.image.row_bytes()) return;
  for (const KeyRule& rule : kKeyRules) {
    if (rule.mask == 0) continue;
    Hypothesis h = changed(s, "row-keys", 4,
                           fmt::format("has chunk c of row r at c ^ (r & {}), in units of {} bytes",
                                       rule.mask, 1u << rule.shift),
                           "take the key from address bits 7 and up, not from the row number");
    set_keys(h.image, rule);
    h.image.permutation.base_offset = 0;
    h.image.permutation.by_row_number = true;
    out.push_back(std::move(h));
  }
}

// --- Place ----------------------------------------------------------------------------------

std::string signed_bytes(std::int64_t bytes) {
  return fmt::format("{} bytes {}", bytes < 0 ? -bytes : bytes, bytes < 0 ? "lower" : "higher");
}

void propose_starts(const Subject& s, Hypotheses& out) {
  std::set<std::int64_t> shifts(s.evidence.address_shifts().begin(),
                                s.evidence.address_shifts().end());
  for (const std::int64_t step : {16, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192}) {
    shifts.insert(step);
    shifts.insert(-step);
  }
  for (const std::int64_t shift : shifts) {
    if (shift == 0 || static_cast<std::int64_t>(s.image.start) + shift < 0) continue;
    const std::uint64_t start = s.image.start + static_cast<std::uint64_t>(shift);
    Hypothesis h =
        changed(s, "start", 3, fmt::format("starts {}, at 0x{:x}", signed_bytes(shift), start),
                is_operand(s) ? fmt::format("start address 0x{:x} in the descriptor", start)
                              : fmt::format("destination 0x{:x}", start));
    h.image.start = start;
    out.push_back(std::move(h));
  }
}

/// Sets the distance of neighbouring rows; outer axes follow.
void set_pitch(Image& image, std::uint64_t pitch) {
  std::uint64_t step = pitch;
  for (std::size_t a = 0; a < image.axis_count; ++a) {
    image.axis[a].block = UINT64_MAX;
    image.axis[a].step = step;
    step *= image.axis[a].count;
  }
  image.width = UINT64_MAX;
}

void propose_pitches(const Subject& s, Hypotheses& out) {
  if (s.image.axis_count == 0) return;
  const std::uint64_t row = s.image.row_bytes();
  std::set<std::uint64_t> pitches{32, 64, 128, 256, std::bit_ceil(row)};
  for (const std::uint64_t pad : {0, 4, 8, 16, 32, 64, 128}) pitches.insert(row + pad);
  for (const std::int64_t found : s.evidence.address_steps(0, 1)) {
    pitches.insert(static_cast<std::uint64_t>(found));
  }
  for (const std::uint64_t pitch : pitches) {
    if (pitch < row) continue;
    Hypothesis h =
        changed(s, "row-pitch", 3, fmt::format("has its rows {} bytes apart", pitch),
                fmt::format("the layout needs rows {} bytes apart", s.image.axis[0].offset(1)));
    set_pitch(h.image, pitch);
    out.push_back(h);
    if (s.image.permutation.row.key_mask != 0) {
      Hypothesis plain = h;
      plain.text += " and is not swizzled";
      plain.advice = "store it with the swizzle, or describe it as stored";
      set_keys(plain.image, kKeyRules[0]);
      out.push_back(std::move(plain));
    }
    for (const KeyRule& rule : {kKeyRules[1], kKeyRules[2], kKeyRules[3]}) {
      Hypothesis keyed = h;
      keyed.cost = 5;
      keyed.text += fmt::format(", chunk c of row r at c ^ (r & {})", rule.mask);
      set_keys(keyed.image, rule);
      keyed.image.permutation.by_row_number = true;
      keyed.image.permutation.base_offset = 0;
      out.push_back(std::move(keyed));
    }
  }
}

// --- Values ---------------------------------------------------------------------------------

void propose_transposed(const Subject& s, Hypotheses& out) {
  for (std::size_t a = 0; a < s.image.axis_count; ++a) {
    if (s.image.axis[a].count == 1 || s.image.element_bits != s.image.stored_bits) continue;
    Hypothesis h = changed(s, "transposed", 2, "holds the transpose of its values",
                           "exchange the two indices on one side, or use the other major");
    std::swap(h.image.inner_source_bits, h.image.axis[a].source_bits);
    std::swap(h.image.inner_bounds, h.image.axis[a].bounds);
    if (a != 0) h.text = fmt::format("holds dimensions 0 and {} exchanged", a + 1);
    out.push_back(std::move(h));
  }
}

void propose_changes(const Subject& s, Hypotheses& out) {
  struct Row {
    Change change;
    std::uint32_t bits;
    const char* kind;
    const char* text;
    const char* advice;
  };
  constexpr Row kRows[] = {
      {Change::none, 32, "tf32", "holds unrounded f32 values",
       "data type tf32 rounds on load, f32 and other ways of copying do not"},
      {Change::round_tf32, 32, "tf32", "holds values rounded to tf32",
       "data type f32 copies all bits, tf32 rounds to 10 mantissa bits"},
      {Change::truncate_tf32, 32, "tf32", "holds values cut off to tf32",
       "TMA rounds to nearest even (cvt.rna and masks do not)"},
      {Change::swap2, 16, "byte-order", "has the bytes of every 2-byte word exchanged",
       "the source is big-endian?"},
      {Change::swap4, 32, "byte-order", "has the bytes of every 4-byte word reversed",
       "the source is big-endian?"},
      {Change::swap8, 64, "byte-order", "has the bytes of every 8-byte word reversed",
       "the source is big-endian?"},
  };
  for (const Row& row : kRows) {
    const bool words = std::string_view(row.kind) == "byte-order";
    if (row.change == s.image.change || s.image.element_bits < 8) continue;
    if (!words && s.image.element_bits != row.bits) continue;
    Hypothesis h = changed(s, row.kind, words ? 4 : 1, row.text, row.advice);
    h.image.change = row.change;
    out.push_back(std::move(h));
  }
}

bool same_shape(const Image& a, const Image& b) {
  if (a.axis_count != b.axis_count || a.row_bytes() != b.row_bytes()) return false;
  for (std::size_t i = 0; i < a.axis_count; ++i) {
    if (a.axis[i].count != b.axis[i].count) return false;
  }
  return true;
}

/// The values of another tile of the file: another stage, or A for B.
void propose_neighbours(const Subject& s, Hypotheses& out) {
  constexpr std::size_t kReach = 128;
  std::size_t own = 0;
  while (own < s.neighbours.size() && &s.neighbours[own] != &s.tile) ++own;
  const std::size_t first = own < kReach ? 0 : own - kReach;
  for (std::size_t i = first; i < std::min(own + kReach, s.neighbours.size()); ++i) {
    const DumpedTile& other = s.neighbours[i];
    if (!other.description || &other == &s.tile) continue;
    if (other.description->kind != s.description().kind) continue;
    Image values = image_of(*other.description);
    if (!same_shape(values, s.image)) continue;
    values.start = s.image.start;
    values.permutation.base_offset = s.image.permutation.base_offset;
    Hypothesis h{"stage",
                 fmt::format("holds the values of `{:.60}`", other.name),
                 "check the stage's index and phase, and the coordinates",
                 std::move(values),
                 other.description->source,
                 2};
    if (other.description->stage != s.description().stage) {
      h.text += fmt::format(" (stage {})", other.description->stage);
    }
    out.push_back(std::move(h));
  }
}

/// What a distance in the source means is not known here; boxes and operands say it better.
void propose_source_shifts(const Subject& s, Hypotheses& out) {
  for (const std::int64_t shift : s.evidence.source_shifts()) {
    if (shift == 0) continue;
    Hypothesis h = changed(s, "source-shift", 6,
                           fmt::format("holds the source from {} bytes {} on",
                                       shift < 0 ? -shift : shift, shift < 0 ? "earlier" : "later"),
                           "check the tensor's address and byte_offset");
    h.image.source_bit += static_cast<std::uint64_t>(shift) * 8;
    out.push_back(std::move(h));
  }
}

constexpr Generator kGenerators[] = {
    {"base-phase", propose_phases},
    {"key-bits", propose_key_bits},
    {"row-keys", propose_row_keys},
    {"start", propose_starts},
    {"row-pitch", propose_pitches},
    {"transposed", propose_transposed},
    {"values", propose_changes},
    {"stage", propose_neighbours},
    {"source-shift", propose_source_shifts},
};

}  // namespace

std::span<const Generator> image_generators() {
  return kGenerators;
}

}  // namespace lc::verify
