#include "sim/machine/warpgroup_mma.h"

#include <string>
#include <vector>

#include "sim/machine/fault.h"
namespace lc::machine {
namespace {

[[noreturn]] void wrong(const char* rule, const std::string& what) {
  throw Fault(FaultKind::illegal_instruction, rule, what);
}

OperandCodes a_from_registers(const WarpgroupMma& q, std::uint32_t k) {
  const std::uint32_t bits = q.single_bit ? 1 : stored_bits(q.a);
  if (q.a_registers.size() != std::size_t{4} * kWarpgroupThreads) {
    wrong("wgmma.a-registers", "A takes 4 registers of every thread");
  }
  OperandCodes tile{kWarpgroupRows, k, std::vector<std::uint32_t>(std::size_t{64} * k)};
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  for (std::uint32_t m = 0; m < kWarpgroupRows; ++m) {
    for (std::uint32_t j = 0; j < k; ++j) {
      const FragmentPlace at = a_fragment(m, j, bits);
      tile.at(m, j) =
          q.a_registers[std::size_t{at.reg} * kWarpgroupThreads + at.thread] >> at.bit & mask;
    }
  }
  return tile;
}

/// An operand in shared memory; single bits come as bytes and are spread out.
OperandCodes fetch(const WarpgroupMma& q, const SharedMemory& shared, std::uint64_t descriptor,
                   Major major, Element element, std::uint32_t mn, std::uint32_t k) {
  const SharedOperand operand{Arch::sm_90, descriptor, major, element, Container::packed};
  if (!q.single_bit) return fetch_shared(shared, operand, mn, k);
  const OperandCodes bytes = fetch_shared(shared, operand, mn, k / 8);
  OperandCodes bits{mn, k, std::vector<std::uint32_t>(std::size_t{mn} * k)};
  for (std::size_t i = 0; i < bits.codes.size(); ++i)
    bits.codes[i] = bytes.codes[i / 8] >> i % 8 & 1;
  return bits;
}

/// Moves between the fragments of D and rows of words; `visit(word, register word, bit, mask)`.
template <class Visit>
void for_each_d(std::uint32_t n, std::uint32_t bits, Visit&& visit) {
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  for (std::uint32_t m = 0; m < kWarpgroupRows; ++m) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const FragmentPlace at = d_fragment(m, j, bits);
      visit(std::size_t{m} * n + j, std::size_t{at.reg} * kWarpgroupThreads + at.thread, at.bit,
            mask);
    }
  }
}

}  // namespace

void execute_warpgroup_mma(const WarpgroupMma& q, const SharedMemory& shared,
                           std::span<std::uint32_t> d_registers) {
  const std::uint32_t d_bits = numerics::format_row(q.d).bits;
  const std::uint32_t stored_k = warpgroup_k(q.a, q.single_bit);
  const std::uint32_t k = q.positions.empty() ? stored_k : 2 * stored_k;
  if (q.n < 8 || q.n > 256 || q.n % 8 != 0) {
    wrong("wgmma.n", "N = " + std::to_string(q.n) + " is not 8, 16, 24 .. 256");
  }
  if (d_registers.size() != std::size_t{q.n} * kWarpgroupRows * d_bits / 32) {
    wrong("wgmma.d-registers",
          "D takes " + std::to_string(q.n * d_bits / 64) + " registers of every thread");
  }
  if (!q.positions.empty() && q.positions.size() != std::size_t{kWarpgroupRows} * stored_k) {
    wrong("wgmma.metadata", "the metadata of a sparse A does not fit its rows");
  }
  const numerics::Format a_format = q.single_bit ? numerics::Format::b1 : format_of(q.a);
  const numerics::Format b_format = q.single_bit ? numerics::Format::b1 : format_of(q.b);
  const numerics::DotRule* rule = numerics::find_dot_rule(
      numerics::Family::wgmma, numerics::kind_of_operand(a_format), a_format, b_format, q.d);
  if (rule == nullptr) wrong("wgmma.types", "no wgmma has these types");
  const OperandCodes a = q.a_registers.empty() ? fetch(q, shared, q.a_descriptor, q.a_major, q.a,
                                                       kWarpgroupRows, stored_k)
                                               : a_from_registers(q, stored_k);
  const OperandCodes b = fetch(q, shared, q.b_descriptor, q.b_major, q.b, q.n, k);

  std::vector<std::uint32_t> words(std::size_t{kWarpgroupRows} * q.n);
  for_each_d(q.n, d_bits,
             [&](std::size_t word, std::size_t reg, std::uint32_t bit, std::uint32_t mask) {
               words[word] = d_registers[reg] >> bit & mask;
             });
  numerics::TileOptions options;
  options.negate_a = q.negate_a;
  options.negate_b = q.negate_b;
  options.read_c = q.read_d;
  options.saturate = q.saturate;
  options.positions = q.positions.empty() ? nullptr : q.positions.data();
  options.bit_operation = q.bit_operation;
  numerics::Operand a_tile, b_tile;
  a_tile.decode<std::uint32_t>(a_format, numerics::Side::a, a.mn, a.k, a.codes);
  b_tile.decode<std::uint32_t>(b_format, numerics::Side::b, b.mn, b.k, b.codes);
  numerics::fused_tile(*rule, a_tile, b_tile, {words.data(), q.n}, options);
  for_each_d(q.n, d_bits,
             [&](std::size_t word, std::size_t reg, std::uint32_t bit, std::uint32_t mask) {
               d_registers[reg] = (d_registers[reg] & ~(mask << bit)) | (words[word] & mask) << bit;
             });
}

}  // namespace lc::machine
