#include "sim/machine/tensor_core.h"

#include <string>

#include "sim/machine/fault.h"
#include "sim/machine/zero_columns.h"

namespace lc::machine {
namespace {

void check_operands(const MmaRequest& q, const MmaForm& form) {
  const auto wrong = [](const char* rule, const char* what) {
    throw Fault(FaultKind::illegal_instruction, rule, what);
  };
  if (form.instruction.sparse != q.sparse) {
    wrong("mma.sparse-bit", "the descriptor's sparse bit and the instruction's .sp disagree");
  }
  if (form.instruction.k96) wrong("mma.k96", "K = 96 (sm_103a) is not modelled");
  if (q.a_address && form.instruction.a_major == Major::mn) {
    wrong("mma.a-transposed",
          "A in Tensor Memory is K-major: the descriptor's transpose bit is set");
  }
  const bool sixteen = q.kind == MmaKind::mxf4nvf4 && q.scale_block == 16;
  if (mma_kind_row(q.kind).block_scaled && q.scale_block != 32 && !sixteen) {
    wrong("mma.scale-block", "scale factors stand for 32 elements, or 16 with kind mxf4nvf4");
  }
  if (q.shift_a && (!q.a_address || (form.instruction.m != 128 && form.instruction.m != 256))) {
    wrong("mma.ashift", ".ashift takes A from Tensor Memory, with M = 128 or 256");
  }
  if (q.zero_columns != 0 && !q.weight_stationary) {
    wrong("mma.zero-columns-form", "only .ws instructions have a zero-column mask");
  }
  if (ZeroColumns{q.zero_columns}.shift() > form.instruction.max_shift) {
    wrong("mma.column-shift", "the zero-column mask shifts further than the descriptor allows");
  }
  for (const std::uint32_t address : {q.d_address, q.a_address.value_or(0)}) {
    const std::uint32_t lane = address >> 16;
    if (lane == 0 || (lane == 16 && form.layout.half_lanes)) continue;
    throw Fault(FaultKind::illegal_address, "tmem.lane-base",
                "the lane of the address must be 0 here, or 0 or 16 for layouts that use half the "
                "lanes; it is " +
                    std::to_string(lane),
                address);
  }
}

}  // namespace

MmaForm decode_mma(const MmaRequest& q, Findings* findings) {
  const MmaTarget target{static_cast<int>(q.cta_group), q.weight_stationary};
  const Findings found = check_instruction_word(q.kind, q.instruction, target);
  throw_first_error(FaultKind::illegal_instruction, found);
  if (findings != nullptr) findings->append(found);
  MmaForm form;
  form.instruction = decode_instruction_descriptor(q.kind, q.instruction);
  const auto layout = find_d_layout(form.instruction.m, q.cta_group, q.weight_stationary, q.sparse);
  if (!layout || !form.instruction.a || !form.instruction.b || !form.instruction.d) {
    throw Fault(FaultKind::illegal_instruction, "mma.shape", "no instruction has this shape");
  }
  form.layout = d_layout_row(*layout);
  form.stored_k = mma_k(q.kind, false);
  form.k = mma_k(q.kind, q.sparse);
  form.a = *form.instruction.a;
  form.b = *form.instruction.b;
  form.container = is_mxf4(q.kind) ? Container::packed : Container::byte;
  if (mma_kind_row(q.kind).block_scaled) form.instruction.d = Accumulator::f32;
  check_operands(q, form);
  return form;
}

}  // namespace lc::machine
