#pragma once

#include <cstdint>

#include "sim/layout/finding.h"
#include "sim/layout/instruction_descriptor.h"
#include "sim/layout/instruction_descriptor_rules.h"
#include "sim/layout/instruction_descriptor_shapes.h"

namespace lc {

namespace idesc_checks {

constexpr bool is_sub_byte(std::optional<Element> element) {
  return element && element_format(*element).bits < 8;
}

/// Types that have a name but no place in this kind.  Codes without a name are reported from the
/// word, where the code is known.
constexpr void types(const InstructionDescriptor& x, Findings& out) {
  namespace r = idesc_rules;
  if (x.a && !element_code(x.kind, *x.a)) out.add(r::kAType);
  if (x.b && !element_code(x.kind, *x.b)) out.add(r::kBType);
  if (x.d && !accumulator_is_legal(x.kind, *x.d)) out.add(r::kDType);
  if (x.kind != MmaKind::f16) return;
  const bool any_bf16 = x.a == Element::bf16 || x.b == Element::bf16;
  if (x.d == Accumulator::f16 && any_bf16) out.add(r::kDNeedsF16);
  const bool known = x.a && x.b && element_code(x.kind, *x.a) && element_code(x.kind, *x.b);
  if (known && *x.a != *x.b) out.add(r::kMixed16);
}

/// The sentence that goes with the values of N a row takes.
constexpr const Rule& n_rule(const NRange& n) {
  namespace r = idesc_rules;
  if (n.powers_of_two) return r::kNPowers;
  if (n.step == 8) return n.step_above_32 == 8 ? r::kN8 : r::kN8Then16;
  return n.step == 16 ? r::kN16 : r::kN32;
}

constexpr void shape(const InstructionDescriptor& x, const MmaTarget& target, Findings& out) {
  namespace r = idesc_rules;
  const ShapeVerdict verdict = judge_shape(shape_of(x), target);
  if (!verdict.any_row) {
    out.add(r::kNoSuchForm);
  } else if (!verdict.any_m) {
    out.add(r::kM, x.m);
  } else if (!verdict.any_n) {
    out.add(n_rule(verdict.nearest->n), x.n);
  } else if (!verdict.legal()) {
    out.add(r::kNTransposed, x.n, transposed_byte_n_step(verdict.nearest->cta_group));
  }
  const bool pair = target.cta_group == 2 || x.m == 256;
  if (verdict.legal() && pair && x.kind == MmaKind::f8f6f4 && x.sparse && x.n % 32 != 0) {
    out.add(r::kNSparsePair, x.n, 32);
  }
  if (!x.k96) return;
  if (!is_mxf4(x.kind)) {
    out.add(r::kK96Kind);
    return;
  }
  if (x.sparse || x.m != 256 || target.cta_group == 1) out.add(r::kK96Shape);
  out.add(r::kK96Arch);
}

constexpr void transposes(const InstructionDescriptor& x, Findings& out) {
  namespace r = idesc_rules;
  const bool a = x.a_major == Major::mn, b = x.b_major == Major::mn;
  if (!mma_kind_row(x.kind).transpose) {
    if (a) out.add(r::kTransposeA);
    if (b) out.add(r::kTransposeB);
    return;
  }
  if (a && is_sub_byte(x.a)) out.add(r::kSubByteTransposeA);
  if (b && is_sub_byte(x.b)) out.add(r::kSubByteTransposeB);
  if (a && x.kind == MmaKind::tf32) out.add(r::kTf32TransposeA);
  if (b && x.kind == MmaKind::tf32) out.add(r::kTf32TransposeB);
}

constexpr void switches(const InstructionDescriptor& x, Findings& out) {
  namespace r = idesc_rules;
  const MmaKindRow row = mma_kind_row(x.kind);
  if (x.negate_a && !row.negate) out.add(r::kNegateA);
  if (x.negate_b && !row.negate) out.add(r::kNegateB);
  if (x.saturate && !row.saturate) out.add(r::kSaturate);
  const std::uint32_t selector = x.sparsity_selector;
  if (selector == 0) return;
  const bool selects = x.kind == MmaKind::f16 || x.kind == MmaKind::tf32;
  if (selector > 3) {
    out.add(r::kSelectorRange, selector);
  } else if (!x.sparse && !row.block_scaled) {
    out.add(r::kSelectorDense, selector);
  } else if (!selects) {
    out.add(r::kSelectorKind, selector);
  } else if (selector > 1) {
    out.add(r::kSelectorHigh, selector);
  }
}

constexpr void shift(const InstructionDescriptor& x, const MmaTarget& target, Findings& out) {
  namespace r = idesc_rules;
  if (x.max_shift == 0) return;
  if (!max_shift_code(x.max_shift)) {
    out.add(r::kShiftValue, x.max_shift);
    return;
  }
  MmaTarget as_ws = target;
  if (!as_ws.weight_stationary) as_ws.weight_stationary = true;
  const bool could_be_ws = *as_ws.weight_stationary && judge_shape(shape_of(x), as_ws).legal();
  if (!could_be_ws) out.add(r::kShiftForm);
  if (could_be_ws && x.m == 32 && x.max_shift == 32) out.add(r::kShiftM32);
}

constexpr void scale_id(const InstructionDescriptor& x, std::uint32_t id, const Rule& kind,
                        const Rule& range, const Rule& odd, const Rule& four, Findings& out) {
  if (id == 0) return;
  if (!mma_kind_row(x.kind).block_scaled) {
    out.add(kind, id);
  } else if (id > 3) {
    out.add(range, id);
  } else if (!is_mxf4(x.kind) || x.k96) {
    return;  // one byte of a cell each; K = 96 has figures for every id
  } else if (x.kind == MmaKind::mxf4nvf4 && x.scale_type == ScaleType::ue4m3) {
    out.add(four, id);
  } else if (id % 2 != 0) {
    out.add(odd, id);
  }
}

constexpr void scales(const InstructionDescriptor& x, Findings& out) {
  namespace r = idesc_rules;
  if (mma_kind_row(x.kind).block_scaled && !scale_type_is_legal(x.kind, x.scale_type)) {
    out.add(r::kScaleType);
  }
  scale_id(x, x.sfa_id, r::kSfaKind, r::kSfaRange, r::kSfaOdd, r::kSfaFour, out);
  scale_id(x, x.sfb_id, r::kSfbKind, r::kSfbRange, r::kSfbOdd, r::kSfbFour, out);
}

}  // namespace idesc_checks

/// Every rule that a descriptor's values break.
constexpr Findings check_instruction_descriptor(const InstructionDescriptor& x,
                                                const MmaTarget& target = {}) {
  Findings out;
  idesc_checks::types(x, out);
  idesc_checks::shape(x, target, out);
  idesc_checks::transposes(x, out);
  idesc_checks::switches(x, out);
  idesc_checks::shift(x, target, out);
  idesc_checks::scales(x, out);
  return out;
}

/// Every rule that a descriptor's bits break: the above, and codes and bits that mean nothing.
constexpr Findings check_instruction_word(MmaKind kind, std::uint32_t word,
                                          const MmaTarget& target = {}) {
  namespace r = idesc_rules;
  Findings out;
  const InstructionDescriptor x = decode_instruction_descriptor(kind, word);
  for (const IdescField& field : instruction_descriptor_fields(kind)) {
    const auto raw = static_cast<std::int64_t>(field.bits.raw(word));
    if (field.role == IdescRole::a && !x.a) out.add(r::kACode, raw);
    if (field.role == IdescRole::b && !x.b) out.add(r::kBCode, raw);
    if (field.role == IdescRole::d && !x.d) out.add(r::kDCode, raw);
    if (field.role != IdescRole::reserved) continue;
    for (int bit = field.bits.lo; bit < field.bits.lo + field.bits.width; ++bit) {
      if ((word >> bit & 1) != 0) out.add(r::kReserved, bit);
    }
  }
  out.append(check_instruction_descriptor(x, target));
  return out;
}

/// The ways of issuing under which the shape is legal: bit i stands for row i of kMmaShapes.
constexpr std::uint32_t legal_forms(const InstructionDescriptor& x, const MmaTarget& target = {}) {
  return judge_shape(shape_of(x), target).rows;
}

}  // namespace lc
