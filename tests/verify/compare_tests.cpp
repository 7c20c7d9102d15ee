#include "verify/check/compare.h"

#include <algorithm>

#include "sim/layout/operand.h"
#include "sim/layout/tma_box.h"
#include "tests/layout/tma_golden.h"
#include "tests/test.h"
#include "tests/verify/dump_maker.h"
#include "verify/check/place.h"
#include "verify/check/walk.h"
#include "verify/error.h"

using namespace lc;
using namespace lc::verify;
using lc::tests::box_description;
using lc::tests::MadeSource;
using lc::tests::MadeTile;
using lc::tests::operand_description;
using lc::tests::right_bytes;

BOOST_AUTO_TEST_SUITE(compare_tests)

namespace {

constexpr std::size_t kSpecialBytes = std::size_t{3} << 20;

/// One captured load as a described tile.
MadeTile captured(const golden::Row& row) {
  MadeTile tile;
  tile.name = "load" + row.text("id");
  TileDescription& d = tile.description;
  d.smem_address = row.unsigned_number("base");
  d.destination = d.smem_address + row.unsigned_number("dst");
  d.source_offset = row.unsigned_number("goff");
  d.map = golden::tensor_map(row, 0x7f0000000000 + d.source_offset);
  d.coordinates = golden::coordinates(row);
  if (row.text("fill") == "special") {
    d.source.kind = Source::Kind::tensor;
    d.source_name = "special";
  } else {
    d.source.kind = Source::Kind::mix32;
    d.source.seed = golden::kLoadSeed;
  }
  d.untouched = 0xCD;
  tile.bytes.assign(row.piece(), row.piece() + row.number("len"));
  return tile;
}

MadeSource special_source() {
  MadeSource source{"special", std::vector<std::uint8_t>(kSpecialBytes)};
  const golden::Filled filled{golden::Filled::specials};
  for (std::size_t i = 0; i < source.bytes.size(); ++i) source.bytes[i] = filled.byte(i);
  return source;
}

TileReport only(const FileReport& report) {
  BOOST_TEST_REQUIRE(!report.problem.has_value());
  BOOST_TEST_REQUIRE(report.tiles.size() == 1u);
  return report.tiles.front();
}

TileReport checked(const TileDescription& d, const std::vector<std::uint8_t>& bytes) {
  return only(tests::checked({{"tile", d, bytes}}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_load_captured_on_an_h200_is_the_same) {
  const golden::Table table = golden::load("h200/tma_load");
  std::vector<MadeTile> tiles;
  golden::for_each_row(table, [&](const golden::Row& row) {
    if (row.text("result") == "ok") tiles.push_back(captured(row));
  });
  BOOST_TEST(tiles.size() == 463u);
  const FileReport report = tests::checked(tiles, {special_source()});
  BOOST_TEST_REQUIRE(!report.problem.has_value());
  BOOST_TEST_REQUIRE(report.tiles.size() == tiles.size());
  for (const TileReport& t : report.tiles) {
    BOOST_TEST_REQUIRE(!t.problem.has_value(), t.name << ": " << t.problem->what);
    BOOST_TEST_REQUIRE(t.comparison.differing == 0u, t.name);
    BOOST_TEST_REQUIRE(t.comparison.compared == t.bytes);
  }
}

BOOST_AUTO_TEST_CASE(every_flipped_byte_is_found) {
  for (TileDescription d : {box_description(), operand_description()}) {
    d.untouched = 0xCD;
    d.smem_address -= 0x80;
    std::vector<std::uint8_t> bytes = right_bytes(d, 0x2100);
    BOOST_TEST_REQUIRE(checked(d, bytes).comparison.same());
    for (std::size_t i = 0; i < bytes.size(); i += 37) {
      bytes[i] ^= 0x10;
      const Comparison c = checked(d, bytes).comparison;
      BOOST_TEST_REQUIRE(c.differing == 1u);
      BOOST_TEST_REQUIRE(*c.first == d.smem_address + i);
      bytes[i] ^= 0x10;
    }
  }
}

BOOST_AUTO_TEST_CASE(bytes_outside_are_compared_only_when_their_value_is_known) {
  TileDescription d = box_description();
  d.map.box_dim[0] = 24;  // rows of 48 of 128 bytes
  std::vector<std::uint8_t> bytes = right_bytes(d, 0x1000);
  BOOST_TEST(checked(d, bytes).comparison.compared == 16u * 48);
  bytes[0xfff] = 1;
  BOOST_TEST(checked(d, bytes).comparison.same());
  d.untouched = 0xCD;
  const TileReport report = checked(d, bytes);
  BOOST_TEST(report.comparison.compared == 0x1000u);
  BOOST_TEST(report.comparison.differing == 1u);
  BOOST_TEST(report.comparison.differing_tile == 0u);
  BOOST_TEST(report.first->should_be_untouched);
}

BOOST_AUTO_TEST_CASE(barriers_are_not_compared) {
  TileDescription d = box_description();
  std::vector<std::uint8_t> bytes = right_bytes(d, 0x800);
  for (int i = 0; i < 8; ++i) bytes[0x100 + i] ^= 0xff;
  BOOST_TEST(checked(d, bytes).comparison.differing == 8u);
  d.barriers = {0x500};
  BOOST_TEST(checked(d, bytes).comparison.same());
  BOOST_TEST(checked(d, bytes).comparison.compared == 0x7f8u);
  bytes[0x108] ^= 1;
  BOOST_TEST(checked(d, bytes).comparison.differing == 1u);
  d.barriers = {0, 0x4fc, UINT64_MAX - 3, 0x508};  // outside, half inside, wrapping
  BOOST_TEST(checked(d, bytes).comparison.differing == 4u);
}

BOOST_AUTO_TEST_CASE(a_window_may_hold_a_part_of_the_tile) {
  const TileDescription whole = box_description();
  const std::vector<std::uint8_t> bytes = right_bytes(whole, 0x800);
  TileDescription part = whole;
  part.smem_address = 0x4a8;
  const TileReport report = checked(part, {bytes.begin() + 0xa8, bytes.begin() + 0x305});
  BOOST_TEST(report.comparison.same());
  BOOST_TEST(report.comparison.compared == 0x305u - 0xa8);
  BOOST_TEST(report.comparison.outside == 0x800u - (0x305 - 0xa8));
  part.smem_address = 0x8000;
  BOOST_TEST((checked(part, bytes).result == TileReport::Result::unknown));
}

BOOST_AUTO_TEST_CASE(elements_that_share_a_byte_cannot_both_be_right) {
  TileDescription d = operand_description();
  d.descriptor.stride_byte_offset = 0;  // every group of 8 rows in the same atom
  d.descriptor_word = encode_smem_descriptor(Arch::sm_90, d.descriptor);
  const TileReport report = checked(d, right_bytes(d, 0x400));
  BOOST_TEST(report.comparison.differing > 900u);
  BOOST_TEST(report.comparison.compared == 0x400u);
  // … unless the source says the same of both.
  d.source_strides = TileDescription::Strides{0, 2};
  BOOST_TEST(checked(d, right_bytes(d, 0x400)).comparison.same());
}

BOOST_AUTO_TEST_CASE(elements_outside_the_bounds_of_the_source_are_zero) {
  for (const Major major : {Major::k, Major::mn}) {
    TileDescription d = operand_description();
    d.major = major;
    d.source_bounds = TileDescription::Bounds{16, 16 + 5, 64, 64 + 3};  // 5 x 3 are inside
    const std::vector<std::uint8_t> inside = right_bytes(d, 0x4000);
    BOOST_TEST(checked(d, inside).comparison.same());
    d.source_bounds.reset();
    BOOST_TEST(!checked(d, inside).comparison.same());
    const std::vector<std::uint8_t> all = right_bytes(d, 0x4000);
    d.source_bounds = TileDescription::Bounds{16, 16 + 5, 64, 64 + 3};
    const std::uint64_t elements = d.mn * d.k - 5 * 3;
    const std::uint64_t differing = checked(d, all).comparison.differing;
    // All elements outside differ, in at least one of their bytes; zeros of the source do not.
    BOOST_TEST(differing > elements);
    BOOST_TEST(differing <= elements * 2);
  }
}

BOOST_AUTO_TEST_CASE(a_source_that_is_too_short_is_an_error) {
  TileDescription d = box_description();
  d.source.kind = Source::Kind::tensor;
  d.source_name = "A";
  const std::size_t needed = 15 * 512 + 128;
  const std::vector<std::uint8_t> source(needed, 7);
  const std::vector<std::uint8_t> bytes(0x800, 7);
  BOOST_TEST(only(tests::checked({{"tile", d, bytes}}, {{"A", source}})).comparison.same());
  const std::vector<std::uint8_t> shorter(needed - 1, 7);
  const TileReport report = only(tests::checked({{"tile", d, bytes}}, {{"A", shorter}}));
  BOOST_TEST((report.result == TileReport::Result::unknown));
  BOOST_TEST(report.problem->what.find("A") != std::string::npos);
  d.source_offset = std::uint64_t{1} << 60;
  BOOST_TEST((only(tests::checked({{"tile", d, bytes}}, {{"A", shorter}})).result ==
              TileReport::Result::unknown));
}

namespace {

/// The address of every element by the walk over the image, elements in order (mn, k).
std::vector<std::uint64_t> walked_bit_addresses(const TileDescription& d) {
  const Image image = image_of(d);
  std::vector<std::uint64_t> out(d.mn * d.k, UINT64_MAX);
  const std::uint64_t bits = image.element_bits;
  walk(image, d.source, [&](const Strip& s) {
    for_each_piece(s, [&](std::uint64_t address, std::uint32_t i, std::uint32_t n) {
      for (std::uint64_t bit = i * 8; bit < (i + n) * 8; bit += bits) {
        const std::uint64_t inner = s.column * 8 / image.stored_bits + bit / bits;
        const std::uint64_t mn = d.major == Major::k ? s.row : inner;
        const std::uint64_t k = d.major == Major::k ? inner : s.row;
        if (mn < d.mn && k < d.k) out[mn * d.k + k] = address * 8 + bit - i * 8;
      }
    });
    return true;
  });
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(operand_images_agree_with_the_operand_layout) {
  TileDescription d = operand_description();
  for (const Major major : {Major::k, Major::mn}) {
    for (const Swizzle swizzle : kOperandSwizzles) {
      for (const Element element : {Element::f16, Element::tf32, Element::u8, Element::e2m1}) {
        for (const std::uint64_t start : {0x400, 0x480, 0x410, 0x7f0}) {
          for (const auto& [mn, k] : {std::pair{20, 32}, {64, 8}, {1, 1}, {33, 70}}) {
            d.major = major, d.element = element, d.mn = mn, d.k = k;
            d.descriptor = {
                start,  0x330, 0x810, static_cast<std::uint32_t>(start / 16 % 8), LboMode::relative,
                swizzle};
            const OperandLayout layout = operand_layout(d.descriptor, major, element);
            const std::vector<std::uint64_t> walked = walked_bit_addresses(d);
            for (std::uint64_t i = 0; i < walked.size(); ++i) {
              BOOST_TEST_REQUIRE(walked[i] == layout.bit_address(i / k, i % k));
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_difference_is_placed_in_tensor_and_operand_coordinates) {
  TileDescription d = box_description();
  d.coordinates = {64, 3};
  const TmaBox box = make_tma_box(d.map, d.coordinates, d.destination);
  for (std::uint64_t address = 0x400; address < 0xc00; address += 16) {
    const TmaElement e = element_at(box, address);
    const Place p = place_of(d, address);
    BOOST_TEST_REQUIRE(p.in_tile);
    BOOST_TEST_REQUIRE(p.elements == "element (" + std::to_string(e.coordinates[0]) + ".." +
                                         std::to_string(e.coordinates[0] + 7) + ", " +
                                         std::to_string(e.coordinates[1]) + ")");
    BOOST_TEST_REQUIRE(*p.source == static_cast<std::uint64_t>(e.global_offset));
    BOOST_TEST_REQUIRE(source_place(d, *p.source) == p.elements);
  }
  const TileDescription o = operand_description();
  const Place p = place_of(o, 0x400 + 1024 + 3 * 128 + 0x35);
  BOOST_TEST(p.elements == "mn 11, k 0..7");  // chunk 3 of line 3 holds chunk 0
  BOOST_TEST(p.chunk == 0u);
  BOOST_TEST(*p.source == 11u * 128 + 5);
  BOOST_TEST(source_place(o, *p.source - 5) == "mn 11, k 0..7");
  BOOST_TEST(source_place(o, 0 - std::uint64_t{16}) == "mn -1, k 56..63");
}

BOOST_AUTO_TEST_CASE(tf32_tiles_hold_rounded_values) {
  TileDescription d = box_description();
  d.map.data_type = DataType::tf32;
  d.map.box_dim[0] = 32;
  const std::vector<std::uint8_t> bytes = right_bytes(d, 0x800);
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    BOOST_TEST_REQUIRE(bytes[i] == 0u);  // the low 13 bits
    BOOST_TEST_REQUIRE(bytes[i + 1] % 32 == 0u);
  }
  BOOST_TEST(checked(d, bytes).comparison.same());
}

BOOST_AUTO_TEST_SUITE_END()
