// The one place where kernel and model meet outside dumped bytes: both pack the same fields, each
// with its own code, and must give the same word for every value of every field.
#include "kernel/descriptor.cuh"
#include "sim/layout/instruction_descriptor.h"
#include "sim/layout/smem_descriptor.h"
#include "tests/test.h"

using namespace lc;

namespace {

constexpr std::pair<Swizzle, kernel::SmemSwizzle> kModes[] = {
    {Swizzle::none, kernel::SmemSwizzle::none},
    {Swizzle::b32, kernel::SmemSwizzle::b32},
    {Swizzle::b64, kernel::SmemSwizzle::b64},
    {Swizzle::b128, kernel::SmemSwizzle::b128},
    {Swizzle::b128_32b, kernel::SmemSwizzle::b128_32}};

void require_equal_words(std::uint32_t start, std::uint32_t lbo, std::uint32_t sbo,
                         std::uint32_t base_offset, bool absolute) {
  for (const auto& [model_mode, kernel_mode] : kModes) {
    const SmemDescriptor model{
        start, lbo, sbo, base_offset, absolute ? LboMode::absolute : LboMode::relative, model_mode};
    const kernel::SmemMatrix packed{start, lbo, sbo, kernel_mode, base_offset, absolute};
    BOOST_TEST_REQUIRE(encode_smem_descriptor(Arch::sm_100, model) ==
                       kernel::smem_descriptor_sm100(packed));
    if (model_mode == Swizzle::b128_32b || absolute) continue;
    BOOST_TEST_REQUIRE(encode_smem_descriptor(Arch::sm_90, model) ==
                       kernel::smem_descriptor_sm90(packed));
  }
}

/// A type by its name in the model and its code in the kernel.
struct TwinType {
  Element element;
  std::uint32_t code;
};

struct TwinKind {
  MmaKind kind;
  std::vector<TwinType> types;
  std::vector<std::pair<Accumulator, std::uint32_t>> accumulators;
};

const std::vector<TwinType> kBytes = {{Element::e4m3, kernel::ab_type::e4m3},
                                      {Element::e5m2, kernel::ab_type::e5m2},
                                      {Element::e2m3, kernel::ab_type::e2m3},
                                      {Element::e3m2, kernel::ab_type::e3m2},
                                      {Element::e2m1, kernel::ab_type::e2m1}};

}  // namespace

BOOST_AUTO_TEST_SUITE(twin_tests)

BOOST_AUTO_TEST_CASE(every_value_of_every_smem_field) {
  for (std::uint32_t raw = 0; raw < 1u << 14; ++raw) {
    require_equal_words(raw * 16, 16, 1024, 0, false);
    require_equal_words(0x400, raw * 16, 1024, 0, false);
    require_equal_words(0x400, 16, raw * 16, 0, false);
  }
  for (std::uint32_t base_offset = 0; base_offset < 8; ++base_offset) {
    for (const bool absolute : {false, true}) {
      require_equal_words(0x3FFF0, 0x3FFF0, 0x3FFF0, base_offset, absolute);
      require_equal_words(0x12340, 0x8880, 0x7770, base_offset, absolute);
    }
  }
  // Values that do not fit are cut alike.
  require_equal_words(0x40010, 0x7FFFF, 0x41238, 7, false);
}

