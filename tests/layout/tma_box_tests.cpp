#include "sim/layout/tma_box.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "sim/layout/tensor_map_rules.h"
#include "tests/layout/tma_golden.h"
#include "tests/test.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(tma_box_tests)

namespace {

constexpr std::uint8_t kUntouched = 0xCD;

/// What one byte of shared memory holds after a load: nothing, fill, or a byte of the tensor.
struct Cell {
  enum Kind { untouched, fill, data } kind = untouched;
  std::int64_t offset = 0;
  bool operator==(const Cell&) const = default;
};
using Image = std::vector<Cell>;

Image walked_image(const TmaBox& box, std::size_t size) {
  Image image(size);
  for (TmaRowCursor at(box); !at.done(); at.next()) {
    const TmaRow& row = at.row();
    const auto put = [&](std::uint32_t begin, std::uint32_t end, Cell::Kind kind) {
      for_each_piece(box, row, begin, end,
                     [&](std::uint64_t address, std::uint32_t length, std::uint32_t packed) {
                       for (std::uint32_t i = 0; i < length; ++i) {
                         Cell& cell = image.at(address + i - box.smem_address);
                         BOOST_TEST_REQUIRE(cell.kind == Cell::untouched);
                         cell.kind = kind;
                         if (kind == Cell::data) cell.offset = row.global_offset + packed + i;
                       }
                     });
    };
    const std::uint32_t begin = row.outside ? box.packed_bytes : box.in_begin;
    const std::uint32_t end = row.outside ? box.packed_bytes : box.in_end;
    put(0, begin, Cell::fill);
    put(begin, end, Cell::data);
    put(end, box.packed_bytes, Cell::fill);
  }
  return image;
}

Image inverse_image(const TmaBox& box, std::size_t size) {
  Image image(size);
  for (std::size_t i = 0; i < size; ++i) {
    const TmaElement element = element_at(box, box.smem_address + i);
    if (!element.present) continue;
    image[i].kind = element.inside ? Cell::data : Cell::fill;
    if (element.inside) image[i].offset = element.global_offset;
  }
  return image;
}

/// Five nested loops over the box, as the definition says it, element by element.
Image defined_image(const TensorMap& map, const Coordinates& first, std::uint64_t smem_address,
                    std::size_t size) {
  Image image(size);
  const bool interleaved = map.interleave != Interleave::none;
  const std::uint64_t unit = !interleaved ? data_type_row(map.data_type).bits / 8
                                          : (map.interleave == Interleave::b16 ? 16 : 32);
  std::uint64_t n[kMaxRank] = {1, 1, 1, 1, 1};
  for (int k = 0; k < map.rank; ++k) {
    const bool ignored = k == 0 && !interleaved;
    const std::uint64_t e = ignored ? 1 : map.element_stride[k];
    n[k] = interleaved && k == map.rank - 2 ? 1 : (map.box_dim[k] + e - 1) / e;
  }
  const std::uint64_t inner = n[0] * unit;
  const std::uint64_t span = swizzle_row(map.swizzle).span;
  const std::uint64_t pitch =
      interleaved || map.swizzle == Swizzle::none ? inner : std::max(inner, span);
  std::uint64_t i[kMaxRank];
  for (i[4] = 0; i[4] < n[4]; ++i[4])
    for (i[3] = 0; i[3] < n[3]; ++i[3])
      for (i[2] = 0; i[2] < n[2]; ++i[2])
        for (i[1] = 0; i[1] < n[1]; ++i[1])
          for (i[0] = 0; i[0] < n[0]; ++i[0]) {
            const std::uint64_t row = i[1] + n[1] * (i[2] + n[2] * (i[3] + n[3] * i[4]));
            bool inside = true;
            std::int64_t offset = 0;
            for (int k = 0; k < map.rank; ++k) {
              const std::int64_t e =
                  k == 0 && !interleaved ? 1 : static_cast<std::int64_t>(map.element_stride[k]);
              const std::int64_t p = first[k] + static_cast<std::int64_t>(i[k]) * e;
              inside = inside && p >= 0 && p < static_cast<std::int64_t>(map.global_dim[k]);
              offset += p * static_cast<std::int64_t>(k == 0 ? unit : map.global_stride[k - 1]);
            }
            for (std::uint64_t byte = 0; byte < unit; ++byte) {
              const std::uint64_t a = smem_address + row * pitch + i[0] * unit + byte;
              const std::uint64_t shared = swizzled(map.swizzle, a);
              Cell& cell = image.at(shared - smem_address);
              cell.kind = inside ? Cell::data : Cell::fill;
              if (inside) cell.offset = offset + static_cast<std::int64_t>(byte);
            }
          }
  return image;
}

/// A tensor of that many bytes a row, packed, with a box over it.
TensorMap small_map(DataType type, int rank, std::uint64_t inner_dim, std::uint64_t inner_box) {
  TensorMap map;
  map.data_type = type;
  map.rank = rank;
  map.global_address = 0x10000000;
  map.global_dim = {inner_dim, 3, 2, 3, 2};
  map.global_stride = {256, 1024, 4096, 16384, 0};
  map.box_dim = {inner_box, 2, 3, 2, 2};
  return map;
}

void compare_formulations(const TensorMap& map, const Coordinates& first, std::uint64_t smem) {
  const TmaBox box = make_tma_box(map, first, smem);
  const std::size_t size = box.footprint;
  const Image walked = walked_image(box, size);
  BOOST_TEST_REQUIRE((walked == inverse_image(box, size)));
  BOOST_TEST_REQUIRE((walked == defined_image(map, first, smem, size)));
  const auto touched = std::count_if(walked.begin(), walked.end(),
                                     [](const Cell& c) { return c.kind != Cell::untouched; });
  BOOST_TEST_REQUIRE(static_cast<std::uint64_t>(touched) == box.transaction_bytes);
  // Nothing outside the footprint belongs to the box.
  for (std::uint64_t a = smem - 128; a < smem; ++a) {
    BOOST_TEST_REQUIRE(!element_at(box, a).present);
    BOOST_TEST_REQUIRE(!element_at(box, smem + size + (a - smem + 128)).present);
  }
}

}  // namespace

