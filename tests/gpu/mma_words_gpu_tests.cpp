#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/numerics/fused_tile.h"
#include "tests/gpu/mma_words.h"
#include "tests/gpu/needs_gpu.h"
#include "tests/numerics/operand_maker.h"

// New words of this GPU in every run, against the rules: each instruction with every pair of
// recipes for its operands.
namespace lc::tests {
namespace {

using namespace lc::numerics;
using Codes = std::vector<std::uint32_t>;

constexpr std::uint32_t kTilesPerRecipe = 4;

/// Tiles of codes and the bytes that stand for them.
struct Rows {
  Codes codes;
  std::vector<std::uint8_t> bytes;

  /// Elements follow one another from the lowest bit of the first byte on.
  void add(OperandMaker& make, Format format, Recipe recipe, std::size_t count) {
    const std::size_t bits = format_row(format).bits;
    std::size_t bit = bytes.size() * 8;
    bytes.resize(bytes.size() + count * bits / 8);
    for (const std::uint32_t code : make.codes(format, recipe, count)) {
      codes.push_back(code);
      for (std::size_t i = 0; i < bits; ++i, ++bit) {
        bytes[bit / 8] |= static_cast<std::uint8_t>((code >> i & 1) << bit % 8);
      }
    }
  }
};

/// The words our rules give for tile `tile`.
Codes expected(const DeviceForm& form, const Rows& a, const Rows& b, const Codes& c,
               std::size_t tile) {
  const std::size_t m = form.m(), n = DeviceForm::n(), k = form.k;
  Operand oa, ob;
  oa.decode<std::uint32_t>(form.a, Side::a, m, k, std::span(a.codes).subspan(tile * m * k, m * k));
  ob.decode<std::uint32_t>(form.b, Side::b, n, k, std::span(b.codes).subspan(tile * n * k, n * k));
  Codes d(c.begin() + tile * m * n, c.begin() + (tile + 1) * m * n);
  TileOptions options;
  options.saturate = form.saturate;
  if (std::string_view(form.text).ends_with(".xor.popc")) {
    options.bit_operation = BitOperation::xor_popc;
  }
  const DotRule* rule = find_dot_rule(form.family, kind_of_operand(form.a), form.a, form.b, form.d);
  fused_tile(*rule, oa, ob, {d.data(), n}, options);
  return d;
}

std::string text(const DeviceForm& form) {
  return std::string(form.family == Family::wgmma ? "wgmma " : "mma.sync ") + form.text;
}

/// Seeds to run; LC_TEST_ROUNDS asks for more.
std::uint32_t rounds() {
  const char* more = std::getenv("LC_TEST_ROUNDS");
  return more == nullptr ? 1 : static_cast<std::uint32_t>(std::max(1, std::atoi(more)));
}

void check_form(std::size_t f, const DeviceForm& form, std::uint32_t seed) {
  OperandMaker make(seed);
  const std::size_t m = form.m(), n = DeviceForm::n();
  Rows a, b, c;
  std::uint32_t tiles = 0;
  for (const Recipe ra : kRecipes) {
    for (const Recipe rb : kRecipes) {
      for (std::uint32_t i = 0; i < kTilesPerRecipe; ++i, ++tiles) {
        a.add(make, form.a, ra, m * form.k);
        b.add(make, form.b, rb, n * form.k);
        c.add(make, form.d, kRecipes[make.below(std::size(kRecipes))], m * n);
      }
    }
  }
  Codes d = c.codes;
  if (!run_on_device(f, tiles, a.bytes, b.bytes, d)) {
    BOOST_TEST_MESSAGE("this GPU has no " << text(form));
    return;
  }
  std::size_t wrong = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const Codes want = expected(form, a, b, c.codes, tile);
    for (std::size_t i = 0; i < want.size(); ++i) wrong += d[tile * m * n + i] != want[i];
  }
  BOOST_TEST(wrong == 0u, text(form) << ": " << wrong << " of " << d.size() << " words differ");
  BOOST_TEST_MESSAGE(text(form) << ": " << d.size() << " words compared");
}

}  // namespace

LC_GPU_SUITE(mma_words_gpu_tests)

BOOST_AUTO_TEST_CASE(every_word_of_every_form_follows_its_rule) {
  const auto forms = device_forms();
  for (std::uint32_t seed = 1; seed <= rounds(); ++seed) {
    for (std::size_t f = 0; f < forms.size(); ++f) check_form(f, forms[f], seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace lc::tests
