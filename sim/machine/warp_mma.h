#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine/lanes.h"
#include "sim/numerics/fused_tile.h"

/// The tensor core as one warp uses it: D = A * B + C, all in registers (PTX ISA 9.0, 9.7.14.5 and
/// .6).
///
/// All shapes share one pattern.  With g = lane / 4, q = lane % 4 and E elements in a register:
///
///     A, register i, element e    row g + 8 (i % 2), k = E q + e + 4 E (i / 2)     16 rows
///                                 row g,             k = E q + e + 4 E i           8 rows
///     B, register i, element e    column g,          k = E q + e + 4 E i
///     D, 32-bit register i        row g + 8 (i / 2), column 2 q + i % 2
///     D, f16 register i           row g + 8 i,       columns 2 q and 2 q + 1
namespace lc::machine {

struct WarpMma {
  const numerics::DotRule* rule = nullptr;
  numerics::Format a{}, b{};
  std::uint32_t m = 16, k = 16;  ///< N is 8
  bool sparse = false;           ///< A holds k / 2 elements of each row
  std::uint32_t selector = 0;    ///< sparse: which lanes of four hold the metadata
  numerics::TileOptions options;

  std::uint32_t stored_k() const { return sparse ? k / 2 : k; }
  std::uint32_t a_registers() const;
  std::uint32_t b_registers() const;
  std::uint32_t d_registers() const;
};

inline constexpr std::uint32_t kWarpMmaN = 8;

/// Registers are [register * 32 + lane]; `d` holds C before.  `metadata`: one word of every lane,
/// empty when dense.
void execute_warp_mma(const WarpMma& mma, std::span<const std::uint32_t> a,
                      std::span<const std::uint32_t> b, std::span<const std::uint32_t> metadata,
                      std::span<std::uint32_t> d);

/// f64: one element a register; a chain of fused multiply-adds in order of k (the ISA fixes their
/// precision, not their order).
void execute_warp_mma_f64(std::uint32_t m, std::uint32_t k, std::span<const std::uint64_t> a,
                          std::span<const std::uint64_t> b, std::span<std::uint64_t> d);

/// For every row of A and stored k, the k of B: from the metadata of a warp.  Lanes of four, with
/// the row g of their group, hold (16-bit metadata: in the low half row g, in the high one g + 8):
///
///     16 bits of a row      lane `selector` both rows                  m16n8k16 f16, m16n8k8 tf32
///     32 bits, 16-bit A     lanes 2 selector + h: half h of K          m16n8k32 f16, m16n8k16 tf32
///     32 bits, 8, 4-bit A   lanes 2 selector + h: row g + 8 h          m16n8k32 s8, m16n8k64 s4
///     64 bits               lane q: row g + 8 (q % 2), half q / 2      m16n8k64 s8, m16n8k128 s4
///
/// Which lanes, the ISA says in words; which bits, CuTe's layouts for wgmma say: inferred for
/// mma.sp.  Throws Fault for nibbles that the ISA does not list.
std::vector<std::uint16_t> warp_positions(const WarpMma& mma,
                                          std::span<const std::uint32_t> metadata);

}  // namespace lc::machine
