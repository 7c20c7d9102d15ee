#pragma once

#include <cstdint>
#include <vector>

#include "sim/layout/operand_rules.h"
#include "sim/layout/tmem_operands.h"
#include "sim/machine/shared_memory.h"
#include "sim/machine/tensor_memory.h"
#include "sim/numerics/format.h"
#include "sim/numerics/operand.h"

/// How the tensor core reads an operand: through its descriptor, never as the program meant it.
namespace lc::machine {

/// The codes of an operand, [mn][k], each in the low bits of a word.
struct OperandCodes {
  std::uint32_t mn = 0, k = 0;
  std::vector<std::uint32_t> codes;

  std::uint32_t& at(std::uint32_t i, std::uint32_t j) { return codes[std::size_t{i} * k + j]; }
  std::uint32_t at(std::uint32_t i, std::uint32_t j) const { return codes[std::size_t{i} * k + j]; }
};

/// One operand in shared memory.
struct SharedOperand {
  Arch arch = Arch::sm_100;
  std::uint64_t descriptor = 0;
  Major major = Major::k;
  Element element = Element::f16;
  Container container = Container::packed;  ///< `byte` for the 8-bit kinds with narrow elements
};

/// Throws Fault for descriptors that mean nothing, types that cannot stand that way and addresses
/// outside the CTA's window (not wrapped: measured on H200).
OperandCodes fetch_shared(const SharedMemory& shared, const SharedOperand& operand,
                          std::uint32_t mn, std::uint32_t k);

/// Addresses of the 16-byte cells that an operand is read from, row after row: what observers of
/// bank use and hazards want.  The operand was fetched without a fault.
std::vector<std::uint64_t> operand_cells(const SharedOperand& operand, std::uint32_t mn,
                                         std::uint32_t k);

/// A in Tensor Memory: rows 0 .. rows - 1 of one CTA, from copy `copy` of its lanes.
struct TmemOperand {
  DLayoutRow layout{};
  std::uint32_t address = 0;  ///< lane << 16 | column
  Element element = Element::f16;
  std::uint32_t container_bits = 16;
};
OperandCodes fetch_tmem(const TensorMemory& memory, const TmemOperand& operand, std::uint32_t rows,
                        std::uint32_t k, std::uint32_t copy);

/// The arithmetic's name of an operand type.
numerics::Format format_of(Element element);

/// The tile in the form the arithmetic wants.
numerics::Operand decoded(const OperandCodes& tile, Element element, numerics::Side side);
/// The same of `count` rows, or columns, from `begin` on.
numerics::Operand decoded(const OperandCodes& tile, Element element, numerics::Side side,
                          std::uint32_t begin, std::uint32_t count);

}  // namespace lc::machine
