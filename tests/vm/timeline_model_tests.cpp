#include "sim/observe/timeline_model.h"

#include "tests/test.h"

using namespace lc::observe;

BOOST_AUTO_TEST_SUITE(timeline_model_tests)

namespace {

using Kind = WarpOp::Kind;

/// A producer that loads `blocks` blocks of 6400 bytes into `stages` stages (100 steps and 200 of
/// latency), a consumer whose matrix instruction takes `mma_steps`.
Record pipeline(std::uint32_t blocks, std::uint32_t stages, std::uint64_t mma_steps) {
  Record r;
  r.ctas = {{0, 0, 0}};
  r.warps.resize(2);
  r.warps[1].warp = 1;
  const auto phase = [&](std::uint32_t contributions) {
    r.phases.push_back({"mbarrier", contributions});
    return static_cast<PhaseId>(r.phases.size() - 1);
  };
  std::vector<PhaseId> full, empty;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    full.push_back(phase(2));
    empty.push_back(phase(1));
  }
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const ItemId load = 3 * i + 1, mma = 3 * i + 2, commit = 3 * i + 3;
    auto& producer = r.warps[0].ops;
    if (i >= stages) producer.push_back({Kind::wait_phase, 10, empty[i - stages]});
    producer.push_back({Kind::steps, 11, 2});
    producer.push_back({Kind::arrive, 11, full[i]});
    producer.push_back({Kind::issue, 12, load});
    r.items[load] = {
        "tensor load", Lane::tma, 0, 12, 6400, 0, true, static_cast<int>(i % stages), {},
        {full[i]}};
    auto& consumer = r.warps[1].ops;
    consumer.push_back({Kind::wait_phase, 20, full[i]});
    consumer.push_back({Kind::steps, 21, 1});
    consumer.push_back({Kind::issue, 21, mma});
    consumer.push_back({Kind::issue, 22, commit});
    r.items[mma] = {"matrix instruction",         Lane::mma, 0, 21, 0, 8192 * mma_steps, false,
                    static_cast<int>(i % stages), {},        {}};
    r.items[commit] = {"commit", Lane::none, 0, 22, 0, 0, false, -1, {mma}, {empty[i]}};
  }
  return r;
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_stage_lays_load_and_product_end_to_end) {
  const Times t = times_of(pipeline(4, 1, 50));
  // Each block: 2 instructions, 100 + 200 steps of load, 1 instruction, 50 of product.
  BOOST_TEST(t.end == 4u * 353);
  BOOST_TEST(!t.stuck);
}

BOOST_AUTO_TEST_CASE(two_stages_overlap_and_many_leave_the_copies_alone_busy) {
  const std::uint64_t one = times_of(pipeline(8, 1, 50)).end;
  const std::uint64_t two = times_of(pipeline(8, 2, 50)).end;
  const std::uint64_t many = times_of(pipeline(8, 8, 50)).end;
  BOOST_TEST(two < one);
  BOOST_TEST(many < two);
  // Eight copies of 100 steps one after another, then latency, one instruction and one product.
  BOOST_TEST(many == 2 + 8u * 100 + 200 + 1 + 50);
}

BOOST_AUTO_TEST_CASE(a_wait_names_the_unit_that_came_last) {
  const Times t = times_of(pipeline(2, 1, 50));
  BOOST_TEST_REQUIRE(t.warps[1].size() >= 1u);
  BOOST_TEST(t.warps[1][0].waits);
  BOOST_TEST((t.warps[1][0].cause == Lane::tma));
  BOOST_TEST(t.warps[1][0].line == 20u);
  const auto producer_wait =
      std::find_if(t.warps[0].begin(), t.warps[0].end(), [](const auto& s) { return s.waits; });
  BOOST_TEST_REQUIRE((producer_wait != t.warps[0].end()));
  BOOST_TEST((producer_wait->cause == Lane::mma));
}

BOOST_AUTO_TEST_CASE(items_after_others_start_when_those_end) {
  const Record r = pipeline(3, 3, 500);
  const Times t = times_of(r);
  for (ItemId mma = 2; mma + 3 <= 8; mma += 3) {
    BOOST_TEST(t.items.at(mma + 3).begin >= t.items.at(mma).busy);
    BOOST_TEST(t.items.at(mma + 1).end == t.items.at(mma).end);
  }
}

BOOST_AUTO_TEST_CASE(what_never_comes_is_said) {
  Record r = pipeline(2, 1, 50);
  r.phases[0].contributions = 3;
  const Times t = times_of(r);
  BOOST_TEST(t.stuck);
  BOOST_TEST(t.end >= 302u);
}

BOOST_AUTO_TEST_SUITE_END()
