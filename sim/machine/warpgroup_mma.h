#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/machine/operand_fetch.h"
#include "sim/numerics/fused_tile.h"

/// The tensor core of sm_90 as a warpgroup of 128 threads uses it: D (64 x N, in registers) += A
/// (registers or shared memory) * B (shared memory).
namespace lc::machine {

inline constexpr std::uint32_t kWarpgroupThreads = 128;
inline constexpr std::uint32_t kWarpgroupRows = 64;

/// An element's place in the registers of a warpgroup.
struct FragmentPlace {
  std::uint32_t thread = 0;  ///< 0 .. 127
  std::uint32_t reg = 0;     ///< 32-bit register
  std::uint32_t bit = 0;     ///< lowest bit of the element in it

  constexpr bool operator==(const FragmentPlace&) const = default;
};

/// D(m, n) (PTX ISA 9.0, figures of 9.7.15.5.1): a warp holds 16 rows, a thread two neighbouring
/// columns of every 8 in rows t / 4 and t / 4 + 8.  f16 pairs share a register.
constexpr FragmentPlace d_fragment(std::uint32_t m, std::uint32_t n, std::uint32_t bits) {
  const std::uint32_t thread = m / 16 * 32 + m % 8 * 4 + n % 8 / 2;
  const std::uint32_t half = m % 16 / 8, low = n % 2;
  if (bits == 16) return {thread, n / 8 * 2 + half, 16 * low};
  return {thread, n / 8 * 4 + half * 2 + low, 0};
}

/// A(m, k): a register holds 4 bytes along k; registers 0 and 1 rows t / 4 and t / 4 + 8 of the
/// first 16 bytes, 2 and 3 those of the second.
constexpr FragmentPlace a_fragment(std::uint32_t m, std::uint32_t k, std::uint32_t bits) {
  const std::uint32_t per_register = 32 / bits;
  const std::uint32_t word = k / per_register;
  return {m / 16 * 32 + m % 8 * 4 + word % 4, m % 16 / 8 + word / 4 * 2, k % per_register * bits};
}

/// One instruction.  `a_registers` holds [reg * 128 + thread]; A then has 64 rows.
struct WarpgroupMma {
  Element a{}, b{};         ///< u8 for single-bit operands
  bool single_bit = false;  ///< .b1: every byte of A and B is 8 elements, the lowest bit first
  numerics::BitOperation bit_operation = numerics::BitOperation::and_popc;
  numerics::Format d = numerics::Format::f32;
  std::uint32_t n = 8;
  Major a_major = Major::k, b_major = Major::k;
  std::uint64_t a_descriptor = 0, b_descriptor = 0;
  std::span<const std::uint32_t> a_registers;  ///< empty: A is in shared memory
  bool negate_a = false, negate_b = false;
  bool read_d = true;     ///< scale-d
  bool saturate = false;  ///< integer kinds
  /// Sparse A (.sp): for each row and stored k, the k of B; empty: dense.
  std::span<const std::uint16_t> positions;
};

/// K of one instruction: 32 bytes of A, twice as many elements of B when sparse.
constexpr std::uint32_t warpgroup_k(Element element, bool single_bit = false) {
  return 256 / (single_bit ? 1 : stored_bits(element));
}

/// Replaces D, [reg * 128 + thread], which holds C before.  Throws Fault; D is then unchanged.
void execute_warpgroup_mma(const WarpgroupMma& request, const SharedMemory& shared,
                           std::span<std::uint32_t> d_registers);

}  // namespace lc::machine
