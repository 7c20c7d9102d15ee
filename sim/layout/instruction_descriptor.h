#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "sim/layout/bit_field.h"
#include "sim/layout/field_line.h"
#include "sim/layout/instruction_descriptor_types.h"
#include "sim/layout/spelling.h"

namespace lc {

/// The 32-bit instruction descriptor of `tcgen05.mma` (PTX ISA 9.0, 9.7.16.4.2): types, shape and
/// switches of one multiply-accumulate.  The kind is not part of it; it says how to read the bits.
///
///        31 30 29 28    24 23 22     17 16 15 14 13 12 10 9  7  6  5  4  3  2  1  0
///  dense  shift |  0 | M/16 | 0 |  N/8  | tB tA | nB nA | B  | A  | 0 |  D  | sat sp select
///  mx      0 |SFA | M/128  0 |sc|  N/8  | tB tA | nB nA | B  | A  | 0 | SFB | 0   sp   0
///  mxf4    K |SFA | M/128  0 |sc|  N/8  |  0  0 | nB nA |0 B | A  | 0 | SFB | 0   sp   0
///
/// Values are in elements; types that a code does not name are empty after decoding.
struct InstructionDescriptor {
  MmaKind kind = MmaKind::f16;
  std::optional<Accumulator> d = Accumulator::f32;
  std::optional<Element> a, b;
  std::uint32_t m = 0;  ///< rows of D; of both CTAs for cta_group::2
  std::uint32_t n = 0;  ///< columns of D
  Major a_major = Major::k;
  Major b_major = Major::k;
  bool negate_a = false;
  bool negate_b = false;
  bool saturate = false;  ///< kind i8: clamp to the range of s32
  bool sparse = false;    ///< must agree with the `.sp` of the instruction
  std::uint32_t sparsity_selector = 0;
  std::uint32_t max_shift = 0;  ///< columns by which .ws may shift B: 0, 8, 16, 32
  ScaleType scale_type = ScaleType::ue8m0;
  std::uint32_t sfa_id = 0;  ///< which bytes of the 32-bit cells hold A's scale factors
  std::uint32_t sfb_id = 0;
  bool k96 = false;  ///< mxf4 kinds: K = 96 (sm_103a)

