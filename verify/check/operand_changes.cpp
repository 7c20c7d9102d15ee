#include <fmt/format.h>

#include <set>

#include "sim/layout/canonical.h"
#include "verify/check/hypothesis.h"

/// Changes of a descriptor, of the operand it is used for, and of the matrix behind it.
namespace lc::verify {
namespace {

std::string word_text(const TileDescription& d) {
  return fmt::format("descriptor 0x{:016x}", encode_smem_descriptor(d.arch, d.descriptor));
}

void propose(Hypotheses& out, const char* kind, int cost, const TileDescription& changed,
             std::string text, std::string advice) {
  out.push_back(
      {kind, std::move(text), std::move(advice), image_of(changed), changed.source, cost});
}

// --- The descriptor -------------------------------------------------------------------------

/// The steps of the tile packed without gaps.
void set_packed_steps(TileDescription& d, AtomOrder order) {
  OperandTile tile;
  tile.arch = d.arch, tile.element = d.element, tile.container = d.container;
  tile.major = d.major, tile.swizzle = d.descriptor.swizzle, tile.order = order;
  tile.mn = d.mn, tile.k = d.k;
  const TileGeometry g = tile_geometry(tile);
  const bool group_is_lbo = d.major == Major::mn && d.descriptor.swizzle == Swizzle::none;
  d.descriptor.stride_byte_offset = group_is_lbo ? g.column_step : g.group_step;
  d.descriptor.leading_byte_offset = group_is_lbo ? g.group_step : g.column_step;
  if (d.major == Major::k && d.descriptor.swizzle != Swizzle::none) {
    d.descriptor.leading_byte_offset = 16;  // ignored
  }
}

bool has_packed_form(const TileDescription& d) {
  return 256 % stored_bits(d.element, d.container) == 0;
}

constexpr AtomOrder kOrders[] = {AtomOrder::mn_first, AtomOrder::k_first};

void propose_swizzles(const Subject& s, Hypotheses& out) {
  const TileDescription& d = s.description();
  for (const Swizzle swizzle : kOperandSwizzles) {
    if (swizzle == d.descriptor.swizzle) continue;
    if (swizzle == Swizzle::b128_32b && d.arch == Arch::sm_90) continue;
    TileDescription changed = d;
    changed.descriptor.swizzle = swizzle;
    const std::string text = fmt::format("is laid out with swizzle {}, not {}", name_of(swizzle),
                                         name_of(d.descriptor.swizzle));
    propose(out, "swizzle", 1, changed, text, word_text(changed));
    for (const AtomOrder order : kOrders) {
      if (!has_packed_form(d)) continue;
      set_packed_steps(changed, order);
      propose(out, "swizzle", 2, changed, text + ", packed", word_text(changed));
    }
  }
}

struct Step {
  std::uint64_t SmemDescriptor::*member;
  const char* name;
  const char* kind;
};
constexpr Step kLbo{&SmemDescriptor::leading_byte_offset, "LBO", "lbo"};
constexpr Step kSbo{&SmemDescriptor::stride_byte_offset, "SBO", "sbo"};

void propose_step(const Subject& s, Hypotheses& out, const Step& step, std::uint64_t value,
                  int cost, const char* why) {
  TileDescription changed = s.description();
  const std::uint64_t was = changed.descriptor.*(step.member);
  if (value == was || value >= (std::uint64_t{1} << 18)) return;
  changed.descriptor.*(step.member) = value;
  propose(out, step.kind, cost, changed,
          fmt::format("has {} {}, not {}{}", step.name, value, was, why), word_text(changed));
}

void propose_steps(const Subject& s, Hypotheses& out) {
  const TileDescription& d = s.description();
  const bool plain = d.descriptor.swizzle == Swizzle::none, k_major = d.major == Major::k;
  const bool group_is_lbo = plain && !k_major;
  const RowAxis& rows = s.image.axis[0];
  std::set<std::int64_t> lbo{0, 16, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  std::set<std::int64_t> sbo = lbo;
  for (const std::int64_t found : s.evidence.address_steps(0, rows.block)) {
    (group_is_lbo ? lbo : sbo).insert(found);
  }
  for (const std::int64_t found : s.evidence.column_steps(s.image.width)) {
    (group_is_lbo ? sbo : lbo).insert(found);
  }
  for (const std::int64_t value : lbo) {
    propose_step(s, out, kLbo, static_cast<std::uint64_t>(value), 2, "");
  }
  for (const std::int64_t value : sbo) {
    propose_step(s, out, kSbo, static_cast<std::uint64_t>(value), 2, "");
  }
  TileDescription exchanged = d;
  std::swap(exchanged.descriptor.leading_byte_offset, exchanged.descriptor.stride_byte_offset);
  propose(out, "lbo-sbo", 1, exchanged, "has LBO and SBO exchanged", word_text(exchanged));
}

/// A field counts units of 16 bytes: a value shifted once too often, or not at all.
void propose_units(const Subject& s, Hypotheses& out) {
  const SmemDescriptor& d = s.description().descriptor;
  for (const Step& step : {kLbo, kSbo}) {
    const std::uint64_t value = d.*(step.member);
    propose_step(s, out, step, value / 16, 1, ": the field was given bytes, not bytes >> 4");
    propose_step(s, out, step, value * 16, 1, ": the field was shifted by 4 twice");
  }
  for (const bool up : {false, true}) {
    TileDescription changed = s.description();
    const auto scaled = [&](std::uint64_t v) { return up ? v * 16 : v / 16; };
    changed.descriptor.leading_byte_offset = scaled(d.leading_byte_offset);
    changed.descriptor.stride_byte_offset = scaled(d.stride_byte_offset);
    propose(
        out, "units", 1, changed,
        fmt::format("has LBO {} and SBO {}: both fields are off by a factor of 16",
                    changed.descriptor.leading_byte_offset, changed.descriptor.stride_byte_offset),
        word_text(changed));
  }
}

void propose_atom_orders(const Subject& s, Hypotheses& out) {
  if (!has_packed_form(s.description())) return;
  for (const AtomOrder order : kOrders) {
    TileDescription changed = s.description();
    set_packed_steps(changed, order);
    if (changed.descriptor == s.description().descriptor) continue;
    propose(out, "atom-order", 2, changed,
            fmt::format("is packed with its atoms in the order {}", name_of(order)),
            word_text(changed));
  }
}

// --- The operand ----------------------------------------------------------------------------

void propose_majors(const Subject& s, Hypotheses& out) {
  TileDescription changed = s.description();
  changed.major = changed.major == Major::k ? Major::mn : Major::k;
  const std::string text =
      fmt::format("is laid out {}-major", changed.major == Major::k ? "K" : "MN");
  const char* advice = "the major bit of the instruction (tnspA, tnspB) goes with the layout";
  propose(out, "major", 1, changed, text, advice);
  for (const AtomOrder order : kOrders) {
    if (!has_packed_form(changed)) break;
    set_packed_steps(changed, order);
    propose(out, "major", 2, changed, text + ", packed", advice);
  }
}

void propose_element_sizes(const Subject& s, Hypotheses& out) {
  const TileDescription& d = s.description();
  const std::int64_t was = element_format(d.element).bits;
  if (d.container == Container::byte) return;
  for (const Element element : {Element::e2m1, Element::u8, Element::f16, Element::tf32}) {
    const std::int64_t bits = element_format(element).bits;
    if (bits == was) continue;
    TileDescription changed = d;
    changed.element = element;
    if (d.source_strides && bits < 8) changed.source_strides.reset();
    if (d.source_strides && bits >= 8) {
      changed.source_strides->mn = d.source_strides->mn * bits / was;
      changed.source_strides->k = d.source_strides->k * bits / was;
    }
    const std::string text = fmt::format("holds elements of {} bits, not {}", bits, was);
    propose(out, "element-size", 2, changed, text, "check the element type on both sides");
    if (!d.source_strides) continue;
    // Rows of the source that stay as far apart as described.
    changed.source_strides = d.source_strides;
    (d.source_strides->k * 8 == was ? changed.source_strides->k : changed.source_strides->mn) =
        bits / 8;
    if (bits >= 8) {
      propose(out, "element-size", 2, changed, text, "check the element type on both sides");
    }
  }
}

// --- The source -----------------------------------------------------------------------------

struct Bits {
  std::int64_t mn, k;
};
Bits source_bits(const TileDescription& d) {
  const std::int64_t bits = element_format(d.element).bits;
  if (d.source_strides) return {d.source_strides->mn * 8, d.source_strides->k * 8};
  return {static_cast<std::int64_t>(d.k) * bits, bits};
}

void propose_source_strides(const Subject& s, Hypotheses& out) {
  const TileDescription& d = s.description();
  if (element_format(d.element).bits < 8) return;
  const std::int64_t bytes = element_format(d.element).bits / 8;
  const Bits was = source_bits(d);
  const auto add = [&](std::int64_t mn, std::int64_t k, const char* kind, int cost,
                       const std::string& text) {
    if (mn * 8 == was.mn && k * 8 == was.k) return;
    TileDescription changed = d;
    changed.source_strides = TileDescription::Strides{mn, k};
    propose(out, kind, cost, changed, text,
            "check the leading dimension of the source and source_strides");
  };
  add(was.k / 8, was.mn / 8, "transposed", 2, "holds the transpose of its values");
  const std::string packed = "holds a matrix stored densely, ";
  add(static_cast<std::int64_t>(d.k) * bytes, bytes, "source-stride", 3, packed + "row after row");
  add(bytes, static_cast<std::int64_t>(d.mn) * bytes, "source-stride", 3,
      packed + "column after column");
  for (const std::int64_t found : s.evidence.source_steps(0)) {
    const bool k_major = d.major == Major::k;
    const std::string text =
        fmt::format("holds a matrix with {} bytes from {} to the next, not {}", found,
                    k_major ? "row" : "k", (k_major ? was.mn : was.k) / 8);
    add(k_major ? found : was.mn / 8, k_major ? was.k / 8 : found, "source-stride", 3, text);
  }
}

void propose_origins(const Subject& s, Hypotheses& out) {
  const TileDescription& d = s.description();
  const Bits bits = source_bits(d);
  const auto add = [&](std::int64_t mn, std::int64_t k, int cost) {
    if (mn == 0 && k == 0) return;
    TileDescription changed = d;
    Hypothesis h{"coordinates", "",       "check the block's row, its k and the K slice",
                 s.image,       d.source, cost};
    h.image.source_bit += static_cast<std::uint64_t>(mn * bits.mn + k * bits.k);
    h.text = fmt::format("holds the values from mn {}, k {} on", mn, k);
    if (static_cast<std::uint64_t>(std::abs(k)) == d.k && mn == 0) h.text += ", one K block off";
    if (static_cast<std::uint64_t>(std::abs(mn)) == d.mn && k == 0) h.text += ", one block off";
    out.push_back(std::move(h));
  };
  const auto mn = static_cast<std::int64_t>(d.mn), k = static_cast<std::int64_t>(d.k);
  const std::int64_t slice = 256 / element_format(d.element).bits;
  for (const std::int64_t sign : {1, -1}) {
    for (const std::int64_t step : std::set<std::int64_t>{1, 8, slice, 2 * slice, k}) {
      add(0, sign * step, step == k || step == slice ? 2 : 3);
    }
    for (const std::int64_t step : std::set<std::int64_t>{1, 8, 64, mn, mn / 2}) {
      add(sign * step, 0, step == mn ? 2 : 3);
    }
  }
  for (const std::int64_t shift : s.evidence.source_shifts()) {
    const std::int64_t outer = std::max(std::abs(bits.mn), std::abs(bits.k));
    const std::int64_t inner = std::min(std::abs(bits.mn), std::abs(bits.k));
    if (outer == 0 || inner == 0 || std::abs(shift) > (std::int64_t{1} << 58)) continue;
    for (const std::int64_t half : {std::int64_t{0}, shift < 0 ? -outer / 2 : outer / 2}) {
      const std::int64_t steps = (shift * 8 + half) / outer;
      const std::int64_t rest = shift * 8 - steps * outer;
      if (rest % inner != 0) continue;
      const bool mn_outer = std::abs(bits.mn) >= std::abs(bits.k);
      add(mn_outer ? steps : rest / inner, mn_outer ? rest / inner : steps, 4);
    }
  }
}

constexpr Generator kGenerators[] = {
    {"swizzle", propose_swizzles},
    {"steps", propose_steps},
    {"units", propose_units},
    {"atom-order", propose_atom_orders},
    {"major", propose_majors},
    {"element-size", propose_element_sizes},
    {"source-stride", propose_source_strides},
    {"coordinates", propose_origins},
};

}  // namespace

std::span<const Generator> operand_generators() {
  return kGenerators;
}

}  // namespace lc::verify
