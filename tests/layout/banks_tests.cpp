#include "sim/layout/banks.h"

#include <map>
#include <set>
#include <string>

#include "sim/layout/bank_patterns.h"
#include "tests/golden.h"
#include "tests/test.h"

using namespace lc;

namespace {

BankAccess access_of(BankOp op, std::uint32_t width, std::uint32_t num = 1) {
  BankAccess a;
  a.op = op;
  a.width = is_matrix(op) ? 16 : width;
  a.num = num;
  return a;
}

/// `ld128`, `stmatrix_x4_trans`, `atom_add32` ...
BankAccess access_named(const std::string& name) {
  if (name == "atom_add32") return access_of(BankOp::atom, 4);
  if (name == "red_add32") return access_of(BankOp::red, 4);
  const bool load = name.starts_with("ld");
  if (name.substr(2, 6) == "matrix") {
    const auto num = static_cast<std::uint32_t>(name[name.find("_x") + 2] - '0');
    return access_of(load ? BankOp::ldmatrix : BankOp::stmatrix, 16, num);
  }
  const auto bits = static_cast<std::uint32_t>(std::stoul(name.substr(2)));
  return access_of(load ? BankOp::ld : BankOp::st, bits / 8);
}

template <class Address>
BankReport report(BankAccess access, Address address, std::uint32_t active = 0xFFFFFFFF) {
  access.active = active;
  for (std::uint32_t lane = 0; lane < 32; ++lane) access.address[lane] = address(lane);
  return bank_report(access);
}

std::uint32_t strided(BankOp op, std::uint32_t width, std::uint32_t bytes) {
  return report(access_of(op, width), [=](std::uint32_t l) { return 1024 + l * bytes; }).wavefronts;
}

/// The rules as sets of words, with the groups written out.
std::uint32_t wavefronts_by_sets(const BankAccess& a) {
  const auto equal_in_pairs = [&](std::uint32_t x) {
    for (std::uint32_t l = 0; l < 32; ++l) {
      if (a.is_active(l) && a.is_active(l ^ x) && a.address[l] != a.address[l ^ x]) return false;
    }
    return true;
  };
  std::uint32_t size = a.width == 16 ? 8 : a.width == 8 ? 16 : 32, end = 32;
  if (a.op == BankOp::ld && size < 32 && (equal_in_pairs(1) || equal_in_pairs(2))) size *= 2;
  if (is_matrix(a.op)) size = 8, end = 8 * a.num;
  std::uint32_t total = 0;
  for (std::uint32_t from = 0; from < end; from += size) {
    std::map<std::uint32_t, std::multiset<std::uint32_t>> words;
    for (std::uint32_t l = from; l < from + size; ++l) {
      if (!a.is_active(l)) continue;
      for (std::uint32_t byte = 0; byte < a.width; byte += 4) {
        const std::uint32_t word = (a.address[l] + byte) / 4;
        auto& bank = words[word % 32];
        if (a.op == BankOp::atom || bank.count(word) == 0) bank.insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, set] : words) most = std::max(most, set.size());
    total += static_cast<std::uint32_t>(most);
  }
  return total;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(banks_tests)

BOOST_AUTO_TEST_CASE(equals_every_record_of_the_h200) {
  const auto rows = tests::read_csv("h200/bank.csv");
  BOOST_TEST(rows.size() == 1336u);
  for (const tests::CsvRow& row : rows) {
    BankAccess access = access_named(row.at("op"));
    access.active = static_cast<std::uint32_t>(tests::word(row.at("mask")));
    for (std::size_t lane = 0; lane < 32; ++lane) {
      access.address[lane] =
          1024 + static_cast<std::uint32_t>(tests::word(row.at("a" + std::to_string(lane))));
    }
    const BankReport got = bank_report(access);
    BOOST_TEST_CONTEXT("record " << row.at("id") << " " << row.at("op")) {
      BOOST_TEST_REQUIRE(got.wavefronts == tests::word(row.at("wavefronts")));
      BOOST_TEST_REQUIRE(got.conflicts() == tests::word(row.at("conflicts")));
      BOOST_TEST_REQUIRE(!check_bank_access(access).has_error());
    }
  }
}

BOOST_AUTO_TEST_CASE(equals_the_rules_written_with_sets) {
  std::uint32_t seed = 1;
  const auto next = [&](std::uint32_t below) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
  };
  const BankOp kOps[] = {BankOp::ld,   BankOp::st,  BankOp::ldmatrix, BankOp::stmatrix,
                         BankOp::atom, BankOp::red, BankOp::cp_async};
  for (int i = 0; i < 20'000; ++i) {
    BankAccess a = access_of(kOps[next(7)], 1u << next(5), 1u << next(3));
    if (a.op == BankOp::atom || a.op == BankOp::red) a.width = 4;
    const std::uint32_t spread = 1u << next(10), base = next(64) * a.width;
    for (std::uint32_t& address : a.address) address = base + next(spread) * a.width;
    // Make pairs agree now and then, and switch lanes off.
    const std::uint32_t pair = next(4);
    for (std::uint32_t l = 0; l < 32; ++l) {
      if (pair == 1 || pair == 2) a.address[l] = a.address[l & ~pair];
    }
    if (next(2) == 0) a.active = seed ^ (seed << 16);
    const BankReport got = bank_report(a);
    BOOST_TEST_REQUIRE(got.wavefronts == wavefronts_by_sets(a));
    BOOST_TEST_REQUIRE(got.ideal <= got.group_count);
    BOOST_TEST_REQUIRE(got.wavefronts >= got.ideal);
  }
}

BOOST_AUTO_TEST_CASE(strides) {
  const std::pair<std::uint32_t, std::uint32_t> k32[] = {{0, 1}, {1, 1},   {2, 2},   {3, 1}, {4, 4},
                                                         {8, 8}, {16, 16}, {32, 32}, {33, 1}};
  for (const auto& [stride, want] : k32) BOOST_TEST(strided(BankOp::ld, 4, stride * 4) == want);
  const std::pair<std::uint32_t, std::uint32_t> k64[] = {{1, 2}, {2, 4},  {3, 2},
                                                         {4, 8}, {8, 16}, {16, 32}};
  for (const auto& [stride, want] : k64) {
    BOOST_TEST(strided(BankOp::ld, 8, stride * 8) == want);
    BOOST_TEST(strided(BankOp::st, 8, stride * 8) == want);
  }
  const std::pair<std::uint32_t, std::uint32_t> k128[] = {{1, 4},  {2, 8},  {3, 4},
                                                          {4, 16}, {8, 32}, {16, 32}};
  for (const auto& [stride, want] : k128) {
    BOOST_TEST(strided(BankOp::ld, 16, stride * 16) == want);
    BOOST_TEST(strided(BankOp::st, 16, stride * 16) == want);
  }
  BOOST_TEST(strided(BankOp::ld, 1, 1) == 1u);
  BOOST_TEST(strided(BankOp::ld, 1, 4) == 1u);
  BOOST_TEST(strided(BankOp::ld, 1, 5) == 2u);
  BOOST_TEST(strided(BankOp::ld, 2, 2) == 1u);
  BOOST_TEST(strided(BankOp::ld, 2, 8) == 2u);
}

BOOST_AUTO_TEST_CASE(loads_merge_where_lanes_agree_in_pairs_and_stores_do_not) {
  BOOST_TEST(strided(BankOp::ld, 8, 0) == 1u);
  BOOST_TEST(strided(BankOp::st, 8, 0) == 2u);
  BOOST_TEST(strided(BankOp::ld, 16, 0) == 2u);
  BOOST_TEST(strided(BankOp::st, 16, 0) == 4u);
  const auto ld = [](std::uint32_t width, auto address) {
    return report(access_of(BankOp::ld, width), address);
  };
  BOOST_TEST(ld(16, [](std::uint32_t l) { return l % 4 * 16; }).wavefronts == 4u);
  BOOST_TEST(ld(16, [](std::uint32_t l) { return l / 2 * 16; }).wavefronts == 2u);
  BOOST_TEST(ld(8, [](std::uint32_t l) { return l % 16 * 8; }).wavefronts == 2u);
  BOOST_TEST(ld(8, [](std::uint32_t l) { return l / 2 * 8; }).wavefronts == 1u);
  BOOST_TEST(ld(4, [](std::uint32_t l) { return l / 2 * 4; }).wavefronts == 1u);
  const BankReport two = ld(8, [](std::uint32_t l) { return (l / 4 * 2 + l % 2) * 8; });
  BOOST_TEST(two.merged_over == 2u);
  BOOST_TEST(two.wavefronts == 1u);
  BOOST_TEST(two.ideal == 1u);
}

BOOST_AUTO_TEST_CASE(inactive_lanes_cost_nothing) {
  const auto far = [](std::uint32_t l) { return l * 128; };
  const BankReport quarter = report(access_of(BankOp::ld, 16), far, 0xFF);
  BOOST_TEST(quarter.wavefronts == 8u);
  BOOST_TEST(quarter.ideal == 1u);
  const BankReport none = report(access_of(BankOp::ld, 16), far, 0);
  BOOST_TEST(none.wavefronts == 0u);
  BOOST_TEST(none.conflicts() == 0u);
}

BOOST_AUTO_TEST_CASE(one_word_for_all) {
  const auto same = [](std::uint32_t) { return 1024u; };
  BOOST_TEST(report(access_of(BankOp::ld, 4), same).wavefronts == 1u);
  BOOST_TEST(report(access_of(BankOp::red, 4), same).wavefronts == 1u);
  BOOST_TEST(report(access_of(BankOp::atom, 4), same).wavefronts == 32u);
}

BOOST_AUTO_TEST_CASE(collisions_name_bank_and_lanes) {
  // Lanes 0..15 walk rows of 64 bytes: lanes l and l + 2 meet in the same banks.
  const BankReport got = report(
      access_of(BankOp::ld, 4), [](std::uint32_t l) { return l * 64; }, 0xFFFF);
  const BankLoad& load = got.groups[0];
  BOOST_TEST(load.lanes[0] == 0x5555u);
  BOOST_TEST(load.lanes[16] == 0xAAAAu);
  BOOST_TEST(load.demand[0] == 8u);
  BOOST_TEST(load.lanes[1] == 0u);
  BOOST_TEST(got.wavefronts == 8u);
}

BOOST_AUTO_TEST_CASE(matrix_loads_of_8_rows) {
  const auto x4 = [](auto address) {
    return report(access_of(BankOp::ldmatrix, 16, 4), address).wavefronts;
  };
  const auto row_cell = [](Swizzle s) {
    return [s](std::uint32_t l) {
      return static_cast<std::uint32_t>(swizzled(s, 1024 + l % 8 * 128 + l / 8 * 16));
    };
  };
  BOOST_TEST(x4(row_cell(Swizzle::none)) == 32u);
  BOOST_TEST(x4(row_cell(Swizzle::b128)) == 4u);
  for (const Swizzle s : {Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
    const std::uint32_t span = swizzle_row(s).span;
    const auto column = [=](std::uint32_t l) {
      return static_cast<std::uint32_t>(swizzled(s, 1024 + l * span));
    };
    BOOST_TEST(x4(column) == 4u);
  }
}

BOOST_AUTO_TEST_CASE(patterns_of_rows) {
  RowPattern p;
  p.base = 1024;
  BOOST_TEST(bank_report(with_rows(access_of(BankOp::ld, 2), p)).wavefronts == 32u);
  p.swizzle = Swizzle::b128;
  BOOST_TEST(bank_report(with_rows(access_of(BankOp::ld, 2), p)).wavefronts == 4u);
  // A warp stores 8 rows of 64 bytes, four lanes to a row: the swizzle costs nothing.
  for (const Swizzle s : {Swizzle::none, Swizzle::b64}) {
    const RowPattern rows{1024, 64, 0, 8, 4, false, s};
    const BankReport got = bank_report(with_rows(access_of(BankOp::st, 16), rows));
    BOOST_TEST(got.wavefronts == 4u);
    BOOST_TEST(got.conflicts() == 0u);
  }
  // ldmatrix.x4 over 8 rows and 4 chunks, rows first.
  const RowPattern matrix{1024, 128, 0, 8, 4, true, Swizzle::b128};
  BOOST_TEST(bank_report(with_rows(access_of(BankOp::ldmatrix, 16, 4), matrix)).wavefronts == 4u);
  BOOST_TEST(with_rows(access_of(BankOp::ld, 4), {0, 128, 0, 5}).active == 0x1Fu);
}

BOOST_AUTO_TEST_CASE(verdicts_name_the_swizzle_that_does_not_collide) {
  const auto conflicts = [](std::uint32_t pitch) {
    RowPattern p{1024, pitch, 0, 8};
    std::array<std::uint32_t, 4> counts{};
    const auto verdicts = swizzle_verdicts(with_rows(access_of(BankOp::ldmatrix, 16), p), pitch);
    for (std::size_t i = 0; i < 4; ++i) counts[i] = verdicts[i].conflicts;
    BOOST_TEST(verdicts[3].row_fits_span == (pitch == 128));
    return counts;
  };
  using Counts = std::array<std::uint32_t, 4>;  // none, 32B, 64B, 128B
  BOOST_TEST((conflicts(16) == Counts{0, 0, 0, 0}));
  BOOST_TEST((conflicts(32) == Counts{1, 0, 0, 0}));
  BOOST_TEST((conflicts(64) == Counts{3, 1, 0, 0}));
  BOOST_TEST((conflicts(128) == Counts{7, 3, 1, 0}));
  BOOST_TEST((conflicts(144) == Counts{0, 0, 0, 0}) == false);
  BOOST_TEST(conflicts(144)[0] == 0u);
  BOOST_TEST((conflicts(256) == Counts{7, 7, 3, 1}));
}

BOOST_AUTO_TEST_CASE(sectors_of_a_column_of_eight_rows) {
  struct Case {
    std::uint32_t pitch, chunk;
    Swizzle mode;
    std::array<std::uint32_t, 8> sectors;
    std::uint32_t passes;
  };
  const Case kCases[] = {
      {16, 0, Swizzle::none, {0, 1, 2, 3, 4, 5, 6, 7}, 1},
      {32, 0, Swizzle::none, {0, 2, 4, 6, 0, 2, 4, 6}, 2},
      {32, 0, Swizzle::b32, {0, 2, 4, 6, 1, 3, 5, 7}, 1},
      {64, 0, Swizzle::none, {0, 4, 0, 4, 0, 4, 0, 4}, 4},
      {64, 0, Swizzle::b64, {0, 4, 1, 5, 2, 6, 3, 7}, 1},
      {128, 0, Swizzle::none, {0, 0, 0, 0, 0, 0, 0, 0}, 8},
      {128, 0, Swizzle::b128, {0, 1, 2, 3, 4, 5, 6, 7}, 1},
      {144, 0, Swizzle::none, {0, 1, 2, 3, 4, 5, 6, 7}, 1},
      // Rows of 256 bytes kept whole (a box the hardware refuses): half of the sectors, twice.
      {256, 0, Swizzle::b128, {0, 2, 4, 6, 0, 2, 4, 6}, 2},
      {256, 3, Swizzle::b128, {3, 1, 7, 5, 3, 1, 7, 5}, 2},
      {256, 8, Swizzle::b128, {1, 3, 5, 7, 1, 3, 5, 7}, 2},
      {256, 15, Swizzle::b128, {6, 4, 2, 0, 6, 4, 2, 0}, 2},
      // The same columns in two panels of 128-byte rows: all sectors once.
      {128, 3, Swizzle::b128, {3, 2, 1, 0, 7, 6, 5, 4}, 1},
      {128, 7, Swizzle::b128, {7, 6, 5, 4, 3, 2, 1, 0}, 1},
  };
  for (const Case& c : kCases) {
    const auto cells = core_matrix_cells(1024, c.pitch, c.chunk, c.mode);
    for (std::size_t r = 0; r < 8; ++r) BOOST_TEST(bank_sector(cells[r]) == c.sectors[r]);
    BOOST_TEST(core_matrix_passes(cells) == c.passes);
  }
}

BOOST_AUTO_TEST_CASE(canonical_layouts_are_free_at_every_128_byte_phase) {
  for (const Swizzle s : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
    const std::uint32_t span = swizzle_row(s).span;
    for (std::uint32_t phase = 0; phase < 8; ++phase) {
      for (std::uint32_t chunk = 0; chunk < span / 16; ++chunk) {
        BOOST_TEST(core_matrix_passes(core_matrix_cells(phase * 128, span, chunk, s)) == 1u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rules) {
  const auto first_rule = [](const BankAccess& a) {
    const Findings found = check_bank_access(a);
    return found.count == 0 ? std::string() : std::string(found.items[0].rule.id);
  };
  BOOST_TEST(first_rule(access_of(BankOp::ld, 16)) == "");
  BankAccess odd = access_of(BankOp::ld, 4);
  odd.address[5] = 1026;
  BOOST_TEST(first_rule(odd) == "banks.misaligned");
  BOOST_TEST(check_bank_access(odd).items[0].index == 5);
  odd.active = ~(1u << 5);
  BOOST_TEST(first_rule(odd) == "");
  BankAccess matrix = access_of(BankOp::ldmatrix, 16, 2);
  matrix.address[15] = 1032;
  BOOST_TEST(first_rule(matrix) == "banks.misaligned");
  matrix.active = 0x7FFF;
  BOOST_TEST(first_rule(matrix) == "banks.no-row-address");
  matrix.active = 0xFFFF, matrix.address[15] = 0, matrix.address[16] = 1;
  BOOST_TEST(first_rule(matrix) == "");
  BOOST_TEST(first_rule(access_of(BankOp::atom, 1)) == "banks.atomic-byte");
  BOOST_TEST(first_rule(access_of(BankOp::red, 8)) == "banks.atomic-unmeasured");
  BOOST_TEST(first_rule(access_of(BankOp::red, 4)) == "");
  BOOST_TEST(first_rule(access_of(BankOp::cp_async, 16)) == "banks.cp-async-unmeasured");
  BOOST_TEST(first_rule(access_of(BankOp::cp_async, 2)) == "banks.cp-async-width");
  BankAccess none = access_of(BankOp::st, 4);
  none.active = 0;
  BOOST_TEST(first_rule(none) == "banks.no-lane");
}

BOOST_AUTO_TEST_CASE(the_end_of_the_address_space_does_not_wrap) {
  BankAccess a = access_of(BankOp::ld, 16);
  a.address.fill(0xFFFFFFFF);
  BOOST_TEST(bank_report(a).wavefronts == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
