#include "sim/isa/load.h"
#include "sim/ptx/parser.h"
#include "tests/test.h"
#include "tests/vm/guest.h"

using namespace lc;

/// Which spellings the instruction table takes, and what it says to others.  The accepted ones are
/// those that ptxas 13.0 takes for sm_100a, the refused ones those that it refuses.
BOOST_AUTO_TEST_SUITE(tcgen05_binding_tests)

namespace {

/// "" or what is wrong with the one instruction.
std::string problem(const std::string& instruction) {
  const std::string text =
      kernel("", ".reg .pred p; .reg .b16 h; .reg .b32 t, r0, r1, r2, r3, i; .reg .b64 a, b, z;\n" +
                     instruction + ";\nret;");
  const auto module = ptx::parse(text, "test.ptx");
  const auto unknown = isa::unknown_instructions(module);
  return unknown.empty() ? "" : unknown.front().problem + " " + unknown.front().hint;
}

bool refuses(const std::string& instruction, const std::string& because) {
  const std::string text = problem(instruction);
  if (text.find(because) != std::string::npos) return true;
  BOOST_TEST_MESSAGE(instruction << ": " << text);
  return false;
}

const std::string kMma = "tcgen05.mma.cta_group::1.kind::f16";

}  // namespace

BOOST_AUTO_TEST_CASE(forms_of_the_manual_are_taken) {
  for (const char* instruction : {
           "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [t], 512",
           "tcgen05.alloc.cta_group::2.sync.aligned.b32 [a], r0",
           "tcgen05.dealloc.cta_group::1.sync.aligned.b32 t, 32",
           "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned",
           "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [t]",
           "tcgen05.ld.sync.aligned.16x64b.x1.pack::16b.b32 {r0}, [t+1048578]",
           "tcgen05.ld.sync.aligned.16x256b.x1.b32 {r0, r1, r2, r3}, [t]",
           "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {r0, r1}, [t], 1048576",
           "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {r0}, [t], -1",
           "tcgen05.st.sync.aligned.16x128b.x1.unpack::16b.b32 [t], {r0, r1}",
           "tcgen05.st.sync.aligned.16x32bx2.x1.b32 [t], 0, {r0}",
           "tcgen05.wait::ld.sync.aligned",
           "tcgen05.wait::st.sync.aligned",
           "tcgen05.fence::before_thread_sync",
           "tcgen05.fence::after_thread_sync",
           "tcgen05.cp.cta_group::1.128x256b [t], a",
           "tcgen05.cp.cta_group::2.128x128b.b8x16.b6x16_p32 [t], a",
           "tcgen05.cp.cta_group::1.warpx4.32x128b [t], a",
           "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [t], a",
           "tcgen05.shift.cta_group::1.down [t]",
           "tcgen05.shift.down.cta_group::2 [t]",
           "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [a]",
           "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [t]",
           "tcgen05.commit.cta_group::2.mbarrier::arrive::one.multicast::cluster.b64 [a], h",
           "tcgen05.mma.cta_group::1.kind::f16 [t], a, b, i, p",
           "tcgen05.mma.cta_group::1.kind::f16 [t], a, b, 136315024, !p, 3",
           "tcgen05.mma.kind::tf32.cta_group::1 [t], [t+4], b, i, {r0, r1, r2, r3}, 1, 15",
           "tcgen05.mma.cta_group::2.kind::i8 [t], a, b, i, {r0, r1, r2, r3, r0, r1, r2, r3}, p",
           "tcgen05.mma.cta_group::1.kind::f8f6f4.ashift.collector::a::lastuse [t], [t], b, i, p",
           "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [t], a, b, i, p",
           "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [t], a, b, i, [t], [t], p",
           "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [t], a, b, i, [t], "
           "[t], p",
           "tcgen05.mma.cta_group::2.kind::mxf4.block_scale.block32 [t], [t], b, i, [t], [t], p",
           "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X.collector::a::use "
           "[t], a, b, i, [t], [t], p",
           "tcgen05.mma.sp.cta_group::1.kind::f16 [t], a, b, [t], i, p",
           "tcgen05.mma.sp.cta_group::1.kind::tf32 [t], [t], b, [t], i, {r0, r1, r2, r3}, p, 1",
           "tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale.scale_vec::2X "
           "[t], a, b, [t], i, [t], [t], p",
           "tcgen05.mma.ws.cta_group::1.kind::f16 [t], a, b, i, p",
           "tcgen05.mma.ws.cta_group::1.kind::i8.collector::b2::use [t], [t], b, i, p, z",
           "tcgen05.mma.ws.sp.cta_group::1.kind::tf32.collector::b0::fill [t], a, b, [t], i, p, z",
       }) {
    BOOST_TEST(problem(instruction) == "", instruction << ": " << problem(instruction));
  }
}

BOOST_AUTO_TEST_CASE(what_ptxas_refuses_is_refused_with_a_reason) {
  BOOST_TEST(refuses("tcgen05.alloc.cta_group::1.sync.aligned.b32 [a], 48", "32, 64, 128"));
  BOOST_TEST(refuses("tcgen05.ld.sync.aligned.32x32b.x1.b32 r0, [t]", "in braces"));
  BOOST_TEST(refuses("tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0}, [t]", "2 registers"));
  BOOST_TEST(refuses("tcgen05.ld.sync.aligned.16x256b.x64.b32 {r0}, [t]", ".x1 to .x32"));
  BOOST_TEST(refuses("tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {r0}, [t], r1", "is a number"));
  BOOST_TEST(refuses("tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32 {r0, r1}, r2, [t]", "sm_103a"));
  BOOST_TEST(refuses("tcgen05.cp.cta_group::1.64x128b [t], a", "no copy of shape"));
  BOOST_TEST(refuses("tcgen05.cp.cta_group::1.128x256b.warpx4 [t], a", "no copy of shape"));
  BOOST_TEST(refuses("tcgen05.cp.cta_group::1.128x256b.b4x16_p64 [t], a", "go together"));
  BOOST_TEST(refuses("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cta.b64 [t]",
                     "shared::cta"));
  BOOST_TEST(
      refuses("tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 "
              "[a], 3",
              "16-bit register"));
  BOOST_TEST(refuses(kMma + " [t], a, b, i, p, 16", "0 to 15"));
  BOOST_TEST(refuses("tcgen05.mma.cta_group::1.kind::f8f6f4 [t], a, b, i, p, 1", "scale-input-d"));
  BOOST_TEST(refuses(kMma + " [t], a, b, i, {r0, r1}, p", "4 registers"));
  BOOST_TEST(refuses(kMma + ".ashift [t], a, b, i, p", "from Tensor Memory"));
  BOOST_TEST(refuses(kMma + ".ashift.collector::a::fill [t], [t], b, i, p", "does not go with"));
  BOOST_TEST(refuses(kMma + " [a], a, b, i, p", "32-bit register"));
  BOOST_TEST(
      refuses("tcgen05.mma.ws.cta_group::2.kind::f16 [t], a, b, i, p", ".cta_group::1 only"));
  BOOST_TEST(refuses(
      "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [t], a, b, i, [t], [t], p", "how long"));
  BOOST_TEST(
      refuses("tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::4X "
              "[t], a, b, i, [t], [t], p",
              "scale_vec::4X"));
}

BOOST_AUTO_TEST_SUITE_END()
