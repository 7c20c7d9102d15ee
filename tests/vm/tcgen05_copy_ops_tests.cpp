#include <fmt/format.h>

#include "sim/layout/smem_descriptor.h"
#include "sim/machine/tmem_movement.h"
#include "tests/test.h"
#include "tests/vm/tensor_guest.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(tcgen05_copy_ops_tests)

namespace {

std::uint64_t descriptor(Swizzle swizzle) {
  return encode_smem_descriptor(
      Arch::sm_100,
      {TensorKernel::kTile, 2048, swizzle == Swizzle::none ? 128u : 1024u, 0, {}, swizzle});
}

std::string commit(const std::string& form, const std::string& operands) {
  return "tcgen05.commit.cta_group::1.mbarrier::arrive::one" + form + ".b64 " + operands + ";\n";
}

}  // namespace

BOOST_AUTO_TEST_CASE(copies_of_every_shape_do_what_the_unit_does) {
  constexpr const char* kFormats[] = {"", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"};
  for (const std::uint32_t ctas : {1u, 2u}) {
    TensorKernel k(ctas);
    for (std::size_t s = 0; s < kTmemCopyShapeCount; ++s) {
      for (int format = 0; format < 3; ++format) {
        for (const Swizzle swizzle : {Swizzle::none, Swizzle::b128}) {
          TmemCopy copy;
          copy.shape = static_cast<TmemCopyShape>(s);
          copy.format = static_cast<TmemDecompression>(format);
          copy.address = 24;
          copy.descriptor = descriptor(swizzle);
          k.body =
              fmt::format("mov.b64 %b0, {};\ntcgen05.cp.cta_group::{}.{}{} [%base+24], %b0;",
                          copy.descriptor, ctas, tmem_copy_row(copy.shape).name, kFormats[format]);
          const auto want = k.expect([&](auto& all) {
            for (auto& m : all) tmem_copy(m.tensor, m.shared, copy);
          });
          BOOST_TEST((k.run() == want), k.body);
          BOOST_TEST((want != k.tensor));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(copies_shifts_and_products_run_in_order) {
  for (const RunOptions& options : schedules()) {
    TensorKernel k;
    k.body = fmt::format(
        "mov.b64 %b0, {};\ntcgen05.cp.cta_group::1.128x256b [%base], %b0;\n"
        "tcgen05.shift.cta_group::1.down [%base+2097152];\n"
        "tcgen05.cp.cta_group::1.4x256b [%base+2031616], %b0;\n",
        descriptor(Swizzle::none));
    const auto want = k.expect([&](auto& all) {
      TmemCopy copy;
      copy.shape = TmemCopyShape::c128x256b;
      copy.descriptor = descriptor(Swizzle::none);
      tmem_copy(all[0].tensor, all[0].shared, copy);
      tmem_shift(all[0].tensor, 32u << 16);
      copy.shape = TmemCopyShape::c4x256b;
      copy.address = 31u << 16;
      tmem_copy(all[0].tensor, all[0].shared, copy);
    });
    BOOST_TEST((k.run(options) == want));
  }
}

BOOST_AUTO_TEST_CASE(a_commit_takes_generic_addresses_and_masks) {
  TensorKernel k;
  k.commits = false;
  const std::string wait =
      "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra AGAIN;\n";
  for (const RunOptions& options : schedules()) {
    k.body = "mov.u64 %b0, bar; cvta.shared.u64 %b0, %b0;\n" + commit("", "[%b0]") + wait;
    BOOST_TEST(rule_of(k, options) == "none");
    k.body =
        "mov.b16 %h1, 1;\n" + commit(".shared::cluster.multicast::cluster", "[bar], %h1") + wait;
    BOOST_TEST(rule_of(k, options) == "none");
  }
  k.body = "mov.b16 %h1, 2;\n" + commit(".shared::cluster.multicast::cluster", "[bar], %h1");
  BOOST_TEST(rule_of(k) == "commit.cta-mask");
  k.body = commit("", "[%out]");
  BOOST_TEST(rule_of(k) == "commit.space");
  k.body = "mov.u32 %w0, tile;\n" + commit(".shared::cluster", "[%w0]");
  BOOST_TEST(rule_of(k) != "none");  // no mbarrier there
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_copy_is_a_fault) {
  TensorKernel k;
  const auto rule = [&](const std::string& body) {
    k.body = "mov.b64 %b0, " + std::to_string(descriptor(Swizzle::none)) + ";\n" + body;
    return rule_of(k);
  };
  BOOST_TEST(rule("tcgen05.cp.cta_group::1.128x128b [%base], %b0;") == "none");
  BOOST_TEST(rule("tcgen05.cp.cta_group::1.128x128b [%base+510], %b0;") == "tmem.out-of-bounds");
  BOOST_TEST(rule("or.b64 %b0, %b0, 0xE000000000000000;\n"
                  "tcgen05.cp.cta_group::1.128x128b [%base], %b0;") ==
             "smem_descriptor.swizzle-code");
  BOOST_TEST(rule("tcgen05.shift.cta_group::1.down [%base+196608];") == "tmem.shift-lane");
  BOOST_TEST(rule("tcgen05.shift.cta_group::2.down [%base];") == "tmem.no-pair");
}

BOOST_AUTO_TEST_SUITE_END()