  constexpr bool operator==(const InstructionDescriptor&) const = default;
};

/// What a field of the descriptor is for.
enum class IdescRole : std::uint8_t {
  reserved,
  sparsity_selector,
  sparse,
  saturate,
  d,
  a,
  b,
  negate_a,
  negate_b,
  a_major,
  b_major,
  n,
  m,
  max_shift,
  scale_type,
  sfa_id,
  sfb_id,
  k96
};

struct IdescField {
  IdescRole role;
  BitField bits;
};

namespace idesc_fields {
/// PTX ISA table 42: kinds f16, tf32, f8f6f4, i8.
inline constexpr std::array<IdescField, 16> kDense = {{
    {IdescRole::sparsity_selector, {"sparsity_selector", 0, 2, 0}},
    {IdescRole::sparse, {"sparse", 2, 1, 0}},
    {IdescRole::saturate, {"saturate", 3, 1, 0}},
    {IdescRole::d, {"d", 4, 2, 0}},
    {IdescRole::reserved, {"reserved", 6, 1, 0}},
    {IdescRole::a, {"a", 7, 3, 0}},
    {IdescRole::b, {"b", 10, 3, 0}},
    {IdescRole::negate_a, {"negate_a", 13, 1, 0}},
    {IdescRole::negate_b, {"negate_b", 14, 1, 0}},
    {IdescRole::a_major, {"a_major", 15, 1, 0}},
    {IdescRole::b_major, {"b_major", 16, 1, 0}},
    {IdescRole::n, {"n", 17, 6, 3}},
    {IdescRole::reserved, {"reserved", 23, 1, 0}},
    {IdescRole::m, {"m", 24, 5, 4}},
    {IdescRole::reserved, {"reserved", 29, 1, 0}},
    {IdescRole::max_shift, {"max_shift", 30, 2, 0}},
}};

/// PTX ISA table 43: kind mxf8f6f4.
inline constexpr std::array<IdescField, 17> kMxf8f6f4 = {{
    {IdescRole::reserved, {"reserved", 0, 2, 0}},
    {IdescRole::sparse, {"sparse", 2, 1, 0}},
    {IdescRole::reserved, {"reserved", 3, 1, 0}},
    {IdescRole::sfb_id, {"sfb_id", 4, 2, 0}},
    {IdescRole::reserved, {"reserved", 6, 1, 0}},
    {IdescRole::a, {"a", 7, 3, 0}},
    {IdescRole::b, {"b", 10, 3, 0}},
    {IdescRole::negate_a, {"negate_a", 13, 1, 0}},
    {IdescRole::negate_b, {"negate_b", 14, 1, 0}},
    {IdescRole::a_major, {"a_major", 15, 1, 0}},
    {IdescRole::b_major, {"b_major", 16, 1, 0}},
    {IdescRole::n, {"n", 17, 6, 3}},
    {IdescRole::scale_type, {"scale_type", 23, 1, 0}},
    {IdescRole::reserved, {"reserved", 24, 3, 0}},
    {IdescRole::m, {"m", 27, 2, 7}},
    {IdescRole::sfa_id, {"sfa_id", 29, 2, 0}},
    {IdescRole::reserved, {"reserved", 31, 1, 0}},
}};

/// PTX ISA table 44: kinds mxf4 and mxf4nvf4.
inline constexpr std::array<IdescField, 18> kMxf4 = {{
    {IdescRole::reserved, {"reserved", 0, 2, 0}},
    {IdescRole::sparse, {"sparse", 2, 1, 0}},
    {IdescRole::reserved, {"reserved", 3, 1, 0}},
    {IdescRole::sfb_id, {"sfb_id", 4, 2, 0}},
    {IdescRole::reserved, {"reserved", 6, 1, 0}},
    {IdescRole::a, {"a", 7, 3, 0}},
    {IdescRole::b, {"b", 10, 2, 0}},
    {IdescRole::reserved, {"reserved", 12, 1, 0}},
    {IdescRole::negate_a, {"negate_a", 13, 1, 0}},
    {IdescRole::negate_b, {"negate_b", 14, 1, 0}},
    {IdescRole::a_major, {"a_major", 15, 1, 0}},
    {IdescRole::b_major, {"b_major", 16, 1, 0}},
    {IdescRole::n, {"n", 17, 6, 3}},
    {IdescRole::scale_type, {"scale_type", 23, 1, 0}},
    {IdescRole::reserved, {"reserved", 24, 3, 0}},
    {IdescRole::m, {"m", 27, 2, 7}},
    {IdescRole::sfa_id, {"sfa_id", 29, 2, 0}},
    {IdescRole::k96, {"k96", 31, 1, 0}},
}};
}  // namespace idesc_fields

/// The fields of a kind's descriptor, lowest bit first; together they cover all 32 bits.
constexpr std::span<const IdescField> instruction_descriptor_fields(MmaKind kind) {
  if (is_mxf4(kind)) return idesc_fields::kMxf4;
  if (kind == MmaKind::mxf8f6f4) return idesc_fields::kMxf8f6f4;
  return idesc_fields::kDense;
}

/// The field of a kind that plays a role; null when the kind has none.
constexpr const IdescField* instruction_descriptor_field(MmaKind kind, IdescRole role) {
  for (const IdescField& field : instruction_descriptor_fields(kind)) {
    if (field.role == role) return &field;
  }
  return nullptr;
}

/// Columns of the largest shift for a code of the max_shift field.
constexpr std::uint32_t max_shift_of_code(std::uint64_t code) {
  return code == 0 ? 0 : 4u << code;
}

constexpr std::optional<std::uint32_t> max_shift_code(std::uint32_t columns) {
  for (std::uint32_t code = 0; code < 4; ++code) {
    if (max_shift_of_code(code) == columns) return code;
  }
  return std::nullopt;
}

/// What a role's field holds (before its scale); 0 for a type without a code in this kind.
constexpr std::uint64_t role_value(const InstructionDescriptor& x, IdescRole role) {
  const auto type = [&](std::optional<Element> e) -> std::uint64_t {
    return e ? element_code(x.kind, *e).value_or(0) : 0;
  };
  switch (role) {
    case IdescRole::reserved:
      return 0;
    case IdescRole::sparsity_selector:
      return x.sparsity_selector;
    case IdescRole::sparse:
      return x.sparse;
    case IdescRole::saturate:
      return x.saturate;
    case IdescRole::d:
      return x.d ? static_cast<std::uint64_t>(*x.d) : 0;
    case IdescRole::a:
      return type(x.a);
    case IdescRole::b:
      return type(x.b);
    case IdescRole::negate_a:
      return x.negate_a;
    case IdescRole::negate_b:
      return x.negate_b;
    case IdescRole::a_major:
      return x.a_major == Major::mn;
    case IdescRole::b_major:
      return x.b_major == Major::mn;
    case IdescRole::n:
      return x.n;
    case IdescRole::m:
      return x.m;
    case IdescRole::max_shift:
      return max_shift_code(x.max_shift).value_or(0);
    case IdescRole::scale_type:
      return static_cast<std::uint64_t>(x.scale_type);
    case IdescRole::sfa_id:
      return x.sfa_id;
    case IdescRole::sfb_id:
      return x.sfb_id;
    case IdescRole::k96:
      return x.k96;
  }
  return 0;
}

constexpr void set_role(InstructionDescriptor& x, IdescRole role, std::uint64_t value) {
  const auto number = static_cast<std::uint32_t>(value);
  const Major major = value != 0 ? Major::mn : Major::k;
  switch (role) {
    case IdescRole::reserved:
      break;
    case IdescRole::sparsity_selector:
      x.sparsity_selector = number;
      break;
    case IdescRole::sparse:
      x.sparse = value != 0;
      break;
    case IdescRole::saturate:
      x.saturate = value != 0;
      break;
    case IdescRole::d:
      x.d = value < 3 ? std::optional{static_cast<Accumulator>(value)} : std::nullopt;
      break;
    case IdescRole::a:
      x.a = element_of_code(x.kind, value);
      break;
    case IdescRole::b:
      x.b = element_of_code(x.kind, value);
      break;
    case IdescRole::negate_a:
      x.negate_a = value != 0;
      break;
    case IdescRole::negate_b:
      x.negate_b = value != 0;
      break;
    case IdescRole::a_major:
      x.a_major = major;
      break;
    case IdescRole::b_major:
      x.b_major = major;
      break;
    case IdescRole::n:
      x.n = number;
      break;
    case IdescRole::m:
      x.m = number;
      break;
    case IdescRole::max_shift:
      x.max_shift = max_shift_of_code(value);
      break;
    case IdescRole::scale_type:
      x.scale_type = static_cast<ScaleType>(value);
      break;
    case IdescRole::sfa_id:
      x.sfa_id = number;
      break;
    case IdescRole::sfb_id:
      x.sfb_id = number;
      break;
    case IdescRole::k96:
      x.k96 = value != 0;
      break;
  }
}

/// The 32 bits.  What does not fit a field is cut off; `check_instruction_descriptor` names it.
constexpr std::uint32_t encode(const InstructionDescriptor& x) {
  std::uint64_t word = 0;
  for (const IdescField& field : instruction_descriptor_fields(x.kind)) {
    word |= field.bits.put(role_value(x, field.role));
  }
  return static_cast<std::uint32_t>(word);
}

constexpr InstructionDescriptor decode_instruction_descriptor(MmaKind kind, std::uint32_t word) {
  InstructionDescriptor x;
  x.kind = kind;
  for (const IdescField& field : instruction_descriptor_fields(kind)) {
    set_role(x, field.role, field.bits.get(word));
  }
  return x;
}

/// What the value of a field is called, or "" where the number says it.
constexpr const char* role_meaning(const InstructionDescriptor& x, IdescRole role) {
  const auto type = [](std::optional<Element> e) {
    return e ? element_format(*e).name : "no type has this code";
  };
  switch (role) {
    case IdescRole::d:
      return x.d ? name_of(*x.d) : "no type has this code";
    case IdescRole::a:
      return type(x.a);
    case IdescRole::b:
      return type(x.b);
    case IdescRole::a_major:
      return x.a_major == Major::k ? "K-major" : "M-major (transposed)";
    case IdescRole::b_major:
      return x.b_major == Major::k ? "K-major" : "N-major (transposed)";
    case IdescRole::sparse:
      return x.sparse ? "A is sparse" : "A is dense";
    case IdescRole::saturate:
      return x.saturate ? "clamp to s32" : "no";
    case IdescRole::negate_a:
      return x.negate_a ? "-A" : "no";
    case IdescRole::negate_b:
      return x.negate_b ? "-B" : "no";
    case IdescRole::scale_type:
      return name_of(x.scale_type);
    case IdescRole::k96:
      return x.k96 ? "K = 96" : "K = 64 (sparse 128)";
    case IdescRole::m:
      return "rows";
    case IdescRole::n:
      return "columns";
    case IdescRole::max_shift:
      return x.max_shift == 0 ? "no shift" : "columns, .ws only";
    case IdescRole::sparsity_selector:
      return x.sparse ? "" : "not read: A is dense";
    case IdescRole::sfa_id:
    case IdescRole::sfb_id:
      return "first byte of the cell";
    case IdescRole::reserved:
      break;
  }
  return "";
}

using InstructionDescriptorLines = FieldLines<18>;

/// Every field of a word, ready for a table.
constexpr InstructionDescriptorLines instruction_descriptor_lines(MmaKind kind,
                                                                  std::uint32_t word) {
  const InstructionDescriptor x = decode_instruction_descriptor(kind, word);
  InstructionDescriptorLines lines;
  for (const IdescField& field : instruction_descriptor_fields(kind)) {
    const bool reserved = field.role == IdescRole::reserved;
    const std::uint64_t value =
        field.role == IdescRole::max_shift ? x.max_shift : field.bits.get(word);
    lines.add({field.bits, field.bits.raw(word), static_cast<std::int64_t>(value),
               role_meaning(x, field.role), reserved});
  }
  return lines;
}

}  // namespace lc
