#include <map>
#include <stdexcept>

#include "sim/numerics/fused_tile.h"
#include "sim/numerics/sparse.h"
#include "tests/golden.h"
#include "tests/numerics/reference_dot.h"
#include "tests/test.h"

// Words that GPUs returned: 11224 of an H200 (golden/h200/mma_words.csv), 12 published B200 ones.
namespace lc::tests {
namespace {

using namespace lc::numerics;
using Codes = std::vector<std::uint32_t>;

Format format_named(const std::string& name) {
  for (std::size_t i = 0; i < kFormatCount; ++i) {
    const FormatRow row = format_row(static_cast<Format>(i));
    if (row.name == name) return row.format;
  }
  throw std::runtime_error("no format " + name);
}

std::uint32_t hex(const std::string& text) {
  return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
}

/// Fixed-width hex without separators; b1 is 32 bytes, bit j of byte i = k 8 i + j.
Codes codes_of(Format format, const std::string& text) {
  const std::size_t digits = format == Format::b1 ? 2 : format_row(format).bits / 4;
  Codes codes;
  for (std::size_t i = 0; i < text.size(); i += digits) {
    const std::uint32_t code = hex(text.substr(i, digits));
    if (format != Format::b1) {
      codes.push_back(code);
      continue;
    }
    for (int bit = 0; bit < 8; ++bit) codes.push_back(code >> bit & 1);
  }
  return codes;
}

/// One dot product, through every path and through the reference.
class Dot {
 public:
  Dot(Family family, Kind kind, Format a, Format b, Format d)
      : a_format_(a), b_format_(b), rule_(find_dot_rule(family, kind, a, b, d)) {
    if (rule_ == nullptr) throw std::runtime_error("no rule");
  }

  TileOptions options;

  std::vector<std::uint32_t> words(const Codes& a, const Codes& b, std::uint32_t c) const {
    std::vector<std::uint32_t> found;
    for (const Path path : {Path::automatic, Path::rounding}) {
      TileOptions o = options;
      o.path = path;
      found.push_back(fused_dot(*rule_, a_format_, a, b_format_, b, c, o));
    }
    Codes met = b;
    if (options.positions != nullptr) {
      for (std::size_t k = 0; k < a.size(); ++k) met[k] = b[options.positions[k]];
      met.resize(a.size());
    }
    found.push_back(reference_dot(*rule_, a_format_, a, b_format_, met, c, options));
    return found;
  }

 private:
  Format a_format_, b_format_;
  const DotRule* rule_;
};

std::vector<std::uint16_t> metadata_positions(Kind kind, std::size_t stored, std::uint32_t nibble) {
  const SparseForm form = sparse_form(kind);
  std::vector<std::uint16_t> out(stored);
  for (std::size_t g = 0; g < stored / form.stored; ++g) {
    expand_nibble(kind, g, nibble, out.data() + g * form.stored);
  }
  return out;
}

/// The words of one row of the file; a chain's C is the D word of the step before.
std::vector<std::uint32_t> words_of_row(const CsvRow& row) {
  const Format a = format_named(row.at("a_type")), b = format_named(row.at("b_type"));
  const Family family = row.at("op") == "wgmma" ? Family::wgmma : Family::mma_sync;
  const std::string& flags = row.at("flags");
  Dot dot(family, kind_of_operand(a), a, b, format_named(row.at("d_type")));
  dot.options.negate_a = flags == "neg_a" || flags == "neg_ab";
  dot.options.negate_b = flags == "neg_b" || flags == "neg_ab";
  dot.options.read_c = flags != "scale_d0";
  dot.options.saturate = flags == "satfinite";
  const Codes all_a = codes_of(a, row.at("a")), all_b = codes_of(b, row.at("b"));
  std::vector<std::uint16_t> positions;
  if (flags.starts_with("sparse")) {
    const std::uint32_t nibble = flags == "sparse_4" ? 0x4 : 0xE;
    positions = metadata_positions(kind_of_operand(a), all_a.size(), nibble);
    dot.options.positions = positions.data();
  }
  const std::size_t steps = flags == "chain4" ? 4 : 1;
  std::vector<std::uint32_t> found(3, hex(row.at("c")));
  for (std::size_t step = 0; step < steps; ++step) {
    const auto part = [&](const Codes& codes) {
      const std::size_t size = codes.size() / steps;
      return Codes(codes.begin() + step * size, codes.begin() + (step + 1) * size);
    };
    const auto next = dot.words(part(all_a), part(all_b), found[0]);
    found = next;
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(golden_words_tests)

BOOST_AUTO_TEST_CASE(every_h200_word_follows_its_rule_on_every_path) {
  const auto rows = read_csv("h200/mma_words.csv");
  BOOST_TEST_REQUIRE(rows.size() == 11224u);
  for (const CsvRow& row : rows) {
    const std::uint32_t want = hex(row.at("d"));
    const auto found = words_of_row(row);
    for (std::size_t i = 0; i < found.size(); ++i) {
      BOOST_TEST_CONTEXT(row.at("op")
                         << " k" << row.at("k") << " " << row.at("a_type") << "*"
                         << row.at("b_type") << "->" << row.at("d_type") << " " << row.at("flags")
                         << " " << row.at("cat") << ", formulation " << i) {
        BOOST_TEST(found[i] == want);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_published_b200_word_follows_the_tcgen05_rules) {
  const auto rows = read_csv("b200-mma-words.csv");
  BOOST_TEST_REQUIRE(rows.size() == 12u);
  for (const CsvRow& row : rows) {
    const auto format = split(row.at("format"), ':');  // "bf16", "i8:u8*s8", "i8:s8*u8:sat"
    const bool integer = format[0] == "i8";
    const auto types = integer ? split(format[1], '*') : std::vector{format[0], format[0]};
    const Format a = format_named(types[0]), b = format_named(types[1]);
    Dot dot(Family::tcgen05, kind_of_operand(a), a, b, integer ? Format::s32 : Format::f32);
    dot.options.saturate = format.size() == 3;
    const auto codes = [&](const std::string& column) {
      Codes out;
      for (const std::string& w : split(row.at(column), ' ')) {
        out.push_back(a == Format::bf16 ? hex(w) >> 16 : hex(w));  // bf16: the top of a 32-bit word
      }
      return out;
    };
    const auto found = dot.words(codes("a_words_hex"), codes("b_words_hex"), hex(row.at("c_hex")));
    for (const std::uint32_t word : found) {
      BOOST_TEST_CONTEXT(row.at("format")) {
        BOOST_TEST(word == hex(row.at("d_hex_measured_on_B200")));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace lc::tests
