#include "sim/layout/smem_descriptor.h"

#include <string>

#include "sim/layout/operand_rules.h"
#include "sim/layout/smem_descriptor_rules.h"
#include "tests/test.h"

using namespace lc;

namespace {

bool has_rule(const Findings& findings, const std::string& id) {
  for (const Finding& f : findings) {
    if (id == f.rule.id) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(smem_descriptor_tests)

BOOST_AUTO_TEST_CASE(every_bit_belongs_to_exactly_one_field) {
  for (const Arch arch : {Arch::sm_90, Arch::sm_100}) {
    std::uint64_t seen = 0;
    for (const SmemDescriptorField& f : smem_descriptor_fields(arch)) {
      BOOST_TEST((seen & f.bits.covered()) == 0u);
      seen |= f.bits.covered();
    }
    BOOST_TEST(seen == ~std::uint64_t{0});
  }
}

BOOST_AUTO_TEST_CASE(fields_round_trip) {
  for (const Arch arch : {Arch::sm_90, Arch::sm_100}) {
    for (const Swizzle swizzle : kOperandSwizzles) {
      if (arch == Arch::sm_90 && swizzle == Swizzle::b128_32b) continue;
      for (std::uint32_t mbo = 0; mbo < 8; ++mbo) {
        for (std::uint64_t f = 0; f < (1u << 14); f += f < 20 ? 1 : 1021) {
          SmemDescriptor d{f * 16, (f ^ 0x155) * 16,  (0x3fff - f) * 16,
                           mbo,    LboMode::relative, swizzle};
          const auto back = decode_smem_descriptor(arch, encode_smem_descriptor(arch, d));
          BOOST_TEST_REQUIRE(back.swizzle_valid);
          BOOST_TEST_REQUIRE((back.fields == d));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(codes_without_meaning) {
  for (std::uint64_t code = 0; code < 8; ++code) {
    const std::uint64_t word = code << 61 | std::uint64_t{1} << 46;
    const bool valid = code == 0 || code == 1 || code == 2 || code == 4 || code == 6;
    BOOST_TEST(decode_smem_descriptor(Arch::sm_100, word).swizzle_valid == valid);
    BOOST_TEST(has_rule(check_smem_descriptor_word(Arch::sm_100, word),
                        "smem_descriptor.swizzle-invalid") == !valid);
    BOOST_TEST(decode_smem_descriptor(Arch::sm_90, word).swizzle_valid);
  }
}

BOOST_AUTO_TEST_CASE(reserved_and_fixed_bits) {
  const SmemDescriptor d{0x400, 16, 1024, 0, LboMode::relative, Swizzle::b128};
  const std::uint64_t blackwell = encode_smem_descriptor(Arch::sm_100, d);
  const std::uint64_t hopper = encode_smem_descriptor(Arch::sm_90, d);
  BOOST_TEST(check_smem_descriptor_word(Arch::sm_100, blackwell).count == 0u);
  BOOST_TEST(check_smem_descriptor_word(Arch::sm_90, hopper).count == 0u);
  BOOST_TEST(
      has_rule(check_smem_descriptor_word(Arch::sm_100, hopper), "smem_descriptor.fixed-bits"));
  const Findings as_hopper = check_smem_descriptor_word(Arch::sm_90, blackwell);
  BOOST_TEST(!as_hopper.has_error());
  BOOST_TEST(has_rule(as_hopper, "smem_descriptor.looks-like-sm_100"));
  for (const int bit : {14, 15, 30, 31, 53, 60}) {
    BOOST_TEST(check_smem_descriptor_word(Arch::sm_100, blackwell | 1ull << bit).has_error());
    const Findings f = check_smem_descriptor_word(Arch::sm_90, hopper | 1ull << bit);
    BOOST_TEST(!f.has_error());
    BOOST_TEST(f.has(Severity::warning));
  }
}

BOOST_AUTO_TEST_CASE(values_that_do_not_fit) {
  const SmemDescriptor good{0x400, 16, 1024, 0, LboMode::relative, Swizzle::b128};
  struct Case {
    const char* rule;
    SmemDescriptor d;
  };
  const auto with = [&](auto change) {
    SmemDescriptor d = good;
    change(d);
    return d;
  };
  const Case cases[] = {
      {"smem_descriptor.start-unaligned", with([](auto& d) { d.start_address = 0x408; })},
      {"smem_descriptor.start-too-large", with([](auto& d) { d.start_address = 0x40000; })},
      {"smem_descriptor.lbo-unaligned", with([](auto& d) { d.leading_byte_offset = 8; })},
      {"smem_descriptor.lbo-too-large", with([](auto& d) { d.leading_byte_offset = 1 << 18; })},
      {"smem_descriptor.sbo-unaligned", with([](auto& d) { d.stride_byte_offset = 64 + 4; })},
      {"smem_descriptor.sbo-too-large", with([](auto& d) { d.stride_byte_offset = 1 << 18; })},
      {"smem_descriptor.base-offset-too-large", with([](auto& d) { d.base_offset = 8; })},
  };
  for (const Case& c : cases) {
    BOOST_TEST(has_rule(check_smem_descriptor(Arch::sm_100, c.d), c.rule), c.rule);
    BOOST_TEST(!has_rule(check_smem_descriptor(Arch::sm_100, good), c.rule), c.rule);
  }
}

BOOST_AUTO_TEST_CASE(absolute_lbo_mode) {
  SmemDescriptor d{0x460, 0x4400, 1024, 0, LboMode::absolute, Swizzle::b128};
  BOOST_TEST(encode_smem_descriptor(Arch::sm_100, d) == 0x4010404004400046u);
  BOOST_TEST(!check_smem_descriptor(Arch::sm_100, d).has_error());
  BOOST_TEST(check_smem_descriptor(Arch::sm_90, d).has_error());
  d.base_offset = 1;
  BOOST_TEST(check_smem_descriptor(Arch::sm_100, d).has_error());
  d.base_offset = 0, d.swizzle = Swizzle::b64;
  BOOST_TEST(check_smem_descriptor(Arch::sm_100, d).has_error());
}

BOOST_AUTO_TEST_CASE(steps_are_judged_by_their_use) {
  const auto findings = [](const SmemDescriptor& d, Major major, std::uint64_t mn,
                           std::uint64_t k) {
    return check_operand(Arch::sm_90, d, major, Element::f16, Container::packed, mn, k);
  };
  const SmemDescriptor k_128B{0x400, 16, 1024, 0, LboMode::relative, Swizzle::b128};
  BOOST_TEST(has_rule(findings(k_128B, Major::k, 64, 16), "operand.lbo-ignored"));
  BOOST_TEST(!findings(k_128B, Major::k, 64, 16).has(Severity::warning));
  const SmemDescriptor short_sbo{0, 128, 128, 0, LboMode::relative, Swizzle::b32};
  BOOST_TEST(has_rule(findings(short_sbo, Major::k, 16, 16), "operand.sbo-overlap"));
  BOOST_TEST(!has_rule(findings(short_sbo, Major::k, 8, 16), "operand.sbo-overlap"));
  BOOST_TEST(has_rule(findings(short_sbo, Major::k, 8, 16), "operand.sbo-unused"));
  BOOST_TEST(has_rule(findings(k_128B, Major::mn, 128, 16), "operand.lbo-overlap"));
  SmemDescriptor zero_sbo = k_128B;
  zero_sbo.stride_byte_offset = 0;
  BOOST_TEST(has_rule(findings(zero_sbo, Major::k, 64, 16), "operand.sbo-overlap"));
  BOOST_TEST(!has_rule(findings(zero_sbo, Major::k, 8, 16), "operand.sbo-overlap"));
  const SmemDescriptor far{0x400, 16, 0x3F000, 0, LboMode::relative, Swizzle::b128};
  BOOST_TEST(has_rule(findings(far, Major::k, 64, 16), "operand.past-window"));
}

BOOST_AUTO_TEST_SUITE_END()
