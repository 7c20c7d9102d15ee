#include "sim/layout/canonical.h"

#include <map>
#include <set>

#include "tests/golden.h"
#include "tests/test.h"

using namespace lc;
using namespace lc::tests;

namespace {

struct CuteTile {
  OperandTile tile;
  std::uint64_t mma_k = 0;
};

CuteTile cute_tile(const CsvRow& row) {
  static const std::map<std::string, Swizzle> kModes = {{"INTER", Swizzle::none},
                                                        {"SW32", Swizzle::b32},
                                                        {"SW64", Swizzle::b64},
                                                        {"SW128", Swizzle::b128},
                                                        {"SW128_32B", Swizzle::b128_32b}};
  CuteTile c;
  c.tile.arch = *value_of<Arch>(row.at("arch"));
  c.tile.element = *value_of<Element>(row.at("type"));
  c.tile.major = row.at("major") == "K" ? Major::k : Major::mn;
  c.tile.swizzle = kModes.at(row.at("swizzle"));
  c.tile.mn = word(row.at("mn"));
  c.tile.k = word(row.at("k"));
  c.tile.start_address = word(row.at("base"));
  c.mma_k = word(row.at("mma_k"));
  return c;
}

/// Bits of the LBO and SBO fields that the slice never uses.
std::uint64_t unused_bits(const OperandTile& t, std::uint64_t mma_k) {
  const SmemDescriptor d = slice_descriptor(t, 0);
  const Findings f = check_operand(t.arch, d, t.major, t.element, t.container, t.mn, mma_k);
  std::uint64_t bits = 0;
  for (const Finding& finding : f) {
    const std::string id = finding.rule.id;
    if (id == "operand.lbo-ignored" || id == "operand.lbo-unused") {
      bits |= smem_field::kLbo.covered();
    }
    if (id == "operand.sbo-unused") bits |= smem_field::kSbo.covered();
  }
  return bits;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(canonical_tests)

BOOST_AUTO_TEST_CASE(descriptors_equal_cute) {
  const std::vector<CsvRow> rows = read_csv("cute-descriptors.csv");
  BOOST_TEST(rows.size() == 59u);
  for (const CsvRow& row : rows) {
    const CuteTile c = cute_tile(row);
    const std::vector<std::string> descs = split(row.at("descs"), ';');
    BOOST_TEST_CONTEXT(row.at("id")) {
      BOOST_TEST(tile_geometry(c.tile).slice_k == c.mma_k);
      BOOST_TEST_REQUIRE(slice_count(c.tile) == descs.size());
      const std::uint64_t counted = ~unused_bits(c.tile, c.mma_k);
      for (std::uint64_t i = 0; i < descs.size(); ++i) {
        const std::uint64_t got = encode_smem_descriptor(c.tile.arch, slice_descriptor(c.tile, i));
        BOOST_TEST((got & counted) == (word(descs[i]) & counted));
      }
      // CuTe also lays out modes that no instruction reads: MN-major tf32 without 128B_32B, and
      // MN-major types other than 16-bit on sm_90.
      const bool excluded = c.tile.major == Major::mn &&
                            (c.tile.arch == Arch::sm_90 ? stored_bits(c.tile.element) != 16
                                                        : c.tile.element == Element::tf32 &&
                                                              c.tile.swizzle != Swizzle::b128_32b);
      BOOST_TEST(check_tile(c.tile).has_error() == excluded);
    }
  }
}

BOOST_AUTO_TEST_CASE(element_maps_equal_cute) {
  for (const CsvRow& row : read_csv("cute-descriptors.csv")) {
    const CuteTile c = cute_tile(row);
    const bool nibbles = row.at("unit") == "nibble";
    BOOST_TEST_CONTEXT(row.at("id")) {
      std::vector<OperandLayout> slices;
      for (const std::string& text : split(row.at("descs"), ';')) {
        const auto d = decode_smem_descriptor(c.tile.arch, word(text));
        slices.push_back(operand_layout(d.fields, c.tile.major, c.tile.element));
      }
      const auto offset = [&](std::uint64_t mn, std::uint64_t k) {
        const std::uint64_t bit = slices[k / c.mma_k].bit_address(mn, k % c.mma_k);
        return static_cast<std::uint32_t>((nibbles ? bit / 4 : bit / 8) -
                                          c.tile.start_address * (nibbles ? 2 : 1));
      };
      Fnv fnv;
      std::set<std::uint32_t> seen;
      for (std::uint64_t mn = 0; mn < c.tile.mn; ++mn) {
        for (std::uint64_t k = 0; k < c.tile.k; ++k) {
          fnv.add(offset(mn, k));
          seen.insert(offset(mn, k));
        }
      }
      BOOST_TEST(fnv.hash == std::stoull(row.at("map_fnv1a64"), nullptr, 16));
      BOOST_TEST(seen.size() == c.tile.mn * c.tile.k);
      for (const std::string& sample : split(row.at("samples"), ';')) {
        const std::vector<std::string> p = split(sample, ':');
        BOOST_TEST(offset(word(p[0]), word(p[1])) == word(p[2]));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(slices_cover_the_footprint_once) {
  for (const Swizzle swizzle : kOperandSwizzles) {
    for (const Major major : {Major::k, Major::mn}) {
      for (const AtomOrder order : {AtomOrder::mn_first, AtomOrder::k_first}) {
        for (const Element element : {Element::e4m3, Element::f16, Element::tf32}) {
          OperandTile t{Arch::sm_100, element, Container::packed, major, swizzle, order};
          const std::uint64_t width = swizzle_row(swizzle).span * 8 / stored_bits(element);
          for (std::uint64_t a = 1; a <= 3; ++a) {
            for (std::uint64_t b = 1; b <= 3; ++b) {
              const std::uint64_t step = 256 / stored_bits(element);
              t.mn = major == Major::k ? 8 * a : width * a;
              t.k = major == Major::k ? width * b : 8 * b;
              if (t.k % step != 0) continue;
              t.start_address = 0x400;
              std::set<std::uint64_t> seen;
              for (std::uint64_t s = 0; s < slice_count(t); ++s) {
                const OperandLayout l = operand_layout(slice_descriptor(t, s), major, element);
                for (std::uint64_t mn = 0; mn < t.mn; ++mn) {
                  for (std::uint64_t k = 0; k < step; ++k) seen.insert(l.address(mn, k));
                }
              }
              BOOST_TEST_REQUIRE(seen.size() == t.mn * t.k);
              const std::uint64_t bytes = tile_geometry(t).footprint;
              BOOST_TEST_REQUIRE(bytes == t.mn * t.k * stored_bits(element) / 8);
              BOOST_TEST_REQUIRE(*seen.begin() == 0x400u);
              BOOST_TEST_REQUIRE(*seen.rbegin() < 0x400 + bytes);
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(two_atoms_of_64B_per_band) {
  // BK = 64 kept in SW64: SBO 1024 in either arrangement of the text, slices +0 +32 +512 +544.
  OperandTile t{Arch::sm_100, Element::f16, Container::packed,
                Major::k,     Swizzle::b64, AtomOrder::k_first};
  t.mn = 128, t.k = 64, t.start_address = 0x400;
  constexpr std::uint64_t kWant[] = {0x8000404000010040, 0x8000404000010042, 0x8000404000010060,
                                     0x8000404000010062};
  BOOST_TEST_REQUIRE(slice_count(t) == 4u);
  for (std::uint64_t i = 0; i < 4; ++i) {
    BOOST_TEST(encode_smem_descriptor(t.arch, slice_descriptor(t, i)) == kWant[i]);
  }
}

BOOST_AUTO_TEST_CASE(rules_are_found_where_broken_and_only_there) {
  struct Case {
    const char* what;
    OperandTile tile;
    const char* rule;  ///< nullptr: nothing above a note
  };
  const auto tile = [](Element e, Major m, Swizzle s, std::uint64_t mn, std::uint64_t k,
                       std::uint64_t start, Arch arch = Arch::sm_100) {
    OperandTile t{arch, e, Container::packed, m, s};
    t.mn = mn, t.k = k, t.start_address = start;
    return t;
  };
  const Case cases[] = {
      {"legal", tile(Element::f16, Major::k, Swizzle::b128, 128, 64, 0x400), nullptr},
      {"rows", tile(Element::f16, Major::k, Swizzle::b128, 100, 64, 0x400),
       "operand.mn-not-8-rows"},
      {"k step", tile(Element::f16, Major::k, Swizzle::none, 64, 24, 0x400),
       "operand.k-not-instruction-k"},
      {"half atom", tile(Element::f16, Major::k, Swizzle::b128, 64, 32, 0x400),
       "operand.partial-atom"},
      {"off atom", tile(Element::f16, Major::k, Swizzle::b128, 64, 64, 0x480),
       "operand.start-off-atom"},
      {"off atom without swizzle", tile(Element::f16, Major::k, Swizzle::none, 64, 64, 0x480),
       nullptr},
      {"too big", tile(Element::f16, Major::k, Swizzle::b128, 2048, 64, 0x400),
       "operand.past-window"},
      {"tf32 MN", tile(Element::tf32, Major::mn, Swizzle::b128, 64, 32, 0x400),
       "operand.tf32-mn-major"},
      {"tf32 MN 32B atoms", tile(Element::tf32, Major::mn, Swizzle::b128_32b, 64, 32, 0x400),
       nullptr},
      {"8-bit MN on Hopper",
       tile(Element::e4m3, Major::mn, Swizzle::b128, 128, 32, 0x400, Arch::sm_90),
       "operand.mn-major-16-bit-only"},
      {"8-bit MN on Blackwell", tile(Element::e4m3, Major::mn, Swizzle::b128, 128, 32, 0x400),
       nullptr},
      {"packed MN", tile(Element::e2m1, Major::mn, Swizzle::b128, 256, 64, 0x400),
       "operand.packed-mn-major"},
      {"packed K", tile(Element::e2m1, Major::k, Swizzle::b128, 128, 256, 0x400), nullptr},
  };
  for (const Case& c : cases) {
    BOOST_TEST_CONTEXT(c.what) {
      bool found = false;
      for (const Finding& f : check_tile(c.tile)) {
        if (c.rule == nullptr) BOOST_TEST((f.rule.severity == Severity::note), f.rule.id);
        found = found || (c.rule != nullptr && std::string(f.rule.id) == c.rule);
      }
      BOOST_TEST(found == (c.rule != nullptr));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