// tma_more: interleaved boxes whose channel slice lies outside the tensor, and maps whose words 8
// to 15 were overwritten, which changed nothing.
BOOST_AUTO_TEST_CASE(every_load_captured_on_an_h200_byte_for_byte) {
  std::size_t loads = 0;
  for (const char* name : {"h200/tma_load", "h200/tma_multicast", "h200/tma_more"}) {
    const golden::Table table = golden::load(name);
    golden::for_each_row(table, [&](const golden::Row& row) {
      if (row.text("result") != "ok") return;
      ++loads;
      BOOST_TEST_CONTEXT(name << " record " << row.id()) {
        const TensorMap map = golden::tensor_map(row, 0);
        const std::uint64_t base = row.unsigned_number("base");
        const std::uint64_t smem = base + row.unsigned_number("dst");
        const TmaBox box = make_tma_box(map, golden::coordinates(row), smem);
        // What the copy counted; some records announced another number on purpose.
        const char* counted = row.has("tx_counted") ? "tx_counted" : "tx";
        BOOST_TEST_REQUIRE(box.transaction_bytes == row.unsigned_number(counted));
        const golden::Filled source = golden::load_source(row);
        const Image image = walked_image(box, box.footprint);
        const std::uint64_t copies = row.has("mask") ? 2 : 1;
        const std::uint64_t size = row.unsigned_number("len") / copies;
        for (std::uint64_t i = 0; i < size * copies; ++i) {
          const std::uint64_t cta = i / size, address = base + i % size;
          const bool written = copies == 1 || (row.number("mask") >> cta & 1) != 0;
          std::uint8_t expect = kUntouched;
          if (written && address >= smem && address - smem < image.size()) {
            const Cell& cell = image[address - smem];
            if (cell.kind == Cell::fill) expect = fill_byte(map.oob_fill, address);
            if (cell.kind == Cell::data) {
              expect = source.loaded_byte(map.data_type, row.unsigned_number("goff") + cell.offset);
            }
          }
          BOOST_TEST_REQUIRE(expect == row.piece()[i], "byte " << i);
        }
      }
    });
  }
  BOOST_TEST(loads == 463u + 9u + 92u);
}