BOOST_AUTO_TEST_CASE(every_value_of_every_dense_instruction_field) {
  const TwinKind kinds[] = {
      {MmaKind::f16,
       {{Element::f16, kernel::ab_type::f16}, {Element::bf16, kernel::ab_type::bf16}},
       {{Accumulator::f32, kernel::d_type::f32}, {Accumulator::f16, kernel::d_type::f16}}},
      {MmaKind::tf32,
       {{Element::tf32, kernel::ab_type::tf32}},
       {{Accumulator::f32, kernel::d_type::f32}}},
      {MmaKind::f8f6f4,
       kBytes,
       {{Accumulator::f32, kernel::d_type::f32}, {Accumulator::f16, kernel::d_type::f16}}},
      {MmaKind::i8,
       {{Element::u8, kernel::ab_type::u8}, {Element::i8, kernel::ab_type::s8}},
       {{Accumulator::s32, kernel::d_type::s32}}}};
  for (const TwinKind& kind : kinds) {
    for (const TwinType& a : kind.types) {
      for (const TwinType& b : kind.types) {
        for (const auto& [d, d_code] : kind.accumulators) {
          for (std::uint32_t flags = 0; flags < 64; ++flags) {
            for (std::uint32_t shift = 0; shift < 4; ++shift) {
              InstructionDescriptor model;
              model.kind = kind.kind;
              model.d = d, model.a = a.element, model.b = b.element;
              model.m = 16 * (1 + flags % 16), model.n = 8 * (1 + flags % 32);
              model.a_major = (flags & 1) != 0 ? Major::mn : Major::k;
              model.b_major = (flags & 2) != 0 ? Major::mn : Major::k;
              model.negate_a = (flags & 4) != 0, model.negate_b = (flags & 8) != 0;
              model.saturate = (flags & 16) != 0, model.sparse = (flags & 32) != 0;
              model.sparsity_selector = shift;
              model.max_shift = shift == 0 ? 0 : 4u << shift;
              const kernel::DenseInstruction packed{d_code,
                                                    a.code,
                                                    b.code,
                                                    model.m,
                                                    model.n,
                                                    model.a_major == Major::mn,
                                                    model.b_major == Major::mn,
                                                    model.negate_a,
                                                    model.negate_b,
                                                    model.saturate,
                                                    model.sparse,
                                                    model.sparsity_selector,
                                                    shift};
              BOOST_TEST_REQUIRE(encode(model) == kernel::instruction_descriptor(packed));
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_value_of_every_block_scaled_instruction_field) {
  const TwinKind kinds[] = {
      {MmaKind::mxf8f6f4, kBytes, {}},
      {MmaKind::mxf4, {{Element::e2m1, kernel::ab_type::packed_e2m1}}, {}},
      {MmaKind::mxf4nvf4, {{Element::e2m1, kernel::ab_type::packed_e2m1}}, {}}};
  for (const TwinKind& kind : kinds) {
    for (const TwinType& a : kind.types) {
      for (const TwinType& b : kind.types) {
        for (std::uint32_t flags = 0; flags < 64; ++flags) {
          for (std::uint32_t id = 0; id < 16; ++id) {
            InstructionDescriptor model;
            model.kind = kind.kind;
            model.d = Accumulator::f32, model.a = a.element, model.b = b.element;
            model.m = (flags & 1) != 0 ? 256 : 128, model.n = 8 * (1 + id);
            const bool bytes = kind.kind == MmaKind::mxf8f6f4;
            model.a_major = bytes && (flags & 2) != 0 ? Major::mn : Major::k;
            model.b_major = bytes && (flags & 4) != 0 ? Major::mn : Major::k;
            model.negate_a = (flags & 8) != 0, model.negate_b = (flags & 16) != 0;
            model.sparse = (flags & 32) != 0;
            model.scale_type = kind.kind == MmaKind::mxf4nvf4 && (id & 1) != 0 ? ScaleType::ue4m3
                                                                               : ScaleType::ue8m0;
            model.sfa_id = id % 4, model.sfb_id = id / 4;
            model.k96 = !bytes && (flags & 2) != 0;
            kernel::BlockScaledInstruction packed;
            packed.a_type = a.code, packed.b_type = b.code, packed.m = model.m, packed.n = model.n;
            packed.a_mn_major = model.a_major == Major::mn;
            packed.b_mn_major = model.b_major == Major::mn;
            packed.negate_a = model.negate_a, packed.negate_b = model.negate_b;
            packed.sparse = model.sparse;
            packed.scale_ue8m0 = model.scale_type == ScaleType::ue8m0;
            packed.sfa_id = model.sfa_id, packed.sfb_id = model.sfb_id, packed.k96 = model.k96;
            BOOST_TEST_REQUIRE(encode(model) == kernel::instruction_descriptor(packed));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
