#include "sim/machine/warpgroup_mma.h"

#include <cstring>
#include <set>
#include <vector>

#include "sim/numerics/minifloat.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;
using numerics::Format;

BOOST_AUTO_TEST_SUITE(warpgroup_mma_tests)

namespace {

constexpr std::uint64_t kAStart = 0x400, kBStart = 0x4400;

int value_a(std::uint32_t m, std::uint32_t k) {
  return static_cast<int>((m * 5 + k * 3) % 5) - 2;
}
int value_b(std::uint32_t n, std::uint32_t k) {
  return static_cast<int>((n * 7 + k) % 3) - 1;
}
int value_c(std::uint32_t m, std::uint32_t n) {
  return static_cast<int>((m * 3 + n) % 17) - 8;
}

std::uint32_t code_of(Format format, int value) {
  if (!numerics::is_float(format)) return static_cast<std::uint32_t>(value);
  return numerics::encode(format, value, numerics::Rounding::nearest_even);
}

void put(SharedMemory& shared, const SmemDescriptor& d, Major major, Element element,
         std::uint32_t mn, std::uint32_t k, int (*value)(std::uint32_t, std::uint32_t)) {
  const OperandLayout layout = operand_layout(d, major, element);
  for (std::uint32_t i = 0; i < mn; ++i) {
    for (std::uint32_t j = 0; j < k; ++j) {
      const std::uint32_t code = code_of(format_of(element), value(i, j));
      std::memcpy(shared.bytes(layout.address(i, j), layout.bits / 8, 1, Access::write), &code,
                  layout.bits / 8);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(fragments_use_every_bit_once) {
  for (const std::uint32_t bits : {16u, 32u}) {
    for (const std::uint32_t n : {8u, 64u, 256u}) {
      std::set<std::uint64_t> seen;
      for (std::uint32_t m = 0; m < 64; ++m) {
        for (std::uint32_t j = 0; j < n; ++j) {
          const FragmentPlace at = d_fragment(m, j, bits);
          BOOST_TEST_REQUIRE(at.thread < 128u);
          BOOST_TEST_REQUIRE(at.reg < n * bits / 64);
          seen.insert(std::uint64_t{at.thread} << 32 | at.reg << 8 | at.bit);
        }
      }
      BOOST_TEST(seen.size() == 64u * n);
    }
  }
  for (const std::uint32_t bits : {8u, 16u, 32u}) {
    std::set<std::uint64_t> seen;
    for (std::uint32_t m = 0; m < 64; ++m) {
      for (std::uint32_t k = 0; k < 256 / bits; ++k) {
        const FragmentPlace at = a_fragment(m, k, bits);
        BOOST_TEST_REQUIRE(at.reg < 4u);
        seen.insert(std::uint64_t{at.thread} << 32 | at.reg << 8 | at.bit);
      }
    }
    BOOST_TEST(seen.size() == 64u * 256 / bits);
  }
}

// Thread 37 is lane 5 of warp 1: rows 17 and 25, columns 2 and 3 of every 8.
BOOST_AUTO_TEST_CASE(fragments_are_those_of_the_figures) {
  BOOST_TEST((d_fragment(17, 2, 32) == FragmentPlace{37, 0, 0}));
  BOOST_TEST((d_fragment(17, 3, 32) == FragmentPlace{37, 1, 0}));
  BOOST_TEST((d_fragment(25, 2, 32) == FragmentPlace{37, 2, 0}));
  BOOST_TEST((d_fragment(25, 11, 32) == FragmentPlace{37, 7, 0}));
  BOOST_TEST((d_fragment(25, 11, 16) == FragmentPlace{37, 3, 16}));
  BOOST_TEST((a_fragment(17, 3, 16) == FragmentPlace{37, 0, 16}));
  BOOST_TEST((a_fragment(25, 10, 16) == FragmentPlace{37, 3, 0}));
  BOOST_TEST((a_fragment(17, 21, 8) == FragmentPlace{37, 2, 8}));
  BOOST_TEST((a_fragment(25, 5, 32) == FragmentPlace{37, 3, 0}));
}

BOOST_AUTO_TEST_CASE(products_of_every_type_and_source_of_a) {
  struct Types {
    Element a, b;
    Format d;
  };
  for (const Types& t : {Types{Element::f16, Element::f16, Format::f32},
                         {Element::f16, Element::f16, Format::f16},
                         {Element::bf16, Element::bf16, Format::f32},
                         {Element::tf32, Element::tf32, Format::f32},
                         {Element::e4m3, Element::e5m2, Format::f32},
                         {Element::i8, Element::i8, Format::s32}}) {
    for (const Major major : {Major::k, Major::mn}) {
      for (const bool registers : {false, true}) {
        if (major == Major::mn && stored_bits(t.a) != 16) continue;
        constexpr std::uint32_t kN = 24;
        const std::uint32_t k = warpgroup_k(t.a), d_bits = numerics::format_row(t.d).bits;
        const SmemDescriptor shape = major == Major::k
                                         ? SmemDescriptor{0, 16, 256, 0, {}, Swizzle::b32}
                                         : SmemDescriptor{0, 2048, 1024, 0, {}, Swizzle::b128};
        SmemDescriptor a = shape, b = shape;
        a.start_address = kAStart;
        b.start_address = kBStart;
        SharedMemory shared(0x8000);
        put(shared, a, major, t.a, 64, k, value_a);
        put(shared, b, major, t.b, kN, k, value_b);
        std::vector<std::uint32_t> a_words(4 * 128), d_words(kN * 64 * d_bits / 32);
        for (std::uint32_t m = 0; m < 64; ++m) {
          for (std::uint32_t j = 0; j < k; ++j) {
            const FragmentPlace at = a_fragment(m, j, stored_bits(t.a));
            const std::uint32_t code = code_of(format_of(t.a), value_a(m, j));
            const std::uint32_t mask =
                static_cast<std::uint32_t>((std::uint64_t{1} << stored_bits(t.a)) - 1);
            a_words[at.reg * 128 + at.thread] |= (code & mask) << at.bit;
          }
          for (std::uint32_t n = 0; n < kN; ++n) {
            const FragmentPlace at = d_fragment(m, n, d_bits);
            d_words[at.reg * 128 + at.thread] |= code_of(t.d, value_c(m, n)) << at.bit;
          }
        }
        WarpgroupMma q;
        q.a = t.a;
        q.b = t.b;
        q.d = t.d;
        q.n = kN;
        q.a_major = q.b_major = major;
        q.a_descriptor = encode_smem_descriptor(Arch::sm_90, a);
        q.b_descriptor = encode_smem_descriptor(Arch::sm_90, b);
        if (registers) q.a_registers = a_words;
        execute_warpgroup_mma(q, shared, d_words);
        for (std::uint32_t m = 0; m < 64; ++m) {
          for (std::uint32_t n = 0; n < kN; ++n) {
            int want = value_c(m, n);
            for (std::uint32_t j = 0; j < k; ++j) want += value_a(m, j) * value_b(n, j);
            const FragmentPlace at = d_fragment(m, n, d_bits);
            const std::uint32_t word = d_words[at.reg * 128 + at.thread] >> at.bit;
            const std::uint32_t code = d_bits == 16 ? word & 0xFFFF : word;
            BOOST_TEST_REQUIRE(numerics::to_double(t.d, code) == want);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_no_instruction_can_be_is_a_fault) {
  SharedMemory shared(0x8000);
  const auto rule = [&](const WarpgroupMma& q, std::size_t registers) {
    std::vector<std::uint32_t> d(registers * 128);
    return rule_broken([&] { execute_warpgroup_mma(q, shared, d); });
  };
  WarpgroupMma q;
  q.a = q.b = Element::f16;
  q.a_descriptor = q.b_descriptor = 0x0000000800080040;
  BOOST_TEST(rule(q, 4) == "");
  BOOST_TEST(rule(q, 3) == "wgmma.d-registers");
  q.n = 12;
  BOOST_TEST(rule(q, 6) == "wgmma.n");
  q.n = 264;
  BOOST_TEST(rule(q, 132) == "wgmma.n");
  q.n = 8;
  q.b = Element::e4m3;
  BOOST_TEST(rule(q, 4) == "wgmma.types");
  q.b = Element::f16;
  q.b_descriptor |= 0x3FFF;
  BOOST_TEST(rule(q, 4) == "shared.out-of-bounds");
  const std::vector<std::uint32_t> three(3 * 128);
  q.a_registers = three;
  BOOST_TEST(rule(q, 4) == "wgmma.a-registers");
}

BOOST_AUTO_TEST_SUITE_END()
