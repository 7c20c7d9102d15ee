#pragma once

#include <cstdint>
#include <vector>

#include "sim/layout/tmem.h"
#include "sim/machine/tensor_memory.h"
#include "sim/numerics/dot_rule.h"

namespace lc::machine {

/// Which elements of B the rows of a sparse A meet: `rows` * stored k positions, from the metadata
/// in Tensor Memory.  Where a nibble stands is CuTe's layout for 128 rows a CTA; for 64 rows the
/// lanes of layout F are taken (inferred).  Nibbles that the ISA does not list throw Fault.
struct MetadataSource {
  numerics::Kind kind = numerics::Kind::f16;
  DLayoutRow layout{};
  std::uint32_t address = 0;
  std::uint32_t selector = 0;  ///< 16- and 32-bit kinds: which column of the pair
  std::uint32_t k = 0;         ///< logical
};

std::vector<std::uint16_t> sparse_positions(const TensorMemory& memory,
                                            const MetadataSource& source, std::uint32_t rows,
                                            std::uint32_t copy);

}  // namespace lc::machine
