#include "sim/layout/match.h"

#include <random>

#include "sim/layout/canonical.h"
#include "sim/layout/match_fix.h"
#include "sim/layout/tile_box.h"
#include "tests/test.h"

using namespace lc;

namespace {

/// A question that matches: K slice `slice` of a tile, read from its own box.
MatchQuestion good(const OperandTile& t, std::uint64_t slice = 0) {
  MatchQuestion q;
  q.map = tile_boxes(t, 0x10000000).map;
  q.smem_address = t.start_address;
  q.descriptor = slice_descriptor(t, slice);
  q.major = t.major;
  q.element = t.element;
  q.mn = t.mn;
  q.k = tile_geometry(t).slice_k;
  const bool k_major = t.major == Major::k;
  OperandAxis rows, contiguous;
  rows.dimension[0] = 1;
  contiguous.count = q.map.rank > 2 ? 2 : 1;
  contiguous.dimension[1] = 2;
  q.mn_axis = k_major ? rows : contiguous;
  q.k_axis = k_major ? contiguous : rows;
  const auto first = static_cast<std::int64_t>(slice * q.k);
  q.origin[k_major ? 0 : 1] = first;
  return q;
}

OperandTile tile(Major major, Swizzle swizzle, std::uint64_t mn, std::uint64_t k,
                 std::uint64_t start = 0x400) {
  // Panel after panel: the boxes have at most three dimensions.
  const AtomOrder order = major == Major::k ? AtomOrder::mn_first : AtomOrder::k_first;
  OperandTile t{Arch::sm_90, Element::bf16, Container::packed, major, swizzle, order};
  t.mn = mn, t.k = k, t.start_address = start;
  return t;
}

bool fixes_with(Arch arch, const MatchQuestion& q, MatchFixKind kind, const MatchQuestion& want) {
  const MatchFixes fixes = match_fixes(arch, q);
  for (std::size_t i = 0; i < fixes.count; ++i) {
    if (fixes.items[i].kind != kind) continue;
    return fixes.items[i].question.descriptor == want.descriptor &&
           fixes.items[i].question.map.swizzle == want.map.swizzle;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(match_tests)

BOOST_AUTO_TEST_CASE(equals_a_comparison_of_addresses) {
  // The second formulation: walk the box forwards, note which shared byte holds which tensor
  // element, and look every operand element up.
  for (const Swizzle box_swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
    for (const Swizzle operand_swizzle :
         {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
      for (const std::uint64_t start : {0x400u, 0x480u, 0x700u}) {
        OperandTile t = tile(Major::k, box_swizzle, 32, swizzle_row(box_swizzle).span / 2, start);
        if (t.k < 16) t.k = 16;
        MatchQuestion q = good(t);
        q.descriptor.swizzle = operand_swizzle;
        const Matcher m(q);
        std::map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> held;
        for (TmaRowCursor at(m.box()); !at.done(); at.next()) {
          for (std::uint32_t byte = 0; byte < m.box().inner_bytes; byte += 2) {
            // Rank 3 splits the columns: dimension 2 counts panels.
            std::int64_t column = byte / 2;
            if (q.map.rank == 3) {
              column += at.at(1) * static_cast<std::int64_t>(q.map.box_dim[0]);
            }
            held[(at.row().linear + byte) ^ at.row().swizzle_mask] = {at.at(0), column};
          }
        }
        const OperandLayout l = operand_layout(q.descriptor, Major::k, Element::bf16);
        bool same = true;
        for (std::uint64_t mn = 0; mn < q.mn; ++mn) {
          for (std::uint64_t k = 0; k < q.k; ++k) {
            const auto it = held.find(l.address(mn, k));
            const bool here =
                it != held.end() && it->second == std::pair(static_cast<std::int64_t>(mn),
                                                            static_cast<std::int64_t>(k));
            BOOST_TEST_REQUIRE(here == m.agrees(mn, k));
            same = same && here;
          }
        }
        BOOST_TEST_REQUIRE(same == !m.first_difference().has_value());
        BOOST_TEST_REQUIRE(same == m.all_agree());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_single_wrong_field_is_named) {
  for (const Major major : {Major::k, Major::mn}) {
    for (const Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
      const std::uint64_t wide = 2 * swizzle_row(swizzle).span / 2;  // two atoms, in elements
      const OperandTile t = major == Major::k
                                ? tile(major, swizzle, 64, std::max<std::uint64_t>(wide, 16))
                                : tile(major, swizzle, wide, 64);
      const MatchQuestion q = good(t, 0);
      BOOST_TEST_CONTEXT(name_of(major) << ' ' << name_of(swizzle)) {
        BOOST_TEST_REQUIRE(!Matcher(q).first_difference().has_value());
        const auto broken = [&](auto change, MatchFixKind kind) {
          MatchQuestion wrong = q;
          change(wrong.descriptor);
          BOOST_TEST_CONTEXT(name_of(kind)) {
            BOOST_TEST(Matcher(wrong).first_difference().has_value());
            BOOST_TEST(fixes_with(Arch::sm_90, wrong, kind, q));
          }
        };
        broken([](SmemDescriptor& d) { d.stride_byte_offset += 4096; },
               MatchFixKind::stride_byte_offset);
        broken([](SmemDescriptor& d) { d.start_address += 128; }, MatchFixKind::start_address);
        const bool lbo_used = major == Major::mn || swizzle == Swizzle::none;
        if (lbo_used) {
          broken([](SmemDescriptor& d) { d.leading_byte_offset += 4096; },
                 MatchFixKind::leading_byte_offset);
          if (q.descriptor.leading_byte_offset != q.descriptor.stride_byte_offset) {
            broken(
                [](SmemDescriptor& d) { std::swap(d.leading_byte_offset, d.stride_byte_offset); },
                MatchFixKind::exchange_offsets);
          }
        }
        if (swizzle == Swizzle::none) continue;
        broken([](SmemDescriptor& d) { d.base_offset = 1; }, MatchFixKind::base_offset);
        broken(
            [](SmemDescriptor& d) {
              d.swizzle = d.swizzle == Swizzle::b128 ? Swizzle::b32 : Swizzle::b128;
            },
            MatchFixKind::swizzle);
        MatchQuestion other_map = q;
        other_map.map.swizzle = Swizzle::none;
        BOOST_TEST(fixes_with(Arch::sm_90, other_map, MatchFixKind::map_swizzle, q));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(two_wrong_fields_give_a_whole_descriptor) {
  const MatchQuestion q = good(tile(Major::k, Swizzle::b128, 64, 64));
  MatchQuestion wrong = q;
  wrong.descriptor.swizzle = Swizzle::b32;
  wrong.descriptor.stride_byte_offset = 256;
  const MatchFixes fixes = match_fixes(Arch::sm_90, wrong);
  BOOST_TEST_REQUIRE(fixes.count == 1u);
  BOOST_TEST((fixes.items[0].kind == MatchFixKind::descriptor));
  BOOST_TEST((fixes.items[0].question.descriptor == q.descriptor));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_gets_no_fix) {
  // Plain rows of 128 bytes, and an operand larger than its box.
  MatchQuestion q = good(tile(Major::k, Swizzle::b128, 64, 64));
  q.map.swizzle = Swizzle::none;
  q.descriptor.swizzle = Swizzle::none;
  const MatchFixes plain = match_fixes(Arch::sm_90, q);
  BOOST_TEST(plain.count == 0u);
  MatchQuestion large = good(tile(Major::k, Swizzle::b128, 64, 64));
  large.mn = 128;
  BOOST_TEST(Matcher(large).first_difference().has_value());
  BOOST_TEST(match_fixes(Arch::sm_90, large).count == 0u);
}

BOOST_AUTO_TEST_CASE(elements_of_another_width) {
  // The same bytes loaded as u8 or u32 are the same bf16 operand.
  for (const auto& [type, bits] : {std::pair(DataType::u8, 8u), std::pair(DataType::u32, 32u)}) {
    MatchQuestion q = good(tile(Major::k, Swizzle::b128, 64, 64));
    q.map.data_type = type;
    q.map.global_dim[0] = q.map.box_dim[0] = 64 * 16 / bits;
    BOOST_TEST(!Matcher(q).first_difference().has_value());
    q.descriptor.start_address += 32;
    BOOST_TEST(Matcher(q).first_difference().has_value());
  }
}

BOOST_AUTO_TEST_CASE(out_of_bounds_fill_is_where_it_belongs) {
  MatchQuestion q = good(tile(Major::k, Swizzle::b128, 64, 64));
  q.map.global_dim[1] = 40;  // rows 40..63 are filled with zeros
  BOOST_TEST(!Matcher(q).first_difference().has_value());
}

BOOST_AUTO_TEST_CASE(random_wrong_descriptors_are_mended_or_refused_truthfully) {
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t n) { return random() % n; };
  for (int i = 0; i < 300; ++i) {
    const auto swizzle = static_cast<Swizzle>(pick(4));
    const Major major = pick(2) == 0 ? Major::k : Major::mn;
    const std::uint64_t width = std::max<std::uint64_t>(swizzle_row(swizzle).span / 2, 16);
    const OperandTile t = major == Major::k
                              ? tile(major, swizzle, 8u << pick(4), width << pick(2))
                              : tile(major, swizzle, width << pick(2), 16u << pick(3));
    MatchQuestion q = good(t);
    q.descriptor.start_address = 16 * pick(4096);
    q.descriptor.stride_byte_offset = 16 * pick(512);
    const MatchFixes fixes = match_fixes(Arch::sm_90, q);
    for (std::size_t f = 0; f < fixes.count; ++f) {
      BOOST_TEST_REQUIRE(!Matcher(fixes.items[f].question).first_difference().has_value());
    }
    BOOST_TEST_REQUIRE((fixes.count > 0 || !Matcher(q).first_difference()));
  }
}

BOOST_AUTO_TEST_SUITE_END()
