#include <fmt/format.h>

#include "sim/layout/tmem_transfer.h"
#include "tests/test.h"
#include "tests/vm/tensor_guest.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(tcgen05_memory_ops_tests)

namespace {

std::string vector(std::uint32_t count) {
  std::string text = "{";
  for (std::uint32_t i = 0; i < count; ++i) text += fmt::format("{}%w{}", i == 0 ? "" : ", ", i);
  return text + "}";
}

/// Address of register 0 of a thread in `result`: [thread][128].
constexpr const char* kMine = "mad.wide.u32 %d0, %thr, 512, %out;\n";

template <class Visit>
void for_each_transfer(Visit&& visit) {
  for (std::size_t s = 0; s < kTmemShapeCount; ++s) {
    for (std::uint32_t num = 1; num <= 128; num *= 4) {
      for (const bool pack : {false, true}) {
        TmemTransfer x;
        x.shape = static_cast<TmemShape>(s);
        x.num = num;
        x.pack = pack;
        x.address = num < 64 ? 32 : 0;
        if (x.shape == TmemShape::s16x32bx2) x.half_split_offset = 16u << 16 | (num < 64 ? 64 : 0);
        if (!check_tmem_transfer(x).has_error()) visit(x);
      }
    }
  }
}

std::string mnemonic(const TmemTransfer& x, bool loads) {
  return fmt::format("tcgen05.{}.sync.aligned.{}.x{}{}.b32", loads ? "ld" : "st",
                     tmem_shape_row(x.shape).name, x.num,
                     !x.pack ? ""
                     : loads ? ".pack::16b"
                             : ".unpack::16b");
}

/// A kernel of its own, without the frame of TensorKernel.
std::string rule_of_kernel(const std::string& body, std::uint32_t threads = 64,
                           std::uint32_t ctas = 1, machine::RunOptions options = {}) {
  try {
    Guest guest(kernel("", ".reg .b32 %r<8>; .reg .pred %p<4>;\n.shared .align 4 .b32 slot;\n" +
                               body + "\nret;"),
                options);
    machine::Launch launch = guest.launch({threads, 1, 1});
    launch.grid = launch.cluster = {ctas, 1, 1};
    launch.explicit_cluster = ctas > 1;
    guest.run(launch);
  } catch (const machine::Fault& fault) {
    return fault.kind == machine::FaultKind::deadlock ? "deadlock" : fault.rule;
  }
  return "none";
}

std::string alloc(int columns, int group = 1) {
  return fmt::format(
      "tcgen05.alloc.cta_group::{}.sync.aligned.shared::cta.b32 [slot], {};\n"
      "ld.shared.b32 %r0, [slot];\n",
      group, columns);
}
std::string dealloc(int columns, int group = 1) {
  return fmt::format("tcgen05.dealloc.cta_group::{}.sync.aligned.b32 %r0, {};\n", group, columns);
}

}  // namespace

BOOST_AUTO_TEST_CASE(loads_of_every_shape_bring_the_cells_of_the_map) {
  int count = 0;
  for_each_transfer([&](TmemTransfer x) {
    TensorKernel k;
    k.warp_body = fmt::format(
        "{} {}, [%base+{}]{};\ntcgen05.wait::ld.sync.aligned;\n{}", mnemonic(x, true),
        vector(x.registers()), x.address,
        x.half_split_offset == 0 ? "" : fmt::format(", {}", x.half_split_offset), kMine);
    for (std::uint32_t r = 0; r < x.registers(); ++r) {
      k.warp_body += fmt::format("st.global.b32 [%d0+{}], %w{};\n", 4 * r, r);
    }
    for (const auto& options : {schedules()[0], schedules()[1]}) {
      std::vector<std::uint32_t> result(128 * 128);
      BOOST_TEST((k.run(options, &result) == k.tensor));
      for (std::uint32_t thread = 0; thread < 128; ++thread) {
        x.warp = thread / 32;
        for (std::uint32_t r = 0; r < x.registers(); ++r) {
          const auto cell = [&](std::uint32_t half) {
            const TmemOffset at = tmem_cell(x, thread % 32, r, half);
            return k.tensor[at.lane * kTmemColumns + at.column];
          };
          const std::uint32_t want = x.pack ? (cell(0) & 0xFFFF) | cell(1) << 16 : cell(0);
          BOOST_TEST_REQUIRE(result[thread * 128 + r] == want, mnemonic(x, true));
        }
      }
    }
    ++count;
  });
  BOOST_TEST(count > 25);
}

