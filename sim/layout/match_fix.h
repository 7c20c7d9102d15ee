#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/layout/match.h"
#include "sim/layout/operand_rules.h"
#include "sim/layout/smem_descriptor_rules.h"
#include "sim/layout/tensor_map_rules.h"

namespace lc {

/// The one field to change so that descriptor and box agree.
enum class MatchFixKind : std::uint8_t {
  none,
  base_offset,
  swizzle,
  exchange_offsets,
  stride_byte_offset,
  leading_byte_offset,
  start_address,
  major,
  map_swizzle,
  origin,
  descriptor,  ///< no single field: a whole descriptor that reads the box
};

constexpr std::array<Spelled<MatchFixKind>, 11> spellings(MatchFixKind) {
  using enum MatchFixKind;
  return {{{none, "none"},
           {base_offset, "base_offset"},
           {swizzle, "swizzle"},
           {exchange_offsets, "leading_byte_offset and stride_byte_offset"},
           {stride_byte_offset, "stride_byte_offset"},
           {leading_byte_offset, "leading_byte_offset"},
           {start_address, "start_address"},
           {major, "major"},
           {map_swizzle, "swizzle of the tensor map"},
           {origin, "operand_origin"},
           {descriptor, "descriptor"}}};
}

struct MatchFix {
  MatchFixKind kind = MatchFixKind::none;
  MatchQuestion question;  ///< the corrected question
};

/// All single changes that make the descriptor read the box, most likely mistake first.
struct MatchFixes {
  static constexpr std::size_t kCapacity = 8;
  std::array<MatchFix, kCapacity> items{};
  std::size_t count = 0;

