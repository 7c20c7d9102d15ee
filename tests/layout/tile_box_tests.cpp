#include "sim/layout/tile_box.h"

#include "tests/test.h"

using namespace lc;

namespace {

template <class Visit>
void for_each_tile(Arch arch, Visit&& visit) {
  for (const Swizzle swizzle : kOperandSwizzles) {
    for (const Major major : {Major::k, Major::mn}) {
      for (const AtomOrder order : {AtomOrder::mn_first, AtomOrder::k_first}) {
        for (const Element element : {Element::e4m3, Element::f16, Element::tf32, Element::e2m1}) {
          for (const std::uint64_t mn : {8u, 64u, 128u, 256u}) {
            for (const std::uint64_t k : {16u, 32u, 64u, 128u, 256u}) {
              OperandTile t{arch, element, Container::packed, major, swizzle, order};
              t.mn = mn, t.k = k, t.start_address = 0x400;
              visit(t);
            }
          }
        }
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tile_box_tests)

BOOST_AUTO_TEST_CASE(boxes_are_found_for_every_legal_tile) {
  for (const Arch arch : {Arch::sm_90, Arch::sm_100}) {
    int legal = 0;
    for_each_tile(arch, [&](const OperandTile& t) {
      if (check_tile(t).has_error()) return;
      const TileBoxes b = tile_boxes(t, 0x10000000);
      BOOST_TEST_CONTEXT(name_of(t.element)
                         << ' ' << name_of(t.major) << ' ' << name_of(t.swizzle) << ' '
                         << name_of(t.order) << ' ' << t.mn << 'x' << t.k) {
        BOOST_TEST_REQUIRE(b.legal);
        BOOST_TEST_REQUIRE(b.count() >= 1u);
      }
      ++legal;
    });
    BOOST_TEST(legal > 100);
  }
}

BOOST_AUTO_TEST_CASE(tall_tiles_are_split) {
  OperandTile t{Arch::sm_90, Element::bf16, Container::packed, Major::k, Swizzle::b128};
  t.mn = 512, t.k = 64, t.start_address = 0x400;
  const TileBoxes b = tile_boxes(t, 0);
  BOOST_TEST(b.legal);
  BOOST_TEST(b.count() == 2u);
  BOOST_TEST(b.map.box_dim[1] == 256u);
  BOOST_TEST(b.smem_step == 32768u);
}

BOOST_AUTO_TEST_CASE(tall_and_wide_tiles_go_panel_by_panel) {
  for (const Major major : {Major::k, Major::mn}) {
    OperandTile t{Arch::sm_90, Element::bf16, Container::packed, major, Swizzle::b128};
    t.order = major == Major::k ? AtomOrder::mn_first : AtomOrder::k_first;
    (major == Major::k ? t.mn : t.k) = 512;
    (major == Major::k ? t.k : t.mn) = 128;
    t.start_address = 0x400;
    const TileBoxes b = tile_boxes(t, 0);
    BOOST_TEST(b.legal);
    BOOST_TEST(b.parts == 2u);
    BOOST_TEST(b.panels == 2u);
    BOOST_TEST(b.coordinates(3)[0] == 64);
    BOOST_TEST(b.coordinates(3)[1] == 256);
    BOOST_TEST(b.count() * b.smem_step == tile_geometry(t).footprint);
  }
}

BOOST_AUTO_TEST_CASE(a_map_that_swizzles_otherwise_is_not_passed) {
  OperandTile t{Arch::sm_90, Element::bf16, Container::packed, Major::k, Swizzle::b128};
  t.mn = 64, t.k = 64, t.start_address = 0x400;
  TileBoxes b = tile_boxes(t, 0);
  BOOST_TEST(detail::slices_read_box(t, b, 0));
  b.map.swizzle = Swizzle::none;
  BOOST_TEST(!detail::slices_read_box(t, b, 0));
}

BOOST_AUTO_TEST_SUITE_END()
