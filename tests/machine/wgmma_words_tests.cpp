#include <cstring>
#include <string>
#include <vector>

#include "sim/machine/warpgroup_mma.h"
#include "sim/numerics/sparse.h"
#include "tests/golden.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;
using numerics::Format;

// The words an H200 returned, through shared memory, descriptors and register fragments.
BOOST_AUTO_TEST_SUITE(wgmma_words_tests)

namespace {

constexpr std::uint64_t kAStart = 0x400, kBStart = 0x4400;

std::uint32_t hex_word(const std::string& text) {
  return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
}

Element element_named(const std::string& name) {
  if (name == "s8") return Element::i8;
  if (name == "b1") return Element::u8;
  return *value_of<Element>(name);
}

Format d_named(const std::string& name) {
  return name == "f16" ? Format::f16 : (name == "f32" ? Format::f32 : Format::s32);
}

/// The bytes of part `step` of `steps` of a row of codes, as they stand in memory.
std::vector<std::byte> bytes_of(const std::string& text, std::uint32_t bits, std::size_t step,
                                std::size_t steps) {
  const std::size_t digits = bits / 4, count = text.size() / digits / steps;
  std::vector<std::byte> bytes;
  for (std::size_t i = step * count; i < (step + 1) * count; ++i) {
    const std::uint32_t code = hex_word(text.substr(i * digits, digits));
    for (std::uint32_t b = 0; b < bits; b += 8) bytes.push_back(static_cast<std::byte>(code >> b));
  }
  return bytes;
}

/// A record at some row of A and some column of B; everything else is 0.
class Record {
 public:
  Record(const tests::CsvRow& row, std::uint32_t m, std::uint32_t n) : row_(row), m_(m), n_(n) {
    const std::string& flags = row.at("flags");
    q_.single_bit = row.at("a_type") == "b1";
    q_.a = element_named(row.at("a_type"));
    q_.b = element_named(row.at("b_type"));
    q_.d = d_named(row.at("d_type"));
    q_.n = flags == "n256" ? 256 : 16;
    q_.negate_a = flags == "neg_a" || flags == "neg_ab";
    q_.negate_b = flags == "neg_b" || flags == "neg_ab";
    q_.read_d = flags != "scale_d0";
    q_.saturate = flags == "satfinite";
    a_ = {kAStart, 16, 256, 0, {}, Swizzle::b32};
    b_ = {kBStart, 16, 256, 0, {}, Swizzle::b32};
    if (flags.starts_with("sparse")) make_sparse(flags == "sparse_4" ? 0x4 : 0xE);
    q_.a_descriptor = encode_smem_descriptor(Arch::sm_90, a_);
    q_.b_descriptor = encode_smem_descriptor(Arch::sm_90, b_);
  }

  std::uint32_t d_word() {
    const bool registers = row_.at("flags") == "a_reg";
    const std::size_t steps = row_.at("flags") == "chain4" ? 4 : 1;
    const std::uint32_t d_bits = numerics::format_row(q_.d).bits;
    std::vector<std::uint32_t> d(q_.n * 64 * d_bits / 32), a_words(4 * 128);
    const FragmentPlace at = d_fragment(m_, n_, d_bits);
    d[at.reg * 128 + at.thread] = hex_word(row_.at("c")) << at.bit;
    for (std::size_t step = 0; step < steps; ++step) {
      SharedMemory shared(0x9000);
      const auto a = bytes_of(row_.at("a"), stored_bits(q_.a), step, steps);
      put(shared, b_, n_, bytes_of(row_.at("b"), stored_bits(q_.b), step, steps));
      if (registers) {
        put_fragment(a_words, a);
        q_.a_registers = a_words;
      } else {
        put(shared, a_, m_, a);
      }
      execute_warpgroup_mma(q_, shared, d);
    }
    const std::uint32_t word = d[at.reg * 128 + at.thread] >> at.bit;
    return d_bits == 16 ? word & 0xFFFF : word;
  }

 private:
  void make_sparse(std::uint32_t nibble) {
    const numerics::Kind kind = numerics::kind_of_operand(format_of(q_.a));
    const numerics::SparseForm form = numerics::sparse_form(kind);
    const std::uint32_t k = warpgroup_k(q_.a);
    positions_.resize(std::size_t{64} * k);
    for (std::size_t g = 0; g < positions_.size() / form.stored; ++g) {
      numerics::expand_nibble(kind, g % (k / form.stored), nibble,
                              positions_.data() + g * form.stored);
    }
    q_.positions = positions_;
    b_ = {kBStart, 16, 512, 0, {}, Swizzle::b64};
  }

  static void put(SharedMemory& shared, const SmemDescriptor& d, std::uint32_t row,
                  const std::vector<std::byte>& bytes) {
    const OperandLayout layout = operand_layout(d, Major::k, Element::u8);
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
      *shared.bytes(layout.address(row, i), 1, 1, Access::write) = bytes[i];
    }
  }

  /// Byte i of a row is byte i % 4 of a thread's register, whatever the type.
  void put_fragment(std::vector<std::uint32_t>& words, const std::vector<std::byte>& bytes) const {
    for (auto& word : words) word = 0;
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
      const FragmentPlace at = a_fragment(m_, i, 8);
      words[at.reg * 128 + at.thread] |= std::to_integer<std::uint32_t>(bytes[i]) << at.bit;
    }
  }

  const tests::CsvRow& row_;
  std::uint32_t m_, n_;
  WarpgroupMma q_;
  SmemDescriptor a_, b_;
  std::vector<std::uint16_t> positions_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_word_of_the_h200_comes_out_of_the_unit) {
  std::uint32_t index = 0;
  for (const tests::CsvRow& row : tests::read_csv("h200/mma_words.csv")) {
    if (row.at("op") != "wgmma") continue;
    ++index;
    Record record(row, index * 7 % 64, index * 5 % 16);
    BOOST_TEST_CONTEXT("record " << index << " " << row.at("a_type") << " * " << row.at("b_type")
                                 << " -> " << row.at("d_type") << " " << row.at("flags")) {
      BOOST_TEST_REQUIRE(record.d_word() == hex_word(row.at("d")));
    }
  }
  BOOST_TEST(index > 8000u);
}

BOOST_AUTO_TEST_SUITE_END()
