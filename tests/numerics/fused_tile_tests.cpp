#include "sim/numerics/fused_tile.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "sim/numerics/sparse.h"
#include "tests/numerics/operand_maker.h"
#include "tests/numerics/reference_dot.h"
#include "tests/test.h"

// fused_tile against the big-integer reference, and against itself.
namespace lc::tests {
namespace {

using namespace lc::numerics;
using Codes = std::vector<std::uint32_t>;

/// A rule with the types of one instruction.
struct Instruction {
  const DotRule* rule;
  Format a, b;
  std::size_t k;  ///< elements of A in one instruction

  std::string text() const {
    return std::string(format_row(a).name) + "*" + std::string(format_row(b).name) + "->" +
           std::string(format_row(rule->d).name) + " family " +
           std::to_string(static_cast<int>(rule->family)) + " kind " +
           std::to_string(static_cast<int>(rule->kind));
  }
};

std::vector<Instruction> all_instructions() {
  std::vector<Instruction> all;
  for (const DotRule& rule : kDotRules) {
    for (std::size_t a = 0; a < kFormatCount; ++a) {
      for (std::size_t b = 0; b < kFormatCount; ++b) {
        const Format fa = static_cast<Format>(a), fb = static_cast<Format>(b);
        if (((format_bit(fa) | format_bit(fb)) & ~rule.operands) != 0) continue;
        const bool four = rule.method == Method::groups_of_16;
        const std::size_t bits =
            rule.kind == Kind::b1
                ? 1
                : std::max<std::size_t>(rule.kind == Kind::f16 ? 16 : 8, format_row(fa).bits);
        all.push_back({&rule, fa, fb, four ? 64 : 256 / bits});
      }
    }
  }
  return all;
}

/// Rounds of every random sweep; LC_TEST_ROUNDS asks for more.
int rounds(int usual) {
  const char* more = std::getenv("LC_TEST_ROUNDS");
  return more == nullptr ? usual : usual * std::max(1, std::atoi(more));
}

/// One tile with everything an instruction may add.
struct Tile {
  Instruction instruction;
  std::size_t m, n, k_of_b;
  Codes a, b, c;
  Format scale_format = Format::ue8m0;
  std::vector<std::uint8_t> scale_a, scale_b;
  std::size_t scales_per_row = 0;
  std::vector<std::uint16_t> positions;
  TileOptions options;

  Operand operand(Side side) const {
    Operand o;
    const bool is_a = side == Side::a;
    o.decode<std::uint32_t>(is_a ? instruction.a : instruction.b, side, is_a ? m : n,
                            is_a ? instruction.k : k_of_b, is_a ? a : b);
    if (scales_per_row != 0) o.set_scales(scale_format, scales_per_row, is_a ? scale_a : scale_b);
    return o;
  }

  Codes run(Path path) const {
    Codes d = c;
    TileOptions o = options;
    o.path = path;
    if (!positions.empty()) o.positions = positions.data();
    fused_tile(*instruction.rule, operand(Side::a), operand(Side::b), {d.data(), n}, o);
    return d;
  }

