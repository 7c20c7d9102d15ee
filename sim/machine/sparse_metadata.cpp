#include "sim/machine/sparse_metadata.h"

#include <string>

#include "sim/machine/fault.h"
#include "sim/numerics/sparse.h"

namespace lc::machine {
namespace {

struct NibblePlace {
  std::uint32_t lane, column, bit;
};

/// Nibble of group `g` of row `m` (spec of CuTe's metadata layouts):
///   f16   lane m % 8 + 8 (k / 16) of the row's block of 16, bit 16 (m / 8 % 2) + k % 16, k = 4 g
///   tf32  lane m % 8 + 8 (k / 8) of it,  bit 16 (m / 8 % 2) + 2 (k % 8), k = 2 g
///   others  the row's own lane, bit 4 g of two columns
NibblePlace nibble_place(const MetadataSource& s, std::uint32_t m, std::uint32_t g,
                         std::uint32_t copy) {
  const std::uint32_t lane0 = s.address >> 16, column = s.address & 0xFFFF;
  const bool tf32 = s.kind == numerics::Kind::tf32;
  if (!tf32 && s.kind != numerics::Kind::f16) {
    return {d_lane(s.layout, m, copy, lane0), column + g / 8, g % 8 * 4};
  }
  const std::uint32_t block_lane = d_lane(s.layout, m / 16 * 16, copy, lane0);
  const std::uint32_t k = tf32 ? 2 * g : 4 * g, half = tf32 ? 8 : 16;
  const std::uint32_t in_half = tf32 ? 2 * (k % half) : k % half;
  return {block_lane + m % 8 + 8 * (k / half), column + s.selector, 16 * (m / 8 % 2) + in_half};
}

}  // namespace

std::vector<std::uint16_t> sparse_positions(const TensorMemory& memory, const MetadataSource& s,
                                            std::uint32_t rows, std::uint32_t copy) {
  const numerics::SparseForm form = numerics::sparse_form(s.kind);
  const std::uint32_t groups = s.k / form.logical;
  std::vector<std::uint16_t> positions(std::size_t{rows} * groups * form.stored);
  std::uint16_t* out = positions.data();
  for (std::uint32_t m = 0; m < rows; ++m) {
    for (std::uint32_t g = 0; g < groups; ++g, out += form.stored) {
      const NibblePlace at = nibble_place(s, m, g, copy);
      const std::uint32_t nibble = memory.read(at.lane, at.column) >> at.bit & 15;
      if (!numerics::is_legal_nibble(s.kind, nibble)) {
        throw Fault(FaultKind::undefined, "mma.metadata",
                    "sparsity metadata of row " + std::to_string(m) + ", group " +
                        std::to_string(g) + " is " + hex(nibble) + ", which the ISA does not list",
                    at.lane << 16 | at.column);
      }
      numerics::expand_nibble(s.kind, g, nibble, out);
    }
  }
  return positions;
}

}  // namespace lc::machine