BOOST_AUTO_TEST_CASE(stores_of_every_shape_fill_the_cells_of_the_map) {
  for_each_transfer([&](TmemTransfer x) {
    TensorKernel k;
    k.warp_body = kMine;
    for (std::uint32_t r = 0; r < x.registers(); ++r) {
      k.warp_body += fmt::format("ld.global.b32 %w{}, [%d0+{}];\n", r, 4 * r);
    }
    k.warp_body += fmt::format(
        "{} [%base+{}]{}, {};\ntcgen05.wait::st.sync.aligned;\n", mnemonic(x, false), x.address,
        x.half_split_offset == 0 ? "" : fmt::format(", {}", x.half_split_offset),
        vector(x.registers()));
    std::vector<std::uint32_t> values(128 * 128), want = k.tensor;
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 0x01000193;
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
      x.warp = thread / 32;
      for (std::uint32_t r = 0; r < x.registers(); ++r) {
        for (std::uint32_t half = 0; half < x.halves(); ++half) {
          const TmemOffset at = tmem_cell(x, thread % 32, r, half);
          const std::uint32_t v = values[thread * 128 + r];
          want[at.lane * kTmemColumns + at.column] = x.pack ? v >> 16 * half & 0xFFFF : v;
        }
      }
    }
    BOOST_TEST((k.run(schedules()[1], &values) == want), mnemonic(x, false));
  });
}

BOOST_AUTO_TEST_CASE(a_load_without_its_wait_may_see_what_comes_later) {
  // The second store overtakes the load unless wait::ld stands between them.
  const auto loaded = [](const char* wait, const machine::RunOptions& options) {
    TensorKernel k;
    k.warp_body = fmt::format(
        "mov.b32 %w1, 7;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {{%w0}}, [%base];\n{}\n"
        "tcgen05.st.sync.aligned.32x32b.x1.b32 [%base], {{%w1}};\n"
        "tcgen05.wait::st.sync.aligned;\ntcgen05.wait::ld.sync.aligned;\n{}"
        "st.global.b32 [%d0], %w0;\n",
        wait, kMine);
    std::vector<std::uint32_t> result(128 * 128);
    k.run(options, &result);
    return result[0] == k.tensor[0] ? "before" : result[0] == 7 ? "after" : "neither";
  };
  for (const auto& options : schedules()) {
    BOOST_TEST(loaded("tcgen05.wait::ld.sync.aligned;", options) == "before");
  }
  BOOST_TEST(loaded("", schedules()[0]) == "after");
  BOOST_TEST(loaded("", schedules()[1]) == "after");
}

BOOST_AUTO_TEST_CASE(a_register_dependency_holds_without_a_wait) {
  // PTX ISA 9.0, 9.7.16.6.4.5: through values, addresses and another load of the same register.
  TensorKernel k;
  k.warp_body = std::string(kMine) +
                "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%w0}, [%base];\n"
                "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%w1}, [%base+1];\n"
                "and.b32 %w2, %w0, 0xFF; cvt.u64.u32 %b0, %w2; add.u64 %b0, %b0, %d0;\n"
                "st.global.u8 [%b0+4], %w1;\n"
                "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%w3}, [%base+2];\n"
                "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%w3}, [%base+3];\n"
                "st.global.b32 [%d0], %w3;\n";
  for (const auto& options : schedules()) {
    std::vector<std::uint32_t> result(128 * 128);
    k.run(options, &result);
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
      const std::uint32_t* cells = k.tensor.data() + std::size_t{thread} * kTmemColumns;
      const std::uint32_t at = 4 + (cells[0] & 0xFF);
      BOOST_TEST(result[thread * 128] == cells[3]);
      BOOST_TEST((result[thread * 128 + at / 4] >> at % 4 * 8 & 0xFF) == (cells[1] & 0xFF));
    }
  }
}