BOOST_AUTO_TEST_CASE(walk_inverse_and_definition_agree_on_all_small_boxes) {
  struct Inner {
    DataType type;
    std::uint64_t dim, box;
    std::int64_t first;
  };
  constexpr Inner kInners[] = {
      {DataType::u8, 40, 16, 0},    {DataType::u8, 40, 48, 16},  {DataType::f16, 20, 24, 8},
      {DataType::f16, 50, 64, -8},  {DataType::f32, 9, 8, 4},    {DataType::f64, 5, 2, 4},
      {DataType::u32, 30, 32, -40}, {DataType::s64, 40, 16, 30},
  };
  constexpr std::int64_t kOuter[] = {0, -1, 2, 5};
  for (const Inner& inner : kInners) {
    for (int rank = 1; rank <= kMaxRank; ++rank) {
      for (const Swizzle swizzle : kAllSwizzles) {
        TensorMap map = small_map(inner.type, rank, inner.dim, inner.box);
        map.swizzle = swizzle;
        map.element_stride = {1, 1, 2, 1, 2};
        if (!is_accepted(map, Arch::sm_100)) continue;
        for (const std::int64_t outer : kOuter) {
          for (std::uint64_t smem = 0x400; smem <= 0x800; smem += 0x80) {
            compare_formulations(map, {inner.first, outer, 0, outer == 5 ? 0 : outer, 1}, smem);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(interleaved_boxes_agree_too) {
  for (const Interleave interleave : {Interleave::b16, Interleave::b32}) {
    for (int rank = 3; rank <= kMaxRank; ++rank) {
      for (const Swizzle swizzle : kAllSwizzles) {
        for (const std::uint64_t e0 : {1, 3}) {
          TensorMap map = small_map(DataType::f16, rank, 7, 8);
          map.interleave = interleave;
          map.swizzle = swizzle;
          map.element_stride = {e0, 1, 1, 2, 1};
          BOOST_TEST_REQUIRE(is_accepted(map, Arch::sm_100));
          compare_formulations(map, {-1, 1, 0, -1, 0}, 0x480);
          compare_formulations(map, {2, 0, 1, 0, 1}, 0x700);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(inverse_names_the_tensor_coordinates) {
  TensorMap map = small_map(DataType::f16, 3, 200, 64);
  map.global_dim = {200, 100, 50};
  map.global_stride = {400, 40000};
  map.swizzle = Swizzle::b128;
  const Coordinates first{64, 7, -1};
  const TmaBox box = make_tma_box(map, first, 0x480);
  // Row (i_1, i_2) = (1, 2), element 5: linear 0x480 + (1 + 2 * 2) * 128 + 10.
  const std::uint64_t linear = 0x480 + 5 * 128 + 10;
  const TmaElement element = element_at(box, swizzled(Swizzle::b128, linear) + 1);
  BOOST_TEST(element.present);
  BOOST_TEST(element.inside);
  BOOST_TEST(element.coordinates[0] == 69);
  BOOST_TEST(element.coordinates[1] == 8);
  BOOST_TEST(element.coordinates[2] == 1);
  BOOST_TEST(element.byte_in_element == 1u);
  BOOST_TEST(element.global_offset == 69 * 2 + 8 * 400 + 40000 + 1);
  BOOST_TEST(!element_at(box, 0x480).inside);  // coordinate -1 of dimension 2
  BOOST_TEST(element_at(box, 0x480).present);
}

BOOST_AUTO_TEST_CASE(padded_types_leave_the_rest_of_each_cell) {
  for (const auto& [type, cell] :
       {std::pair{DataType::u4x16_align16b, 8u}, std::pair{DataType::u6x16_align16b, 12u}}) {
    TensorMap map = small_map(type, 2, 256, 128);
    map.global_stride = {192};
    for (const Swizzle swizzle : {Swizzle::none, Swizzle::b128, Swizzle::b128_32b}) {
      map.swizzle = swizzle;
      BOOST_TEST_REQUIRE(is_accepted(map, Arch::sm_100));
      const TmaBox box = make_tma_box(map, {128, 0}, 0x400);
      BOOST_TEST(box.footprint == 256u);
      BOOST_TEST(box.transaction_bytes == 2u * 8 * cell);
      const Image walked = walked_image(box, box.footprint);
      BOOST_TEST((walked == inverse_image(box, box.footprint)));
      for (std::uint64_t linear = 0x400; linear < 0x500; ++linear) {
        const Cell& at = walked[swizzled(swizzle, linear) - 0x400];
        const std::uint64_t row = (linear - 0x400) / 128, in_row = (linear - 0x400) % 128;
        BOOST_TEST_REQUIRE((at.kind == Cell::data) == (linear % 16 < cell));
        if (linear % 16 < cell) {
          // Dimension 0 starts 8 cells in.
          const std::uint64_t want = 8 * cell + row * 192 + in_row / 16 * cell + linear % 16;
          BOOST_TEST_REQUIRE(at.offset == static_cast<std::int64_t>(want));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(elements_under_8_bits_are_found_by_bit) {
  TensorMap map = small_map(DataType::u4x16_align8b, 2, 256, 128);
  map.global_stride = {128};
  const TmaBox box = make_tma_box(map, {32, 0}, 0x400);
  BOOST_TEST(element_at(box, 0x405, 0).coordinates[0] == 32 + 10);
  BOOST_TEST(element_at(box, 0x405, 4).coordinates[0] == 32 + 11);
  BOOST_TEST(element_at(box, 0x405, 6).bit_in_element == 2u);
  map = small_map(DataType::u6x16_align16b, 2, 256, 128);
  map.global_stride = {192};
  const TmaBox six = make_tma_box(map, {0, 0}, 0x400);
  BOOST_TEST(element_at(six, 0x413).coordinates[0] == 16 + 4);  // byte 3 of cell 1: bit 24 of 96
  BOOST_TEST(element_at(six, 0x411).coordinates[0] == 16 + 1);  // bit 8 is bit 2 of value 1
  BOOST_TEST(element_at(six, 0x411).bit_in_element == 2u);
  BOOST_TEST(!element_at(six, 0x40C).present);
}

BOOST_AUTO_TEST_CASE(worked_examples) {
  const auto row_starts = [](const TensorMap& map, std::uint64_t smem, std::uint32_t byte) {
    const TmaBox box = make_tma_box(map, {}, smem);
    std::vector<std::uint64_t> starts;
    for (TmaRowCursor at(box); !at.done(); at.next()) {
      starts.push_back((at.row().linear + byte) ^ at.row().swizzle_mask);
    }
    return starts;
  };
  TensorMap map = small_map(DataType::f16, 2, 256, 64);
  map.global_dim = {256, 256};
  map.global_stride = {512};
  map.box_dim = {64, 8};
  map.swizzle = Swizzle::b128;
  using Starts = std::vector<std::uint64_t>;
  BOOST_TEST((row_starts(map, 0x400, 0) ==
              Starts{0x400, 0x490, 0x520, 0x5B0, 0x640, 0x6D0, 0x760, 0x7F0}));
  BOOST_TEST((row_starts(map, 0x480, 0) ==
              Starts{0x490, 0x520, 0x5B0, 0x640, 0x6D0, 0x760, 0x7F0, 0x800}));
  map.box_dim = {32, 8};
  map.swizzle = Swizzle::b64;
  BOOST_TEST((row_starts(map, 0x480, 0) ==
              Starts{0x490, 0x4D0, 0x520, 0x560, 0x5B0, 0x5F0, 0x600, 0x640}));
  map.box_dim = {32, 4};
  map.swizzle = Swizzle::b128;
  BOOST_TEST((row_starts(map, 0x400, 0) == Starts{0x400, 0x490, 0x520, 0x5B0}));
  BOOST_TEST(make_tma_box(map, {}, 0x400).transaction_bytes == 256u);
  BOOST_TEST(make_tma_box(map, {}, 0x400).footprint == 512u);
  map.box_dim = {64, 8};
  map.element_stride = {1, 3};
  BOOST_TEST(make_tma_box(map, {}, 0x400).rows == 3u);
}

BOOST_AUTO_TEST_CASE(far_coordinates_are_fill_and_do_not_overflow) {
  TensorMap map = small_map(DataType::f64, 5, std::uint64_t{1} << 32, 2);
  for (int i = 0; i < 4; ++i) map.global_stride[i] = (std::uint64_t{1} << 40) - 16;
  for (const std::int64_t far : {std::int64_t{2147483646}, std::int64_t{-2147483648}}) {
    const TmaBox box = make_tma_box(map, {far, far, far, far, far}, 0x400);
    const Image walked = walked_image(box, box.footprint);
    for (const Cell& cell : walked) BOOST_TEST_REQUIRE((cell.kind == Cell::fill));
    BOOST_TEST((walked == inverse_image(box, box.footprint)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
