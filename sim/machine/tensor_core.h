#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/layout/instruction_descriptor_check.h"
#include "sim/machine/operand_fetch.h"

/// The tensor core of sm_100: D in Tensor Memory += A * B, both operands through descriptors or A
/// from Tensor Memory, for one CTA or a pair.  Layouts are sim/layout's, arithmetic
/// sim/numerics'; nothing of the layouts was measured by this project.
namespace lc::machine {

/// What one CTA brings.
struct MmaCta {
  SharedMemory* shared = nullptr;
  TensorMemory* tensor = nullptr;
};

/// One matrix instruction.  Modifiers that are no part of the instruction descriptor stand here.
struct MmaRequest {
  MmaKind kind = MmaKind::f16;
  std::uint32_t cta_group = 1;
  bool weight_stationary = false;
  bool sparse = false;
  std::uint32_t instruction = 0;  ///< the 32-bit instruction descriptor

  std::uint32_t d_address = 0;
  std::optional<std::uint32_t> a_address;  ///< A in Tensor Memory
  std::uint64_t a_descriptor = 0;          ///< else
  std::uint64_t b_descriptor = 0;
  std::uint32_t metadata_address = 0;  ///< sparse

  std::uint32_t sfa_address = 0, sfb_address = 0;  ///< block-scaled kinds
  std::uint32_t scale_block = 32;                  ///< elements of dense K under one factor: 16, 32

  bool read_d = true;              ///< enable-input-d
  int d_shift = 0;                 ///< scale-input-d: D * 2^-shift
  bool shift_a = false;            ///< .ashift
  std::uint64_t zero_columns = 0;  ///< .ws: the zero-column mask
  /// disable-output-lane: bit l of [cta] keeps lane l as it was.
  std::array<std::array<std::uint32_t, 4>, 2> disabled_lanes{};
};

/// What is known of a request before any operand is read.
struct MmaForm {
  InstructionDescriptor instruction;
  DLayoutRow layout{};
  std::uint32_t k = 0;         ///< of B
  std::uint32_t stored_k = 0;  ///< of A; half of k when sparse
  Element a{}, b{};
  Container container = Container::packed;
};

/// Decodes and judges the instruction descriptor; throws Fault.  Warnings go to `findings`.
MmaForm decode_mma(const MmaRequest& request, Findings* findings = nullptr);

/// Executes a request on one CTA, or on the even and odd CTA of a pair.  Every operand is read
/// before D is written.  Throws Fault; D is then unchanged.
void execute_mma(const MmaRequest& request, std::span<const MmaCta> ctas);

}  // namespace lc::machine
