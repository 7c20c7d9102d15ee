#include "sim/layout/mbarrier.h"

#include <array>
#include <map>
#include <string>
#include <vector>

#include "tests/golden.h"
#include "tests/test.h"

using namespace lc;

namespace {

using Op = MbarrierOp;
using Step = std::array<std::int64_t, 5>;

Step step_of(const Mbarrier& b) {
  return {static_cast<std::int64_t>(b.phase), b.pending, b.tx, wait_parity(b, 0),
          wait_parity(b, 1)};
}

struct Example {
  const char* what;
  std::uint32_t count;
  std::vector<std::pair<Op, std::uint32_t>> ops;
  std::vector<Step> want;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(mbarrier_tests)

BOOST_AUTO_TEST_CASE(equals_every_record_of_the_h200) {
  const auto rows = tests::read_csv("h200/mbarrier.csv");
  BOOST_TEST(rows.size() == 2012u);
  std::map<std::string, Mbarrier> barriers;
  std::map<std::string, std::int64_t> steps;
  const std::map<std::string, Op> kOps = {
      {"arrive", Op::arrive},           {"arrive_nocomplete", Op::arrive},
      {"arrive_drop", Op::arrive_drop}, {"expect_tx", Op::expect_tx},
      {"complete_tx", Op::complete_tx}, {"arrive_expect_tx", Op::arrive_expect_tx}};
  // Records are sorted by step, so sequences advance side by side.
  for (const tests::CsvRow& row : rows) {
    const std::string seq = row.at("seq"), op = row.at("op");
    const auto operand = static_cast<std::uint32_t>(tests::word(row.at("arg")));
    BOOST_TEST_CONTEXT("sequence " << seq << " step " << row.at("step") << " " << op) {
      Mbarrier& b = barriers[seq];
      if (op == "init") {
        BOOST_TEST_REQUIRE(tests::integer(row.at("step")) == 0);
        BOOST_TEST_REQUIRE(check_mbarrier_count(operand).count == 0u);
        b = mbarrier_init(operand);
      } else {
        BOOST_TEST_REQUIRE(tests::integer(row.at("step")) == steps[seq] + 1);
        BOOST_TEST_REQUIRE(!check_mbarrier(b, kOps.at(op), operand).has_error());
        if (op.starts_with("arrive")) {
          const std::uint64_t token = mbarrier_token(b, op == "arrive_nocomplete" ? 1 : operand);
          BOOST_TEST_REQUIRE(token == tests::word(row.at("token")));
          BOOST_TEST_REQUIRE(pending_count(token) == tests::word(row.at("pending")));
          BOOST_TEST_REQUIRE(!wait_token(b, token));
        }
        b = apply(b, kOps.at(op), operand);
      }
      steps[seq] = tests::integer(row.at("step"));
      BOOST_TEST_REQUIRE(wait_parity(b, 0) == (tests::integer(row.at("done_parity0")) != 0));
      BOOST_TEST_REQUIRE(wait_parity(b, 1) == (tests::integer(row.at("done_parity1")) != 0));
    }
  }
}

BOOST_AUTO_TEST_CASE(worked_examples) {
  const Example kExamples[] = {
      {"two tiles on one barrier",
       1,
       {{Op::arrive_expect_tx, 4096}, {Op::complete_tx, 2048}, {Op::complete_tx, 2048}},
       {{0, 0, 4096, 0, 1}, {0, 0, 2048, 0, 1}, {1, 1, 0, 1, 0}}},
      {"data before the expect",
       1,
       {{Op::complete_tx, 2048}, {Op::arrive_expect_tx, 4096}, {Op::complete_tx, 2048}},
       {{0, 1, -2048, 0, 1}, {0, 0, 2048, 0, 1}, {1, 1, 0, 1, 0}}},
      {"expected too little",
       1,
       {{Op::arrive_expect_tx, 2048},
        {Op::complete_tx, 2048},
        {Op::complete_tx, 2048},
        {Op::arrive_expect_tx, 2048}},
       {{0, 0, 2048, 0, 1}, {1, 1, 0, 1, 0}, {1, 1, -2048, 1, 0}, {2, 1, 0, 0, 1}}},
      {"expected too much",
       1,
       {{Op::arrive_expect_tx, 8192}, {Op::complete_tx, 4096}},
       {{0, 0, 8192, 0, 1}, {0, 0, 4096, 0, 1}}},
      {"arrival before the expect",
       1,
       {{Op::arrive, 1}, {Op::expect_tx, 4096}, {Op::complete_tx, 4096}},
       {{1, 1, 0, 1, 0}, {1, 1, 4096, 1, 0}, {1, 1, 0, 1, 0}}},
      {"a participant leaves",
       3,
       {{Op::arrive_drop, 1}, {Op::arrive, 2}, {Op::arrive, 2}, {Op::arrive, 1}},
       {{0, 2, 0, 0, 1}, {1, 2, 0, 1, 0}, {2, 2, 0, 0, 1}, {2, 1, 0, 0, 1}}},
      {"two producers",
       2,
       {{Op::arrive_expect_tx, 1024},
        {Op::complete_tx, 1024},
        {Op::arrive_expect_tx, 512},
        {Op::complete_tx, 512}},
       {{0, 1, 1024, 0, 1}, {0, 1, 0, 0, 1}, {0, 0, 512, 0, 1}, {1, 2, 0, 1, 0}}},
      {"lapped", 1, {{Op::arrive, 1}, {Op::arrive, 1}}, {{1, 1, 0, 1, 0}, {2, 1, 0, 0, 1}}},
      {"all but one of 128",
       128,
       {{Op::arrive, 127}, {Op::arrive, 1}},
       {{0, 1, 0, 0, 1}, {1, 128, 0, 1, 0}}},
      {"the largest transaction",
       1,
       {{Op::arrive_expect_tx, 1048575}, {Op::complete_tx, 1048575}},
       {{0, 0, 1048575, 0, 1}, {1, 1, 0, 1, 0}}},
  };
  for (const Example& e : kExamples) {
    Mbarrier b = mbarrier_init(e.count);
    for (std::size_t i = 0; i < e.ops.size(); ++i) {
      BOOST_TEST_CONTEXT(e.what << ", step " << i) {
        BOOST_TEST(!check_mbarrier(b, e.ops[i].first, e.ops[i].second).has_error());
        b = apply(b, e.ops[i].first, e.ops[i].second);
        BOOST_TEST((step_of(b) == e.want[i]));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_fresh_barrier_answers_true_for_parity_1) {
  BOOST_TEST(wait_parity(mbarrier_init(7), 1));
  BOOST_TEST(!wait_parity(mbarrier_init(7), 0));
}

BOOST_AUTO_TEST_CASE(word_round_trip) {
  const std::int64_t kTx[] = {0, 1, -1, 4096, -4096, 1048575, -1048575};
  const std::uint32_t kCounts[] = {0, 1, 2, 127, 524288, 1048575};
  for (const std::uint64_t phase : {0u, 1u}) {
    for (const std::uint32_t expected : kCounts) {
      for (const std::uint32_t pending : kCounts) {
        for (const std::int64_t tx : kTx) {
          const Mbarrier b{phase, expected, pending, tx};
          BOOST_TEST_REQUIRE((decode_mbarrier(encode(b)) == b));
          BOOST_TEST_REQUIRE((encode(b) & (std::uint64_t{1} << 42 | 1)) == 0u);
        }
      }
    }
  }
  // The fields cover the word once.
  std::uint64_t seen = 0;
  for (const FieldLine& line : mbarrier_lines(0)) {
    BOOST_TEST((seen & line.bits.covered()) == 0u);
    seen |= line.bits.covered();
  }
  BOOST_TEST(seen == ~std::uint64_t{0});
}

BOOST_AUTO_TEST_CASE(any_word_decodes_and_encodes_but_for_the_two_spare_bits) {
  std::uint64_t word = 1;
  for (int i = 0; i < 100'000; ++i) {
    word = word * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t spare = std::uint64_t{1} << 42 | 1;
    BOOST_TEST_REQUIRE(encode(decode_mbarrier(word)) == (word & ~spare));
    BOOST_TEST_REQUIRE((check_mbarrier_word(word).count != 0) == ((word & spare) != 0));
  }
}

BOOST_AUTO_TEST_CASE(a_token_is_good_for_one_phase) {
  Mbarrier b = mbarrier_init(2);
  const std::uint64_t token = mbarrier_token(b, 1);
  b = apply(b, Op::arrive, 1);
  BOOST_TEST(!wait_token(b, token));
  b = apply(b, Op::arrive, 1);
  BOOST_TEST(wait_token(b, token));
  b = apply(b, Op::arrive, 2);
  BOOST_TEST(!wait_token(b, token));  // lapped
}

BOOST_AUTO_TEST_CASE(limits) {
  const auto rule = [](const Findings& found) {
    return found.count == 0 ? std::string() : std::string(found.items[0].rule.id);
  };
  BOOST_TEST(rule(check_mbarrier_count(0)) == "mbarrier.count");
  BOOST_TEST(rule(check_mbarrier_count(1 << 20)) == "mbarrier.count");
  BOOST_TEST(rule(check_mbarrier_count(~std::uint64_t{0})) == "mbarrier.count");
  BOOST_TEST(rule(check_mbarrier_count(1)) == "");
  BOOST_TEST(rule(check_mbarrier_count(kMbarrierLimit)) == "");

  const Mbarrier two = mbarrier_init(2);
  BOOST_TEST(rule(check_mbarrier(two, Op::arrive, 0)) == "mbarrier.arrivals");
  BOOST_TEST(rule(check_mbarrier(two, Op::arrive, 1 << 20)) == "mbarrier.arrivals");
  BOOST_TEST(rule(check_mbarrier(two, Op::arrive, 3)) == "mbarrier.pending-underflow");
  BOOST_TEST(rule(check_mbarrier(two, Op::arrive, 2)) == "");
  BOOST_TEST(rule(check_mbarrier(two, Op::arrive_drop, 3)) == "mbarrier.pending-underflow");
  BOOST_TEST(rule(check_mbarrier(two, Op::arrive_drop, 2)) == "mbarrier.all-dropped");
  BOOST_TEST(rule(check_mbarrier(two, Op::arrive_drop, 1)) == "");
  BOOST_TEST(rule(check_mbarrier(two, Op::expect_tx, kMbarrierLimit)) == "");
  BOOST_TEST(rule(check_mbarrier(two, Op::expect_tx, 1 << 20)) == "mbarrier.tx-range");
  BOOST_TEST(rule(check_mbarrier(two, Op::complete_tx, 0xFFFFFFFF)) == "mbarrier.tx-range");
  BOOST_TEST(rule(check_mbarrier(two, Op::complete_tx, kMbarrierLimit)) == "");
  const Mbarrier waiting = apply(mbarrier_init(1), Op::arrive_expect_tx, 4096);
  BOOST_TEST(rule(check_mbarrier(waiting, Op::arrive, 1)) == "mbarrier.pending-underflow");
  BOOST_TEST(rule(check_mbarrier(waiting, Op::arrive_expect_tx, 0)) ==
             "mbarrier.pending-underflow");
}

BOOST_AUTO_TEST_SUITE_END()