  constexpr void add(MatchFixKind kind, const MatchQuestion& question) {
    if (count < kCapacity) items[count++] = {kind, question};
  }
};

/// The shared address (before any swizzle is undone) at which the box wrote the byte where operand
/// element (mn, k) begins; nullopt where the box does not hold it.
constexpr std::optional<std::uint64_t> box_address_of(const Matcher& matcher, std::uint64_t mn,
                                                      std::uint64_t k) {
  const TmaBox& box = matcher.box();
  const MatchPlace p = matcher.place(mn, k);
  std::uint64_t row = 0, scale = 1;
  for (int s = 0; s < box.step_count; ++s) {
    const TmaStep& step = box.step[s];
    const std::int64_t ahead = p.expected[step.dimension] - step.first;
    if (ahead < 0 || ahead % step.advance != 0) return std::nullopt;
    const auto i = static_cast<std::uint64_t>(ahead / step.advance);
    if (i >= step.count) return std::nullopt;
    row += i * scale;
    scale *= step.count;
  }
  const std::int64_t inner = p.expected[0] - box.first_inner;
  if (inner < 0) return std::nullopt;
  const std::uint64_t byte =
      (static_cast<std::uint64_t>(inner) * box.element_bits + p.expected_bit) / 8;
  if (byte >= box.packed_bytes) return std::nullopt;
  const std::uint64_t linear =
      box.smem_address + row * box.row_pitch + byte / box.cell_bytes * 16 + byte % box.cell_bytes;
  return swizzled(box.swizzle, linear);
}

namespace detail {

/// A field of the descriptor solved from where the box put two elements.  The linear address grows
/// by exactly one step between (0, 0) and (mn, k).
constexpr std::optional<std::uint64_t> solved_step(const Matcher& m, const SmemDescriptor& d,
                                                   std::uint64_t mn, std::uint64_t k) {
  const auto from = box_address_of(m, 0, 0), to = box_address_of(m, mn, k);
  if (!from || !to) return std::nullopt;
  const std::uint64_t a = swizzled(d.swizzle, *from, d.base_offset);
  const std::uint64_t b = swizzled(d.swizzle, *to, d.base_offset);
  if (b < a || (b - a) % 16 != 0 || b - a >= kSmemFieldLimit) return std::nullopt;
  return b - a;
}

struct Step {
  std::uint64_t mn = 0, k = 0;
  bool used = false;
};

/// The first element that is one SBO (or LBO) away from element (0, 0).
constexpr Step first_use(const MatchQuestion& q, bool lbo) {
  const std::uint64_t bits = stored_bits(q.element, q.container);
  const std::uint64_t span_elements = swizzle_row(q.descriptor.swizzle).span * 8 / bits;
  const bool plain = q.descriptor.swizzle == Swizzle::none;
  Step s;
  if (q.major == Major::k) {
    s = lbo ? Step{0, span_elements, plain} : Step{8, 0, true};
  } else {
    const std::uint64_t rows = q.descriptor.swizzle == Swizzle::b128_32b ? 4 : 8;
    const bool along_mn = plain != lbo;
    s = along_mn ? Step{span_elements, 0, true} : Step{0, rows, true};
  }
  s.used = s.used && s.mn < q.mn && s.k < q.k;
  return s;
}

/// Solves start, SBO and LBO for the swizzle, major and base offset of `d`.
constexpr std::optional<SmemDescriptor> solved_descriptor(const MatchQuestion& q, const Matcher& m,
                                                          SmemDescriptor d) {
  const auto first = box_address_of(m, 0, 0);
  if (!first) return std::nullopt;
  d.start_address = swizzled(d.swizzle, *first, d.base_offset);
  if (d.start_address % 16 != 0 || d.start_address >= kSmemFieldLimit) return std::nullopt;
  MatchQuestion with = q;
  with.descriptor = d;
  for (const bool lbo : {false, true}) {
    const Step step = first_use(with, lbo);
    if (!step.used) continue;
    const auto value = solved_step(m, d, step.mn, step.k);
    if (!value) return std::nullopt;
    (lbo ? d.leading_byte_offset : d.stride_byte_offset) = *value;
  }
  return d;
}

}  // namespace detail

/// Searches every single change; when none does it, one whole descriptor (kind `descriptor`).
/// The question must not match as it stands.
constexpr MatchFixes match_fixes(Arch arch, const MatchQuestion& q) {
  using enum MatchFixKind;
  MatchFixes fixes;
  const Matcher asked(q);
  // A change that the instruction cannot take is no mend, unless the question asked for it already.
  const auto illegal = [&](const MatchQuestion& x) {
    return check_operand_mode(arch, x.element, x.container, x.major, x.descriptor.swizzle)
        .has_error();
  };
  const bool asked_illegal = illegal(q);
  const auto attempt = [&](MatchFixKind kind, const MatchQuestion& changed) {
    if (illegal(changed) && !asked_illegal) return;
    if (Matcher(changed).all_agree()) fixes.add(kind, changed);
  };
  const auto with_descriptor = [&](MatchFixKind kind, const SmemDescriptor& d) {
    if (d == q.descriptor) return;
    MatchQuestion changed = q;
    changed.descriptor = d;
    attempt(kind, changed);
  };
  const auto exists = [&](Swizzle s) {
    return arch == Arch::sm_100 || swizzle_row(s).code_sm90 >= 0;
  };

  for (std::uint32_t mbo = 0; mbo < 8; ++mbo) {
    SmemDescriptor d = q.descriptor;
    d.base_offset = mbo;
    with_descriptor(base_offset, d);
    if (fixes.count > 0) break;  // the lowest of the equivalent ones
  }
  for (const Swizzle s : kOperandSwizzles) {
    if (!exists(s)) continue;
    SmemDescriptor d = q.descriptor;
    d.swizzle = s;
    with_descriptor(swizzle, d);
  }
  // Both steps in use and exchanged is a likelier slip than one of them wrong.
  const bool both_used = detail::first_use(q, true).used && detail::first_use(q, false).used;
  if (both_used) {
    SmemDescriptor exchanged = q.descriptor;
    exchanged.leading_byte_offset = q.descriptor.stride_byte_offset;
    exchanged.stride_byte_offset = q.descriptor.leading_byte_offset;
    with_descriptor(exchange_offsets, exchanged);
  }
  for (const bool lbo : {false, true}) {
    const detail::Step step = detail::first_use(q, lbo);
    if (!step.used) continue;
    const auto value = detail::solved_step(asked, q.descriptor, step.mn, step.k);
    if (!value) continue;
    SmemDescriptor d = q.descriptor;
    (lbo ? d.leading_byte_offset : d.stride_byte_offset) = *value;
    with_descriptor(lbo ? leading_byte_offset : stride_byte_offset, d);
  }
  if (const auto first = box_address_of(asked, 0, 0)) {
    SmemDescriptor d = q.descriptor;
    d.start_address = swizzled(d.swizzle, *first, d.base_offset);
    if (d.start_address % 16 == 0 && d.start_address < kSmemFieldLimit) {
      with_descriptor(start_address, d);
    }
  }
  MatchQuestion other_major = q;
  other_major.major = q.major == Major::k ? Major::mn : Major::k;
  attempt(major, other_major);
  for (const Swizzle s : kOperandSwizzles) {
    MatchQuestion changed = q;
    changed.map.swizzle = s;
    if (s != q.map.swizzle && exists(s) && !check_tensor_map(changed.map, arch).has_error()) {
      attempt(map_swizzle, changed);
    }
  }
  if (fixes.count > 0) return fixes;

  // Where (0, 0) is read now: perhaps the operand was meant to start at another tensor element.
  const MatchPlace p = asked.place(0, 0);
  if (p.found.present) {
    MatchQuestion changed = q;
    changed.origin = p.found.coordinates;
    attempt(origin, changed);
  }
  if (fixes.count > 0) return fixes;
  for (const Swizzle s : kOperandSwizzles) {
    if (!exists(s)) continue;
    for (std::uint32_t mbo = 0; mbo < (s == Swizzle::none ? 1u : 8u); ++mbo) {
      SmemDescriptor d = q.descriptor;
      d.swizzle = s;
      d.base_offset = mbo;
      d.lbo_mode = LboMode::relative;
      const auto solved = detail::solved_descriptor(q, asked, d);
      if (!solved) continue;
      with_descriptor(descriptor, *solved);
      if (fixes.count > 0) return fixes;
    }
  }
  return fixes;
}

}  // namespace lc
