#include "kernel/descriptor.cuh"

#include "tests/test.h"

using namespace lc::kernel;

BOOST_AUTO_TEST_SUITE(packing_tests)

// The examples of the specification notes: value by value what a kernel must put into the words.

BOOST_AUTO_TEST_CASE(k_major_64b_f16_operand) {
  const SmemMatrix a{0x400, 16, 512, SmemSwizzle::b64};
  BOOST_TEST(smem_descriptor_sm100(a) == 0x8000402000010040u);
  BOOST_TEST(smem_descriptor_sm90(a) == 0x8000002000010040u);
  BOOST_TEST(advance_descriptor(smem_descriptor_sm100(a), 32) == 0x8000402000010042u);
  BOOST_TEST(advance_descriptor(smem_descriptor_sm100(a), 8192) == 0x8000402000010240u);
}

BOOST_AUTO_TEST_CASE(mn_major_128b_f16_operand) {
  const SmemMatrix b{0x4400, 1024, 2048, SmemSwizzle::b128};
  BOOST_TEST(smem_descriptor_sm100(b) == 0x4000408000400440u);
  BOOST_TEST(smem_descriptor_sm90(b) == 0x4000008000400440u);
  BOOST_TEST(advance_descriptor(smem_descriptor_sm90(b), 4096) == 0x4000008000400540u);
}

struct SmemCase {
  const char* what;
  SmemMatrix matrix;
  std::uint64_t sm100;
};

std::ostream& operator<<(std::ostream& out, const SmemCase& c) {
  return out << c.what;
}

const SmemCase kSmemCases[] = {
    {"K-major 128B", {0x400, 16, 1024, SmemSwizzle::b128}, 0x4000404000010040},
    {"K-major none", {0x400, 128, 256, SmemSwizzle::none}, 0x0000401000080040},
    {"K-major none, cells MN-fastest", {0x400, 2048, 128, SmemSwizzle::none}, 0x0000400800800040},
    {"tf32 K-major 32B", {0x400, 16, 256, SmemSwizzle::b32}, 0xC000401000010040},
    {"bf16 MN-major 32B", {0x400, 256, 512, SmemSwizzle::b32}, 0xC000402000100040},
    {"bf16 MN-major 64B", {0x400, 512, 1024, SmemSwizzle::b64}, 0x8000404000200040},
    {"tf32 MN-major 128B_32B", {0x800, 1024, 512, SmemSwizzle::b128_32}, 0x2000402000400080},
    {"base offset 1, 64B", {0x480, 16, 512, SmemSwizzle::b64, 1}, 0x8002402000010048},
    {"base offset 1, 128B", {0x480, 16, 1024, SmemSwizzle::b128, 1}, 0x4002404000010048},
    {"absolute LBO", {0x460, 0x4400, 1024, SmemSwizzle::b128, 0, true}, 0x4010404004400046},
};

BOOST_DATA_TEST_CASE(smem_descriptor_examples, bdata::make(kSmemCases), c) {
  BOOST_TEST(smem_descriptor_sm100(c.matrix) == c.sm100);
}

BOOST_AUTO_TEST_CASE(sm90_swizzle_is_the_top_two_bits) {
  const auto top = [](SmemSwizzle s) { return smem_descriptor_sm90({0, 0, 0, s}) >> 61; };
  BOOST_TEST(top(SmemSwizzle::none) == 0u);
  BOOST_TEST(top(SmemSwizzle::b128) == 2u);
  BOOST_TEST(top(SmemSwizzle::b64) == 4u);
  BOOST_TEST(top(SmemSwizzle::b32) == 6u);
}

BOOST_AUTO_TEST_CASE(fields_stay_inside_their_bits) {
  const std::uint64_t start = smem_descriptor_sm90({0x3FFF0, 0, 0, SmemSwizzle::none});
  BOOST_TEST(start == 0x3FFFu);
  BOOST_TEST(smem_descriptor_sm90({0x40000, 0, 0, SmemSwizzle::none}) == 0u);
  BOOST_TEST(smem_descriptor_sm90({0, 0xFFFFFFFF, 0, SmemSwizzle::none}) == 0x3FFF0000u);
  BOOST_TEST(smem_descriptor_sm90({0, 0, 0xFFFFFFFF, SmemSwizzle::none}) == 0x3FFF00000000u);
  BOOST_TEST(smem_descriptor_sm90({0, 0, 0, SmemSwizzle::none, 15}) == 7ull << 49);
  BOOST_TEST(advance_descriptor(0x4000404000013FFFu, 16) == 0x4000404000010000u);
}

struct DenseCase {
  const char* what;
  DenseInstruction instruction;
  std::uint32_t want;
};

std::ostream& operator<<(std::ostream& out, const DenseCase& c) {
  return out << c.what;
}

/// Positional: d, a, b, m, n, a_mn, b_mn, negate_a, negate_b, saturate, sparse, selector, shift.
const DenseCase kDenseCases[] = {
    {"bf16 128x128", {d_type::f32, ab_type::bf16, ab_type::bf16, 128, 128}, 0x08200490},
    {"bf16 256x256", {d_type::f32, ab_type::bf16, ab_type::bf16, 256, 256}, 0x10400490},
    {"f16 64x64, D f16, both MN-major",
     {d_type::f16, ab_type::f16, ab_type::f16, 64, 64, true, true},
     0x04118000},
    {"tf32 128x256", {d_type::f32, ab_type::tf32, ab_type::tf32, 128, 256}, 0x08400910},
    {"e4m3 x e5m2 128x64, negate A",
     {d_type::f32, ab_type::e4m3, ab_type::e5m2, 128, 64, false, false, true},
     0x08102410},
    {"s8 128x32, saturate",
     {d_type::s32, ab_type::s8, ab_type::s8, 128, 32, false, false, false, false, true},
     0x080804A8},
    {"bf16 128x128 sparse",
     {d_type::f32, ab_type::bf16, ab_type::bf16, 128, 128, false, false, false, false, false, true},
     0x08200494},
};

BOOST_DATA_TEST_CASE(dense_instruction_examples, bdata::make(kDenseCases), c) {
  BOOST_TEST(instruction_descriptor(c.instruction) == c.want);
}

BOOST_AUTO_TEST_CASE(block_scaled_instruction_examples) {
  const BlockScaledInstruction mxf8{ab_type::e4m3, ab_type::e4m3, 128, 128};
  BOOST_TEST(instruction_descriptor(mxf8) == 0x08A00000u);
  BlockScaledInstruction nvf4{ab_type::packed_e2m1, ab_type::packed_e2m1, 256, 128};
  nvf4.scale_ue8m0 = false;
  BOOST_TEST(instruction_descriptor(nvf4) == 0x10200480u);
  nvf4.sfa_id = 2;
  nvf4.sfb_id = 2;
  nvf4.k96 = true;
  BOOST_TEST(instruction_descriptor(nvf4) == (0x10200480u | 2u << 29 | 2u << 4 | 1u << 31));
}

BOOST_AUTO_TEST_SUITE_END()
