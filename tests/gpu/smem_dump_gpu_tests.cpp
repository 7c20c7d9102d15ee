#include "tests/gpu/dump_cases.h"

#include <set>

#include "tests/gpu/needs_gpu.h"

using namespace lc::gpu_tests;
using By = DumpCase::By;

namespace {

/// Every tile of the file holds what its CTA and round left there.
void require_bytes(const DumpResult& result, std::uint32_t offset, std::uint32_t cta,
                   std::uint32_t round, std::size_t tensor) {
  const auto& bytes = result.file.tensors().at(tensor).bytes;
  for (std::uint32_t i = 0; i < bytes.size(); ++i) {
    BOOST_TEST_REQUIRE(bytes[i] == test_byte(offset + i, cta, round));
  }
}

bool mentions(const DumpResult& result, const std::string& word) {
  return result.problems.size() == 1 && result.problems[0].find(word) != std::string::npos;
}

}  // namespace

LC_GPU_SUITE(smem_dump_gpu_tests)

BOOST_AUTO_TEST_CASE(every_way_of_calling_copies_every_size_and_alignment) {
  for (const By by : {By::thread, By::warp, By::cta}) {
    for (const std::uint32_t offset : {0u, 16u, 1u, 1000u}) {
      for (const std::uint32_t bytes : {0u, 1u, 15u, 16u, 17u, 512u, 3000u}) {
        for (const bool address_form : {false, true}) {
          DumpCase c;
          c.by = by;
          c.offset = offset;
          c.bytes = bytes;
          c.address_form = address_form;
          const DumpResult result = run_dump_case(c);
          BOOST_TEST_REQUIRE(result.problems.empty());
          BOOST_TEST_REQUIRE(result.file.tensors().size() == 1u);
          BOOST_TEST_REQUIRE(result.file.tensors()[0].bytes.size() == bytes);
          require_bytes(result, offset, 0, 0, 0);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(blocks_of_any_shape) {
  for (const auto& [x, y] : {std::pair{1u, 1u}, {7u, 1u}, {32u, 1u}, {5u, 9u}, {16u, 16u}}) {
    DumpCase c;
    c.block_x = x;
    c.block_y = y;
    const DumpResult result = run_dump_case(c);
    BOOST_TEST_REQUIRE(result.file.tensors().size() == 1u);
    require_bytes(result, 0, 0, 0, 0);
  }
}

BOOST_AUTO_TEST_CASE(many_ctas_and_rounds_are_named_and_ordered) {
  DumpCase c;
  c.grid_x = 3;
  c.grid_y = 2;
  c.rounds = 3;
  const DumpResult result = run_dump_case(c);
  BOOST_TEST_REQUIRE(result.file.tensors().size() == 18u);
  const char* const kSuffix[] = {"/stage0", "/stage1", "/stage0/repeat1"};
  for (std::uint32_t i = 0; i < 18; ++i) {
    const std::uint32_t cta = i / 3, round = i % 3;
    BOOST_TEST(result.file.tensors()[i].name == "tile/cta" + std::to_string(cta % 3) + "." +
                                                    std::to_string(cta / 3) + ".0" +
                                                    kSuffix[round]);
    require_bytes(result, 0, cta, round, i);
  }
}

BOOST_AUTO_TEST_CASE(only_the_chosen_ctas) {
  DumpCase c;
  c.grid_x = 8;
  c.first_cta = 5;
  c.cta_count = 2;
  const DumpResult result = run_dump_case(c);
  BOOST_TEST_REQUIRE(result.file.tensors().size() == 2u);
  require_bytes(result, 0, 5, 0, 0);
  require_bytes(result, 0, 6, 0, 1);
}

BOOST_AUTO_TEST_CASE(a_cluster_gives_addresses_without_the_rank) {
  DumpCase c;
  c.grid_x = 2;
  c.cluster = 2;
  const DumpResult result = run_dump_case(c);
  BOOST_TEST_REQUIRE(result.problems.empty());
  BOOST_TEST_REQUIRE(result.file.tensors().size() == 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    require_bytes(result, 0, static_cast<std::uint32_t>(i), 0, i);
    const std::string& text = result.file.tensors()[i].description;
    BOOST_TEST(text.find("\"smem_address\":1024,") != std::string::npos, text);
  }
}

BOOST_AUTO_TEST_CASE(a_tile_that_does_not_fit_is_reported_with_the_size_that_would) {
  DumpCase c;
  c.room = 1000;
  const DumpResult result = run_dump_case(c);
  BOOST_TEST(result.file.tensors().empty());
  BOOST_TEST(mentions(result, "SmemDumper(1024)"));
  c.room = 1024;
  BOOST_TEST(run_dump_case(c).problems.empty());
}

BOOST_AUTO_TEST_CASE(a_tile_too_many_is_reported) {
  DumpCase c;
  c.grid_x = 5;
  c.tiles = 4;
  const DumpResult result = run_dump_case(c);
  BOOST_TEST(result.file.tensors().size() == 4u);
  BOOST_TEST(mentions(result, "SmemDumper(bytes, 5)"));
}

BOOST_AUTO_TEST_CASE(slips_of_the_host_are_reported) {
  DumpCase c;
  BOOST_TEST(run_dump_case(c).problems.empty());
  c.described_too = "tail";
  BOOST_TEST(mentions(run_dump_case(c), "no tile of this name was dumped"));
  c = {};
  c.values_from = "Nowhere";
  BOOST_TEST(mentions(run_dump_case(c), "source(\"Nowhere\""));
}

BOOST_AUTO_TEST_CASE(a_file_that_lacks_tiles_says_so) {
  DumpCase c;
  BOOST_TEST(!run_dump_case(c).file.facts().contains("incomplete"));
  c.room = 1000;
  BOOST_TEST(run_dump_case(c).file.facts().contains("incomplete"));
}

BOOST_AUTO_TEST_CASE(what_is_not_this_ctas_shared_memory_is_reported_not_read) {
  DumpCase c;
  c.from_global = true;
  BOOST_TEST(mentions(run_dump_case(c), "not to this CTA's shared memory"));
  c = {};
  c.grid_x = c.cluster = 2;
  c.address_form = true;
  BOOST_TEST(run_dump_case(c).problems.empty());
  c.without_rank = true;  // right in CTA 0, an address of CTA 0 in CTA 1
  BOOST_TEST(mentions(run_dump_case(c), "CTA 1,0,0, stage 0: the pointer is not"));
  c = {};
  c.bytes = 1u << 30;
  BOOST_TEST(mentions(run_dump_case(c), "end behind the shared memory"));
  c.bytes = kDumpBufferBytes + 128;  // allocations are rounded up to 128 bytes at most
  BOOST_TEST(mentions(run_dump_case(c), "end behind the shared memory"));
}

BOOST_AUTO_TEST_SUITE_END()
