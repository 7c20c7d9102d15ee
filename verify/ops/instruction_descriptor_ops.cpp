#include <nlohmann/json.hpp>

#include "sim/layout/instruction_descriptor_check.h"
#include "verify/findings.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

std::uint32_t small(const Request& request, const char* field, std::uint32_t fallback) {
  return static_cast<std::uint32_t>(request.number_or(field, fallback, 0, UINT32_MAX));
}

/// How the instruction is issued, where the question says so.
MmaTarget read_target(const Request& request) {
  MmaTarget target;
  if (request.has("cta_group")) {
    target.cta_group = static_cast<int>(request.number("cta_group", 1, 2));
  }
  if (request.has("ws")) target.weight_stationary = request.flag_or("ws", false);
  return target;
}

InstructionDescriptor read_fields(const Request& request) {
  InstructionDescriptor x;
  x.kind = request.choice<MmaKind>("kind");
  const bool scaled = mma_kind_row(x.kind).block_scaled;
  // D of block-scaled kinds is f32 and has no field.
  x.d = scaled ? request.choice_or<Accumulator>("d", Accumulator::f32)
               : request.choice<Accumulator>("d");
  x.a = request.choice<Element>("a");
  x.b = request.choice<Element>("b");
  x.m = static_cast<std::uint32_t>(request.number("m", 0, UINT32_MAX));
  x.n = static_cast<std::uint32_t>(request.number("n", 0, UINT32_MAX));
  x.a_major = request.choice_or<Major>("a_major", Major::k);
  x.b_major = request.choice_or<Major>("b_major", Major::k);
  x.negate_a = request.flag_or("negate_a", false);
  x.negate_b = request.flag_or("negate_b", false);
  x.saturate = request.flag_or("saturate", false);
  x.sparse = request.flag_or("sparse", false);
  x.sparsity_selector = small(request, "sparsity_selector", 0);
  x.max_shift = small(request, "max_shift", 0);
  x.sfa_id = small(request, "sfa_id", 0);
  x.sfb_id = small(request, "sfb_id", 0);
  if (!scaled) return x;
  x.scale_type = x.kind == MmaKind::mxf4nvf4
                     ? request.choice<ScaleType>("scale_type")
                     : request.choice_or<ScaleType>("scale_type", ScaleType::ue8m0);
  return x;
}

/// "cta_group::1", ".ws, cta_group::1" ...: the ways of issuing that take the shape.
Answer forms_of(const InstructionDescriptor& x, const MmaTarget& target) {
  Answer forms = Answer::array();
  const std::uint32_t rows = legal_forms(x, target);
  for (std::size_t i = 0; i < kMmaShapes.size(); ++i) {
    if ((rows >> i & 1) != 0) forms.push_back(kMmaShapes[i].name);
  }
  return forms;
}

/// False when a type has no code in the kind, so that no word says what was asked.
bool has_word(const InstructionDescriptor& x) {
  return element_code(x.kind, *x.a) && element_code(x.kind, *x.b);
}

Answer encode_op(const Request& request) {
  InstructionDescriptor x = read_fields(request);
  const MmaTarget target = read_target(request);
  const std::uint64_t k = request.number_or("k", 0, 0, UINT32_MAX);
  x.k96 = k == 96;
  Findings findings = check_instruction_descriptor(x, target);
  const std::uint32_t implied = mma_k(x.kind, x.sparse, x.k96);
  if (request.has("k") && k != implied) {
    findings.add(idesc_rules::kK, static_cast<std::int64_t>(k), implied);
  }
  return {{"descriptor", has_word(x) ? Answer(hex32(encode(x))) : Answer(nullptr)},
          {"k", implied},
          {"forms", forms_of(x, target)},
          {"findings", to_json(findings)}};
}

template <class E>
Answer name_or_null(std::optional<E> value) {
  return value ? Answer(name_of(*value)) : Answer(nullptr);
}

Answer decode_op(const Request& request) {
  const MmaKind kind = request.choice<MmaKind>("kind");
  const auto word = static_cast<std::uint32_t>(request.number("descriptor", 0, UINT32_MAX));
  const MmaTarget target = read_target(request);
  const InstructionDescriptor x = decode_instruction_descriptor(kind, word);
  Answer answer = {{"kind", name_of(kind)},
                   {"d", name_or_null(x.d)},
                   {"a", name_or_null(x.a)},
                   {"b", name_or_null(x.b)},
                   {"m", x.m},
                   {"n", x.n},
                   {"k", mma_k(kind, x.sparse, x.k96)},
                   {"a_major", name_of(x.a_major)},
                   {"b_major", name_of(x.b_major)},
                   {"negate_a", x.negate_a},
                   {"negate_b", x.negate_b},
                   {"sparse", x.sparse}};
  if (mma_kind_row(kind).block_scaled) {
    answer["scale_type"] = name_of(x.scale_type);
    answer["sfa_id"] = x.sfa_id;
    answer["sfb_id"] = x.sfb_id;
  } else {
    answer["saturate"] = x.saturate;
    answer["sparsity_selector"] = x.sparsity_selector;
    answer["max_shift"] = x.max_shift;
  }
  answer["forms"] = forms_of(x, target);
  answer["findings"] = to_json(check_instruction_word(kind, word, target));
  return answer;
}

constexpr Op kOps[] = {
    {"instruction_descriptor.encode",
     "kind, d (f32 for block-scaled kinds), a, b, m, n, a_major (k), b_major (k), negate_a, "
     "negate_b, saturate, sparse (false), sparsity_selector (0), max_shift (0 8 16 32), scale_type "
     "(ue8m0; mxf4nvf4 must say), sfa_id, sfb_id (0); optional: cta_group, ws to check the shape "
     "for one way of issuing it, k to check it (96: sm_103a)",
     "descriptor (null when a type has no code in the kind), k, forms (ways of issuing that take "
     "the shape), findings",
     encode_op},
    {"instruction_descriptor.decode", "kind, descriptor; optional: cta_group, ws",
     "kind, d, a, b (null: the code names no type), m, n, k, a_major, b_major, negate_a, negate_b, "
     "sparse; block-scaled: scale_type, sfa_id, sfb_id; else: saturate, sparsity_selector, "
     "max_shift; forms, findings",
     decode_op},
};

}  // namespace

std::span<const Op> instruction_descriptor_ops() {
  return kOps;
}

}  // namespace lc::verify
