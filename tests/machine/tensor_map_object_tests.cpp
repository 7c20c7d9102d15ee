#include "sim/machine/tensor_map_object.h"

#include <array>

#include "tests/layout/tensor_map_golden.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(tensor_map_object_tests)

namespace {

TensorMapObject plain() {
  TensorMapObject object;
  TensorMap& map = object.tiled;
  map.data_type = DataType::bf16;
  map.rank = 3;
  map.global_address = 0x7F3200000000;
  map.global_dim = {512, 64, 8, 1, 1};
  map.global_stride = {1024, 0x800010000};
  map.box_dim = {64, 8, 2, 1, 1};
  map.element_stride = {1, 2, 1, 1, 1};
  map.swizzle = Swizzle::b128;
  return object;
}

TensorMapObject again(const TensorMapObject& object) {
  return decode_object(encode_object(object));
}

}  // namespace

BOOST_AUTO_TEST_CASE(captured_maps_are_read_and_written_unchanged) {
  const golden::Table table = golden::load("h200/tmap_tiled");
  std::size_t accepted = 0;
  golden::for_each_row(table, [&](const golden::Row& row) {
    if (row.number("result") != 0) return;
    ++accepted;
    TensorMapWords words;
    for (std::size_t i = 0; i < 128; ++i) words.set_byte(i, row.piece()[i]);
    const TensorMapObject object = decode_object(words);
    BOOST_TEST_REQUIRE(!object.im2col);
    BOOST_TEST_REQUIRE((encode_object(object) == words), "record " << row.id());
  });
  BOOST_TEST(accepted > 2000u);
}

BOOST_AUTO_TEST_CASE(every_type_swizzle_and_mode_survives_the_128_bytes) {
  for (int type = 0; type < static_cast<int>(kDataTypeCount); ++type) {
    for (int swizzle = 0; swizzle < static_cast<int>(kSwizzleCount); ++swizzle) {
      TensorMapObject object = plain();
      object.tiled.data_type = static_cast<DataType>(type);
      object.tiled.swizzle = static_cast<Swizzle>(swizzle);
      BOOST_TEST_REQUIRE((again(object).tiled == object.tiled));
      const bool marked = type >= 13 || swizzle >= 4;
      BOOST_TEST_REQUIRE((encode_object(object).word[15] == kPrivateMark) == marked);

      object.im2col = true;
      object.column.tensor = object.tiled;
      for (std::uint64_t& box : object.column.tensor.box_dim.at) box = 1;
      object.column.lower[0] = -300;
      object.column.upper[0] = 25;
      object.column.channels_per_pixel = 32;
      object.column.pixels_per_column = 1024;
      for (const bool wide : {false, true}) {
        object.column.wide = wide;
        object.column.wide_128 = wide;
        const TensorMapObject back = again(object);
        BOOST_TEST_REQUIRE(back.im2col);
        BOOST_TEST_REQUIRE((back.column.tensor == object.column.tensor));
        BOOST_TEST_REQUIRE(back.column.lower[0] == -300);
        BOOST_TEST_REQUIRE(back.column.upper[0] == 25);
        BOOST_TEST_REQUIRE(back.column.wide == wide);
        BOOST_TEST_REQUIRE(back.column.wide_128 == wide);
        BOOST_TEST_REQUIRE(back.column.pixels_per_column == 1024u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(garbage_is_a_fault_and_never_more) {
  std::uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005 + 1442695040888963407; };
  std::size_t faults = 0;
  for (int i = 0; i < 20000; ++i) {
    TensorMapWords words;
    for (std::uint64_t& word : words.word) word = next() ^ next() >> 31;
    if (i % 2 == 0) words.word[15] = kPrivateMark;
    faults += rule_broken([&] { decode_object(words); }).empty() ? 0 : 1;
  }
  BOOST_TEST(faults > 1000u);
  BOOST_TEST(faults < 20000u);
}

// Replacing every field of one map by those of another gives the other map's fields.
BOOST_AUTO_TEST_CASE(replacing_every_field_makes_another_map) {
  TensorMapObject other = plain();
  TensorMap& map = other.tiled;
  map.data_type = DataType::u4x16_align8b;
  map.rank = 5;
  map.global_address = 0x123456780;
  map.global_dim = {std::uint64_t{1} << 32, 2, 3, 4, 5};
  map.global_stride = {16, 32, 48, (std::uint64_t{1} << 40) - 16};
  map.box_dim = {256, 2, 3, 4, 5};
  map.element_stride = {8, 2, 3, 4, 5};
  map.interleave = Interleave::b32;
  map.swizzle = Swizzle::b128_64b;
  map.oob_fill = OobFill::nan;
  TensorMapWords words = encode_object(plain());
  using F = ReplaceField;
  replace_field(words, F::global_address, 0, map.global_address);
  replace_field(words, F::rank, 0, 4);
  for (std::uint32_t i = 0; i < 5; ++i) {
    replace_field(words, F::box_dim, i, map.box_dim[i]);
    replace_field(words, F::global_dim, i, map.global_dim[i]);
    replace_field(words, F::element_stride, i, map.element_stride[i]);
    if (i < 4) replace_field(words, F::global_stride, i, map.global_stride[i]);
  }
  replace_field(words, F::elemtype, 0, 13);
  replace_field(words, F::interleave_layout, 0, 2);
  replace_field(words, F::swizzle_mode, 0, 3);
  replace_field(words, F::swizzle_atomicity, 0, 3);
  replace_field(words, F::fill_mode, 0, 1);
  BOOST_TEST((decode_object(words).tiled == map));
  // And back: the mark goes with the last field that needs it.
  replace_field(words, F::elemtype, 0, 10);
  BOOST_TEST((words.word[15] == kPrivateMark));
  replace_field(words, F::swizzle_mode, 0, 2);
  BOOST_TEST(words.word[15] == 0u);
  BOOST_TEST((decode_object(words).tiled.data_type == DataType::bf16));
  BOOST_TEST((decode_object(words).tiled.swizzle == Swizzle::b64));
}

BOOST_AUTO_TEST_CASE(ordinals_and_numbers_that_do_not_exist_are_faults) {
  TensorMapWords words = encode_object(plain());
  const TensorMapWords before = words;
  using F = ReplaceField;
  const auto rule = [&](F field, std::uint32_t ordinal, std::uint64_t value) {
    return rule_broken([&] { replace_field(words, field, ordinal, value); });
  };
  BOOST_TEST(rule(F::box_dim, 5, 1) == "tensormap-replace.ordinal");
  BOOST_TEST(rule(F::global_stride, 4, 16) == "tensormap-replace.ordinal");
  BOOST_TEST(rule(F::rank, 0, 5) == "tensormap-replace.value");
  BOOST_TEST(rule(F::elemtype, 0, 16) == "tensormap-replace.value");
  BOOST_TEST(rule(F::swizzle_mode, 0, 4) == "tensormap-replace.value");
  BOOST_TEST(rule(F::swizzle_atomicity, 0, 4) == "tensormap-replace.value");
  BOOST_TEST(rule(F::interleave_layout, 0, 3) == "tensormap-replace.value");
  BOOST_TEST(rule(F::fill_mode, 0, ~std::uint64_t{0}) == "tensormap-replace.value");
  BOOST_TEST((words == before));
}

BOOST_AUTO_TEST_SUITE_END()
