#include "sim/layout/im2col.h"

#include <set>
#include <string>

#include "tests/layout/tensor_map_golden.h"
#include "tests/test.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(im2col_tests)

namespace {

Im2colMap plain_map() {
  Im2colMap map;
  map.tensor.data_type = DataType::f16;
  map.tensor.rank = 4;
  map.tensor.global_address = 0x10000000;
  map.tensor.global_dim = {64, 14, 9, 8, 1};
  map.tensor.global_stride = {128, 1792, 16128, 0};
  map.tensor.swizzle = Swizzle::b128;
  map.lower[0] = map.lower[1] = -1;
  map.upper[0] = map.upper[1] = -1;
  map.channels_per_pixel = 64;
  map.pixels_per_column = 32;
  return map;
}

Im2colMap captured_map(const golden::Row& row) {
  Im2colMap map;
  map.tensor = golden::tensor_map(row, row.unsigned_number("addr"));
  map.wide = row.has("lo");
  for (int i = 0; i < kMaxSpatial; ++i) {
    if (map.wide && i > 0) break;
    map.lower[i] = row.number(map.wide ? "lo" : golden::indexed("lo", i));
    map.upper[i] = row.number(map.wide ? "hi" : golden::indexed("hi", i));
  }
  map.wide_128 = map.wide && row.number("mode") == 1;
  map.channels_per_pixel = row.unsigned_number("channels");
  map.pixels_per_column = row.unsigned_number("pixels");
  return map;
}

bool broken(const Im2colMap& map, Im2colRule key, Arch arch) {
  for (const Finding& finding : check_im2col_map(map, arch)) {
    if (std::string(finding.rule.id) == rule_of(key).id) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(agrees_with_every_call_and_every_byte_captured_on_an_h200) {
  for (const char* name : {"h200/tmap_im2col", "h200/tmap_wide"}) {
    const golden::Table table = golden::load(name);
    std::size_t accepted = 0;
    golden::for_each_row(table, [&](const golden::Row& row) {
      BOOST_TEST_CONTEXT(name << " record " << row.id()) {
        const Im2colMap map = captured_map(row);
        BOOST_TEST_REQUIRE(is_accepted(map, Arch::sm_90) == (row.number("result") == 0));
        if (row.number("result") != 0) return;
        ++accepted;
        const TensorMapWords words = encode_im2col_map(map);
        TensorMapWords captured;
        for (std::size_t i = 0; i < 128; ++i) captured.set_byte(i, row.piece()[i]);
        BOOST_TEST_REQUIRE((words == captured));
        const DecodedIm2colMap decoded = decode_im2col_map(captured);
        BOOST_TEST_REQUIRE(decoded.findings.count == 0u);
        BOOST_TEST_REQUIRE((encode_im2col_map(decoded.map) == captured));
        BOOST_TEST_REQUIRE(decoded.map.lower[0] == map.lower[0]);
        BOOST_TEST_REQUIRE(decoded.map.channels_per_pixel == map.channels_per_pixel);
        BOOST_TEST_REQUIRE(decoded.map.pixels_per_column == map.pixels_per_column);
      }
    });
    BOOST_TEST(table.rows.size() == (std::string(name) == "h200/tmap_wide" ? 189u : 1350u));
    BOOST_TEST(accepted == (std::string(name) == "h200/tmap_wide" ? 66u : 684u));
  }
}

BOOST_AUTO_TEST_CASE(each_rule_is_broken_by_one_change_and_kept_by_its_neighbour) {
  struct Case {
    Im2colRule rule;
    Arch arch;
    void (*break_it)(Im2colMap&);
    void (*keep_it)(Im2colMap&);
  };
  constexpr Arch kHopper = Arch::sm_90, kBlackwell = Arch::sm_100;
  static constexpr Case kCases[] = {
      {Im2colRule::lower_range, kHopper, [](Im2colMap& m) { m.lower[0] = -129; },
       [](Im2colMap& m) { m.lower[0] = -128; }},
      {Im2colRule::upper_range, kHopper, [](Im2colMap& m) { m.upper[1] = 128; },
       [](Im2colMap& m) { m.upper[1] = 127; }},
      {Im2colRule::box_empty, kHopper, [](Im2colMap& m) { m.upper[0] = -15; },
       [](Im2colMap& m) { m.upper[0] = -14; }},
      // With interleave the box is judged against dimensions 0 and 1.
      {Im2colRule::box_empty, kHopper,
       [](Im2colMap& m) { m.tensor.interleave = Interleave::b16, m.upper[1] = -15; },
       [](Im2colMap& m) { m.tensor.interleave = Interleave::b16, m.upper[0] = -15; }},
      {Im2colRule::channels_range, kHopper, [](Im2colMap& m) { m.channels_per_pixel = 0; },
       [](Im2colMap& m) { m.channels_per_pixel = 8; }},
      {Im2colRule::channels_range, kHopper,
       [](Im2colMap& m) { m.channels_per_pixel = 264, m.tensor.swizzle = Swizzle::none; },
       [](Im2colMap& m) { m.channels_per_pixel = 256, m.tensor.swizzle = Swizzle::none; }},
      {Im2colRule::channels_padded, kBlackwell,
       [](Im2colMap& m) {
         m.tensor.data_type = DataType::u6x16_align16b, m.tensor.global_dim[0] = 128;
       },
       [](Im2colMap& m) {
         m.tensor.data_type = DataType::u6x16_align16b, m.tensor.global_dim[0] = 128,
         m.channels_per_pixel = 128;
       }},
      {Im2colRule::channels_bytes, kHopper, [](Im2colMap& m) { m.channels_per_pixel = 12; },
       [](Im2colMap& m) { m.channels_per_pixel = 16; }},
      {Im2colRule::channels_span, kHopper, [](Im2colMap& m) { m.channels_per_pixel = 72; },
       [](Im2colMap& m) { m.channels_per_pixel = 72, m.tensor.interleave = Interleave::b16; }},
      {Im2colRule::pixels_range, kHopper, [](Im2colMap& m) { m.pixels_per_column = 1025; },
       [](Im2colMap& m) { m.pixels_per_column = 1024; }},
      {Im2colRule::pixels_range, kBlackwell,
       [](Im2colMap& m) { m.pixels_per_column = 0, m.wide = true; },
       [](Im2colMap& m) { m.pixels_per_column = 0, m.wide = m.wide_128 = true; }},
      {Im2colRule::size, kHopper,
       [](Im2colMap& m) {
         m.tensor.swizzle = Swizzle::none, m.channels_per_pixel = 256, m.pixels_per_column = 457;
       },
       [](Im2colMap& m) {
         m.tensor.swizzle = Swizzle::none, m.channels_per_pixel = 256, m.pixels_per_column = 456;
       }},
      {Im2colRule::wide_arch, kHopper, [](Im2colMap& m) { m.wide = true; }, [](Im2colMap&) {}},
      {Im2colRule::wide_swizzle, kBlackwell,
       [](Im2colMap& m) { m.wide = true, m.tensor.swizzle = Swizzle::none; },
       [](Im2colMap& m) { m.wide = true; }},
      {Im2colRule::wide_swizzle_sources_differ, kBlackwell,
       [](Im2colMap& m) { m.wide = true, m.tensor.swizzle = Swizzle::b128_64b; },
       [](Im2colMap& m) { m.wide = true, m.tensor.swizzle = Swizzle::b128_32b; }},
      {Im2colRule::wide_interleave, kBlackwell,
       [](Im2colMap& m) { m.wide = true, m.tensor.interleave = Interleave::b16; },
       [](Im2colMap& m) { m.tensor.interleave = Interleave::b16; }},
  };
  std::set<Im2colRule> seen;
  for (const Case& c : kCases) {
    Im2colMap bad = plain_map(), good = plain_map();
    c.break_it(bad);
    c.keep_it(good);
    BOOST_TEST_CONTEXT(rule_of(c.rule).id) {
      BOOST_TEST(broken(bad, c.rule, c.arch));
      BOOST_TEST(is_accepted(bad, c.arch) == (rule_of(c.rule).severity != Severity::error));
      BOOST_TEST(is_accepted(good, c.arch));
      BOOST_TEST(!broken(good, c.rule, c.arch));
    }
    seen.insert(c.rule);
  }
  BOOST_TEST(seen.size() == std::size(kIm2colRules));
  int i = 0;
  for (const Im2colRuleRow& row : kIm2colRules) BOOST_TEST((static_cast<int>(row.key) == i++));
}

BOOST_AUTO_TEST_CASE(wide_corners_have_16_bits_on_sm_100_only) {
  Im2colMap map = plain_map();
  map.wide = true;
  map.lower[0] = -32768;
  BOOST_TEST(is_accepted(map, Arch::sm_100));
  BOOST_TEST(!is_accepted(map, Arch::sm_90));
}

BOOST_AUTO_TEST_CASE(ranks_without_pixels_are_refused) {
  for (const int rank : {-1, 0, 1, 2, 6, 100}) {
    Im2colMap map = plain_map();
    map.tensor.rank = rank;
    BOOST_TEST(!is_accepted(map, Arch::sm_90));
  }
}

BOOST_AUTO_TEST_CASE(hostile_numbers_are_findings) {
  Im2colMap map = plain_map();
  map.lower[0] = -(std::int64_t{1} << 62) * 2;
  map.upper[0] = ~(std::int64_t{1} << 63);
  map.channels_per_pixel = map.pixels_per_column = ~std::uint64_t{0};
  for (auto& dim : map.tensor.global_dim.at) dim = ~std::uint64_t{0};
  BOOST_TEST(!is_accepted(map, Arch::sm_90));
  TensorMapWords ones;
  for (auto& word : ones.word) word = ~std::uint64_t{0};
  BOOST_TEST(decode_im2col_map(ones).findings.has_error());
  BOOST_TEST(decode_im2col_map(TensorMapWords{}).findings.has_error());
}

BOOST_AUTO_TEST_SUITE_END()
