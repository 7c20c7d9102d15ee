#include "sim/machine/warp_mma.h"

#include <bit>
#include <cmath>
#include <string>

#include "sim/machine/fault.h"
#include "sim/numerics/sparse.h"

namespace lc::machine {
namespace {

std::uint32_t bits_of(numerics::Format format) {
  return numerics::format_row(format).bits;
}

/// Where an element of A or B is; `blocks_of_rows` is 2 for an A of 16 rows, else 1.
struct FragmentPlace {
  std::uint32_t reg = 0, lane = 0, bit = 0;
};

FragmentPlace place_of(std::uint32_t mn, std::uint32_t k, std::uint32_t bits,
                       std::uint32_t blocks_of_rows) {
  const std::uint32_t per_register = 32 / bits, word = k / per_register;
  return {word / 4 * blocks_of_rows + mn / 8, mn % 8 * 4 + word % 4, k % per_register * bits};
}

std::vector<std::uint32_t> codes_of(std::span<const std::uint32_t> registers, std::uint32_t mn,
                                    std::uint32_t k, std::uint32_t bits) {
  std::vector<std::uint32_t> codes(std::size_t{mn} * k);
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  for (std::uint32_t i = 0; i < mn; ++i) {
    for (std::uint32_t j = 0; j < k; ++j) {
      const FragmentPlace at = place_of(i, j, bits, mn / 8);
      codes[std::size_t{i} * k + j] = registers[at.reg * kWarpLanes + at.lane] >> at.bit & mask;
    }
  }
  return codes;
}

/// Calls `f(word, register word, bit, mask)` for every element of D.
template <class F>
void each_d(std::uint32_t m, std::uint32_t bits, F&& f) {
  for (std::uint32_t i = 0; i < m; ++i) {
    for (std::uint32_t j = 0; j < kWarpMmaN; ++j) {
      const std::uint32_t lane = i % 8 * 4 + j / 2;
      const std::uint32_t reg = bits == 16 ? i / 8 : i / 8 * 2 + j % 2;
      f(i * kWarpMmaN + j, reg * kWarpLanes + lane, bits == 16 ? 16 * (j % 2) : 0,
        bits == 16 ? 0xFFFFu : 0xFFFFFFFFu);
    }
  }
}

/// 4-bit integers are sparse in pairs, as the 4-bit floats of sm_100 are.
numerics::Kind sparse_kind(numerics::Format a) {
  return bits_of(a) == 4 ? numerics::Kind::mxf4 : numerics::kind_of_operand(a);
}

}  // namespace

std::uint32_t WarpMma::a_registers() const {
  return m * stored_k() * bits_of(a) / (32 * kWarpLanes);
}
std::uint32_t WarpMma::b_registers() const {
  return kWarpMmaN * k * bits_of(b) / (32 * kWarpLanes);
}
std::uint32_t WarpMma::d_registers() const {
  return m * kWarpMmaN * bits_of(rule->d) / (32 * kWarpLanes);
}

std::vector<std::uint16_t> warp_positions(const WarpMma& mma,
                                          std::span<const std::uint32_t> metadata) {
  const numerics::Kind kind = sparse_kind(mma.a);
  const numerics::SparseForm form = numerics::sparse_form(kind);
  const std::uint32_t stored = mma.stored_k(), groups = stored / form.stored;
  const bool wide = bits_of(mma.a) >= 16;
  std::vector<std::uint16_t> positions(std::size_t{mma.m} * stored);
  for (std::uint32_t row = 0; row < mma.m; ++row) {
    const std::uint32_t quad = row % 8 * 4, below = row / 8;
    for (std::uint32_t g = 0; g < groups; ++g) {
      const std::uint32_t per_word = wide ? 4 : 8, part = g / per_word;
      const std::uint32_t lane = !wide         ? quad + 2 * mma.selector + below + 2 * part
                                 : groups == 4 ? quad + mma.selector
                                               : quad + 2 * mma.selector + part;
      const std::uint32_t shift = g % per_word * 4 + (wide ? 16 * below : 0);
      const std::uint32_t nibble = metadata[lane] >> shift & 15;
      if (!numerics::is_legal_nibble(kind, nibble)) {
        throw Fault(FaultKind::undefined, "mma.metadata",
                    "metadata " + hex(nibble) + " in row " + std::to_string(row) +
                        " names no pair of places (PTX ISA, sparse storage)");
      }
      numerics::expand_nibble(kind, g, nibble,
                              &positions[std::size_t{row} * stored + g * form.stored]);
    }
  }
  return positions;
}

void execute_warp_mma(const WarpMma& mma, std::span<const std::uint32_t> a,
                      std::span<const std::uint32_t> b, std::span<const std::uint32_t> metadata,
                      std::span<std::uint32_t> d) {
  numerics::TileOptions options = mma.options;
  std::vector<std::uint16_t> positions;
  if (mma.sparse) {
    positions = warp_positions(mma, metadata);
    options.positions = positions.data();
  }
  const std::uint32_t d_bits = bits_of(mma.rule->d);
  const auto a_codes = codes_of(a, mma.m, mma.stored_k(), bits_of(mma.a));
  const auto b_codes = codes_of(b, kWarpMmaN, mma.k, bits_of(mma.b));
  numerics::Operand a_tile, b_tile;
  a_tile.decode<std::uint32_t>(mma.a, numerics::Side::a, mma.m, mma.stored_k(), a_codes);
  b_tile.decode<std::uint32_t>(mma.b, numerics::Side::b, kWarpMmaN, mma.k, b_codes);
  std::vector<std::uint32_t> words(std::size_t{mma.m} * kWarpMmaN);
  each_d(mma.m, d_bits,
         [&](std::size_t word, std::size_t reg, std::uint32_t bit, std::uint32_t mask) {
           words[word] = d[reg] >> bit & mask;
         });
  numerics::fused_tile(*mma.rule, a_tile, b_tile, {words.data(), kWarpMmaN}, options);
  each_d(mma.m, d_bits,
         [&](std::size_t word, std::size_t reg, std::uint32_t bit, std::uint32_t mask) {
           d[reg] = (d[reg] & ~(mask << bit)) | (words[word] & mask) << bit;
         });
}

void execute_warp_mma_f64(std::uint32_t m, std::uint32_t k, std::span<const std::uint64_t> a,
                          std::span<const std::uint64_t> b, std::span<std::uint64_t> d) {
  each_d(m, 32, [&](std::uint32_t word, std::size_t reg, std::uint32_t, std::uint32_t) {
    const std::uint32_t row = word / kWarpMmaN, column = word % kWarpMmaN;
    double sum = std::bit_cast<double>(d[reg]);
    for (std::uint32_t j = 0; j < k; ++j) {
      const FragmentPlace x = place_of(row, j, 32, m / 8), y = place_of(column, j, 32, 1);
      sum = std::fma(std::bit_cast<double>(a[x.reg * kWarpLanes + x.lane]),
                     std::bit_cast<double>(b[y.reg * kWarpLanes + y.lane]), sum);
    }
    d[reg] = std::bit_cast<std::uint64_t>(sum);
  });
}

}  // namespace lc::machine