BOOST_AUTO_TEST_CASE(allocation_blocks_until_columns_are_free) {
  const std::string turns = "mov.u32 %r1, %tid.x; setp.ge.u32 %p0, %r1, 32; @%p0 bra SECOND;\n" +
                            alloc(512) + "bar.sync 0;\n" + dealloc(512) +
                            "bra END;\nSECOND: bar.sync 0;\n" + alloc(256) + dealloc(256) + "END:";
  BOOST_TEST(rule_of_kernel(turns) == "none");
  BOOST_TEST(rule_of_kernel(alloc(32) + dealloc(32), 32) == "none");
  BOOST_TEST(rule_of_kernel(alloc(512) + alloc(512), 32) == "deadlock");
}

BOOST_AUTO_TEST_CASE(a_pair_allocates_together) {
  const std::string both = alloc(128, 2) + dealloc(128, 2);
  BOOST_TEST(rule_of_kernel(both, 32, 2) == "none");
  BOOST_TEST(rule_of_kernel(both, 32, 4) == "none");
  BOOST_TEST(rule_of_kernel(both, 32, 1) == "tmem.no-pair");
  const std::string odd = "mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p0, %r1, 0;\n";
  // The odd CTA asks for another number, stays away, or has gone.
  BOOST_TEST(rule_of_kernel(odd + "mov.u32 %r2, 64; @%p0 mov.u32 %r2, 32;\n"
                                  "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 "
                                  "[slot], %r2;",
                            32, 2) == "tmem.pair-disagrees");
  BOOST_TEST(rule_of_kernel(odd + "@%p0 bra AWAY;\n" + both +
                                "AWAY: barrier.cluster.arrive; barrier.cluster.wait;",
                            32, 2) == "deadlock");
  BOOST_TEST(rule_of_kernel("barrier.cluster.arrive; " + odd + "@%p0 exit;\n" +
                                "LATE: barrier.cluster.wait;\n" + both,
                            32, 2) != "none");
}

BOOST_AUTO_TEST_CASE(each_rule_of_tensor_memory_is_broken_once) {
  BOOST_TEST(rule_of_kernel(alloc(64), 32) == "tmem.leak");
  BOOST_TEST(rule_of_kernel(alloc(64) + dealloc(32), 32) == "tmem.dealloc");
  BOOST_TEST(rule_of_kernel(alloc(32) + alloc(64), 32) == "tmem.alloc-growth");
  BOOST_TEST(rule_of_kernel("mov.u32 %r2, 48; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta"
                            ".b32 [slot], %r2;",
                            32) == "tmem.alloc-columns");
  BOOST_TEST(rule_of_kernel(
                 "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + alloc(32), 32) ==
             "tmem.alloc-relinquished");
  BOOST_TEST(rule_of_kernel(alloc(32) + dealloc(32), 16) == "tmem.exited-lanes");
  machine::RunOptions hopper;
  hopper.arch = Arch::sm_90;
  BOOST_TEST(rule_of_kernel(alloc(32), 32, 1, hopper) == "tmem.arch");

  const auto warp_rule = [](const std::string& body) {
    TensorKernel k;
    k.warp_body = body;
    return rule_of(k);
  };
  const std::string load = "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%w0, %w1}, ";
  BOOST_TEST(warp_rule(load + "[%base];") == "none");
  BOOST_TEST(warp_rule(load + "[%base+511];") == "tmem.transfer-columns");
  BOOST_TEST(warp_rule(load + "[%base+1048576];") == "tmem.transfer-base");
  BOOST_TEST(warp_rule(load + "[%thr];") == "tmem.not-uniform");
  BOOST_TEST(warp_rule("setp.eq.u32 %p1, %thr, 37; @%p1 exit;\n" + load + "[%base];") ==
             "tmem.exited-lanes");
  BOOST_TEST(rule_of_kernel(alloc(32) +
                                "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r0+32], {%r1};"
                                "tcgen05.wait::st.sync.aligned;\n" +
                                dealloc(32),
                            32) == "tmem.unallocated");
}

BOOST_AUTO_TEST_SUITE_END()
