#include "sim/observe/bank_use.h"

#include "sim/observe/coverage.h"
#include "tests/test.h"
#include "tests/vm/guest.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(bank_use_tests)

namespace {

/// 8 lanes read 16 bytes of column 0 of rows of 128 bytes; then where a 128-byte swizzle has them.
const std::string kColumn = kernel("",
                                   "  .reg .b32 %r<16>;\n"
                                   "  .shared .align 1024 .b8 tile[1024];\n"
                                   "  mov.u32 %r1, %tid.x;\n"
                                   "  shl.b32 %r2, %r1, 7;\n"
                                   "  mov.u32 %r3, tile;\n"
                                   "  add.s32 %r4, %r3, %r2;\n"
                                   "  shl.b32 %r5, %r1, 4;\n"
                                   "  xor.b32 %r6, %r4, %r5;\n"
                                   "  ld.shared.v4.b32 {%r7, %r8, %r9, %r10}, [%r4];\n"
                                   "  ld.shared.v4.b32 {%r7, %r8, %r9, %r10}, [%r6];\n"
                                   "  ret;\n");

std::vector<observe::BankSite> sites_of(Guest& guest, const machine::Launch& launch) {
  observe::BankUse banks(launch.program);
  machine::Events events;
  events.subscribe(banks);
  guest.options.events = &events;
  guest.run(launch);
  return banks.sites();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_column_of_eight_rows_takes_eight_wavefronts_and_swizzled_one) {
  Guest guest(kColumn);
  const auto sites = sites_of(guest, guest.launch({8, 1, 1}));
  BOOST_TEST_REQUIRE(sites.size() == 2u);
  BOOST_TEST(sites[0].wavefronts == 8u);
  BOOST_TEST(sites[0].ideal == 1u);
  BOOST_TEST(sites[0].accesses == 1u);
  BOOST_TEST(sites[0].access.active == 0xffu);
  BOOST_TEST(sites[0].text.starts_with("ld.shared.v4.b32"));
  BOOST_TEST(sites[1].wavefronts == 1u);
  BOOST_TEST(sites[1].line == sites[0].line + 1);
}

BOOST_AUTO_TEST_CASE(the_report_names_bank_and_lanes) {
  Guest guest(kColumn);
  const machine::Launch launch = guest.launch({8, 1, 1});
  observe::BankUse banks(launch.program);
  machine::Events events;
  events.subscribe(banks);
  guest.options.events = &events;
  guest.run(launch);
  BOOST_TEST(banks.text().find("bank 0 gives 8 words to lanes 0-7") != std::string::npos,
             banks.text());
  BOOST_TEST(banks.json().find(R"("lanes":[0,1,2,3,4,5,6,7])") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_warp_and_cta_is_counted) {
  Guest guest(kColumn);
  machine::Launch launch = guest.launch({8, 1, 1});
  launch.grid = {5, 1, 1};
  const auto sites = sites_of(guest, launch);
  BOOST_TEST_REQUIRE(sites.size() == 2u);
  BOOST_TEST(sites[0].accesses == 5u);
  BOOST_TEST(sites[0].wavefronts == 40u);
}

BOOST_AUTO_TEST_CASE(coverage_counts_warps_and_threads_of_every_instruction) {
  Guest guest(kernel("",
                     "  .reg .pred %p;\n"
                     "  .reg .b32 %r<3>;\n"
                     "  mov.u32 %r1, %tid.x;\n"
                     "  setp.lt.u32 %p, %r1, 3;\n"
                     "  @%p add.u32 %r2, %r1, 1;\n"
                     "  bra END;\n"
                     "  add.u32 %r2, %r1, 2;\n"
                     "END:\n"
                     "  ret;\n"));
  const machine::Launch launch = guest.launch({64, 1, 1});
  observe::Coverage coverage(launch.program);
  machine::Events events;
  events.subscribe(coverage);
  guest.options.events = &events;
  guest.run(launch);
  const auto rows = coverage.rows();
  BOOST_TEST_REQUIRE(rows.size() == 6u);
  BOOST_TEST(rows[0].executed == 2u);
  BOOST_TEST(rows[0].threads == 64u);
  BOOST_TEST(rows[2].executed == 1u);  // the second warp has no lane below 3
  BOOST_TEST(rows[2].threads == 3u);
  BOOST_TEST(rows[4].executed == 0u);
  BOOST_TEST(rows[5].threads == 64u);
  BOOST_TEST(coverage.text().starts_with("coverage: 5 of 6 instructions"), coverage.text());
}

BOOST_AUTO_TEST_SUITE_END()