  std::uint32_t reference(std::size_t row, std::size_t column) const {
    const std::size_t k = instruction.k;
    const std::span<const std::uint32_t> a_row = std::span(a).subspan(row * k, k);
    Codes met(k);
    for (std::size_t i = 0; i < k; ++i) {
      met[i] = b[column * k_of_b + (positions.empty() ? i : positions[row * k + i])];
    }
    const Codes sa(scale_a.begin() + row * scales_per_row,
                   scale_a.begin() + (row + 1) * scales_per_row);
    const Codes sb(scale_b.begin() + column * scales_per_row,
                   scale_b.begin() + (column + 1) * scales_per_row);
    return reference_dot(*instruction.rule, instruction.a, a_row, instruction.b, met,
                         c[row * n + column], options, {scale_format, sa, sb});
  }
};

/// Copies pairs of elements with one sign turned, so that their products cancel.
void cancel(OperandMaker& make, Tile& tile) {
  const Instruction& in = tile.instruction;
  const FormatRow f = format_row(in.a);
  if (!f.is_float() || !tile.positions.empty()) return;
  for (std::size_t k = 0; k + 1 < in.k; k += 1 + make.below(3)) {
    for (std::size_t m = 0; m < tile.m; ++m) {
      tile.a[m * in.k + k + 1] = tile.a[m * in.k + k] ^ (1u << (f.bits - 1));
    }
    for (std::size_t n = 0; n < tile.n; ++n) tile.b[n * in.k + k + 1] = tile.b[n * in.k + k];
  }
}

void add_scales(OperandMaker& make, Tile& tile) {
  const Kind kind = tile.instruction.rule->kind;
  if (!is_block_scaled(kind)) return;
  tile.scales_per_row = kind == Kind::mxf8f6f4 ? 1 : kind == Kind::mxf4 ? 2 : 4;
  if (kind == Kind::mxf4nvf4 && make.below(2) == 0) tile.scale_format = Format::ue4m3;
  const std::uint32_t spread = make.below(2) == 0 ? 256 : 12;
  const auto draw = [&](std::size_t rows) {
    std::vector<std::uint8_t> out(rows * tile.scales_per_row);
    for (auto& s : out)
      s = static_cast<std::uint8_t>(spread == 256 ? make.below(256) : 120 + make.below(spread));
    return out;
  };
  tile.scale_a = draw(tile.m);
  tile.scale_b = draw(tile.n);
}

void add_metadata(OperandMaker& make, Tile& tile) {
  const Kind kind = tile.instruction.rule->kind;
  const SparseForm form = sparse_form(kind);
  tile.k_of_b = tile.instruction.k * form.logical / form.stored;
  tile.positions.resize(tile.m * tile.instruction.k);
  for (std::size_t m = 0; m < tile.m; ++m) {
    for (std::size_t g = 0; g < tile.instruction.k / form.stored; ++g) {
      std::uint32_t nibble = 0;
      while (!is_legal_nibble(kind, nibble)) nibble = make.below(16);
      expand_nibble(kind, g, nibble, &tile.positions[m * tile.instruction.k + g * form.stored]);
    }
  }
}

Tile make_tile(OperandMaker& make, const Instruction& in, bool sparse) {
  Tile tile{
      in, 1 + make.below(3), 1 + make.below(11), in.k, {}, {}, {}, Format::ue8m0, {}, {}, 0, {},
      {}};
  if (make.below(8) == 0) tile.n += 60;
  if (sparse) add_metadata(make, tile);
  const auto recipe = [&] { return kRecipes[make.below(std::size(kRecipes))]; };
  tile.a = make.codes(in.a, recipe(), tile.m * in.k);
  tile.b = make.codes(in.b, recipe(), tile.n * tile.k_of_b);
  tile.c = make.codes(in.rule->d, recipe(), tile.m * tile.n);
  if (make.below(4) == 0) cancel(make, tile);
  add_scales(make, tile);
  tile.options.read_c = make.below(8) != 0;
  if (is_float(in.a)) {
    tile.options.negate_a = make.below(4) == 0;
    tile.options.negate_b = make.below(4) == 0;
    if (in.rule->family == Family::tcgen05 && make.below(4) == 0 && !is_block_scaled(in.rule->kind))
      tile.options.c_shift = static_cast<int>(make.below(16));
  }
  tile.options.saturate = in.rule->method == Method::integer && make.below(2) == 0;
  if (in.rule->kind == Kind::b1 && make.below(2) == 0) {
    tile.options.bit_operation = BitOperation::xor_popc;
  }
  return tile;
}

void check_against_reference(const Tile& tile) {
  const Codes automatic = tile.run(Path::automatic), rounding = tile.run(Path::rounding);
  for (std::size_t i = 0; i < automatic.size(); ++i) {
    const std::uint32_t want = tile.reference(i / tile.n, i % tile.n);
    if (automatic[i] == want && rounding[i] == want) continue;
    BOOST_TEST_CONTEXT(tile.instruction.text() << " element " << i) {
      BOOST_TEST(automatic[i] == want);
      BOOST_TEST(rounding[i] == want);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fused_tile_tests)

BOOST_AUTO_TEST_CASE(random_and_hostile_tiles_agree_with_big_integers) {
  OperandMaker make(1);
  for (const Instruction& in : all_instructions()) {
    for (int round = 0; round < rounds(60); ++round)
      check_against_reference(make_tile(make, in, false));
  }
}

BOOST_AUTO_TEST_CASE(sparse_tiles_agree_with_big_integers) {
  OperandMaker make(2);
  for (const Instruction& in : all_instructions()) {
    if (in.rule->kind == Kind::b1) continue;
    for (int round = 0; round < rounds(15); ++round)
      check_against_reference(make_tile(make, in, true));
  }
}

BOOST_AUTO_TEST_CASE(an_element_depends_on_its_row_and_column_alone) {
  OperandMaker make(3);
  for (const Instruction& in : all_instructions()) {
    const Tile tile = make_tile(make, in, false);
    if (tile.scales_per_row != 0) continue;
    const Codes d = tile.run(Path::automatic);
    for (std::size_t i = 0; i < d.size(); ++i) {
      const std::size_t m = i / tile.n, n = i % tile.n;
      BOOST_TEST_REQUIRE(fused_dot(*in.rule, in.a, std::span(tile.a).subspan(m * in.k, in.k), in.b,
                                   std::span(tile.b).subspan(n * in.k, in.k), tile.c[i],
                                   tile.options) == d[i]);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_order_of_k_does_not_matter_where_one_step_covers_it) {
  OperandMaker make(4);
  for (const Instruction& in : all_instructions()) {
    if (in.rule->method == Method::fp8_as_f16 || in.rule->method == Method::groups_of_16) continue;
    Tile tile = make_tile(make, in, false);
    const Codes before = tile.run(Path::automatic);
    for (std::size_t m = 0; m < tile.m; ++m) {
      std::reverse(tile.a.begin() + m * in.k, tile.a.begin() + (m + 1) * in.k);
    }
    for (std::size_t n = 0; n < tile.n; ++n) {
      std::reverse(tile.b.begin() + n * in.k, tile.b.begin() + (n + 1) * in.k);
    }
    BOOST_TEST(tile.run(Path::automatic) == before, in.text());
  }
}

BOOST_AUTO_TEST_CASE(zero_results_are_plus_zero) {
  for (const Instruction& in : all_instructions()) {
    if (!is_float(in.a)) continue;
    const std::uint32_t minus_zero = 1u << (format_row(in.a).bits - 1);
    const std::uint32_t minus_c = in.rule->d == Format::f16 ? 0x8000 : 0x80000000;
    const Codes a(in.k, minus_zero), b(in.k, 0);
    BOOST_TEST(fused_dot(*in.rule, in.a, a, in.b, b, minus_c) == 0u, in.text());
  }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace lc::tests
