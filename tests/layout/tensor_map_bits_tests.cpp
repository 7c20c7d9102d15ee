#include "sim/layout/tensor_map_bits.h"

#include "tests/layout/tensor_map_golden.h"
#include "tests/test.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(tensor_map_bits_tests)

namespace {

TensorMapWords words_of(const std::uint8_t* bytes) {
  TensorMapWords words;
  for (std::size_t i = 0; i < 128; ++i) words.set_byte(i, bytes[i]);
  return words;
}

/// Entries past the rank play no part.
TensorMap trimmed(TensorMap map) {
  for (int i = map.rank; i < kMaxRank; ++i) {
    map.global_dim[i] = map.box_dim[i] = map.element_stride[i] = 1;
  }
  for (int i = map.rank - 1; i < kMaxRank; ++i) map.global_stride[i] = 0;
  return map;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_captured_map_is_written_byte_for_byte_and_read_back) {
  const golden::Table table = golden::load("h200/tmap_tiled");
  golden::for_each_row(table, [&](const golden::Row& row) {
    if (row.number("result") != 0) return;
    BOOST_TEST_CONTEXT("record " << row.id()) {
      const TensorMap map = golden::tensor_map(row, row.unsigned_number("addr"));
      const TensorMapWords words = encode_tensor_map(map);
      for (std::size_t i = 0; i < 128; ++i) {
        BOOST_TEST_REQUIRE(words.byte(i) == row.piece()[i], "byte " << i);
      }
      const DecodedTensorMap decoded = decode_tensor_map(words_of(row.piece()));
      BOOST_TEST_REQUIRE((decoded.map == trimmed(map)));
      BOOST_TEST_REQUIRE(decoded.findings.count == 0u);
    }
  });
}

BOOST_AUTO_TEST_CASE(fields_do_not_overlap) {
  TensorMapWords seen;
  for (const TensorMapField& field : kTiledMapFields) {
    for (int i = 0; i < field.count; ++i) {
      TensorMapWords bits;
      field.put(bits, ~std::uint64_t{0}, i);
      BOOST_TEST(field.raw(bits, i) == field.bits.mask());
      for (int w = 0; w < TensorMapWords::kCount; ++w) {
        BOOST_TEST((seen.word[w] & bits.word[w]) == 0u);
        seen.word[w] |= bits.word[w];
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(any_flipped_bit_changes_a_field_or_is_reported) {
  TensorMap map;
  map.data_type = DataType::f16;
  map.rank = 3;
  map.global_address = 0x10000000;
  map.global_dim = {256, 64, 8};
  map.global_stride = {512, 32768};
  map.box_dim = {64, 8, 2};
  map.swizzle = Swizzle::b128;
  const TensorMapWords words = encode_tensor_map(map);
  for (std::size_t bit = 0; bit < 1024; ++bit) {
    TensorMapWords other = words;
    other.word[bit / 64] ^= std::uint64_t{1} << bit % 64;
    const DecodedTensorMap decoded = decode_tensor_map(other);
    BOOST_TEST_REQUIRE((decoded.findings.count != 0 || !(decoded.map == map)), "bit " << bit);
  }
}

BOOST_AUTO_TEST_CASE(garbage_decodes_to_findings) {
  TensorMapWords ones;
  for (auto& word : ones.word) word = ~std::uint64_t{0};
  BOOST_TEST(decode_tensor_map(ones).findings.has_error());
  BOOST_TEST(decode_tensor_map(ones).im2col);
  // All zero bytes are a u8 map of one element whose size and period words are missing.
  const DecodedTensorMap zero = decode_tensor_map(TensorMapWords{});
  BOOST_TEST(!zero.findings.has_error());
  BOOST_TEST(zero.findings.count == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
