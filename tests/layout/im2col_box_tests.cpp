#include "sim/layout/im2col_box.h"

#include <vector>

#include "tests/layout/tma_golden.h"
#include "tests/test.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(im2col_box_tests)

namespace {

constexpr std::uint8_t kUntouched = 0xCD;

Im2colMap captured_map(const golden::Row& row) {
  Im2colMap map;
  map.tensor = golden::tensor_map(row, 0x10000000);
  for (int i = 0; i < kMaxSpatial; ++i) {
    map.lower[i] = row.number(golden::indexed("lo", i));
    map.upper[i] = row.number(golden::indexed("hi", i));
  }
  map.channels_per_pixel = row.unsigned_number("channels");
  map.pixels_per_column = row.unsigned_number("pixels");
  return map;
}

Im2colBox captured_box(const golden::Row& row, bool store) {
  Im2colOffsets offsets;
  for (int i = 0; i < kMaxSpatial && !store; ++i) {
    offsets.at[i] = static_cast<std::uint32_t>(row.unsigned_number(golden::indexed("o", i)));
  }
  return make_im2col_box(captured_map(row), golden::coordinates(row), offsets,
                         row.unsigned_number("base") + row.unsigned_number("dst"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_load_captured_on_an_h200) {
  const golden::Table table = golden::load("h200/im2col_load");
  std::size_t loads = 0, faults = 0;
  golden::for_each_row(table, [&](const golden::Row& row) {
    BOOST_TEST_CONTEXT("record " << row.id()) {
      BOOST_TEST_REQUIRE(is_accepted(captured_map(row), Arch::sm_90));
      const bool ok = row.text("result") == "ok";
      (ok ? loads : faults) += 1;
      // Faulting records carry no base.
      const Im2colBox box = captured_box(row, false);
      BOOST_TEST_REQUIRE(starts_in_box(box) == ok);
      if (!ok) return;
      BOOST_TEST_REQUIRE(box.pixels.transaction_bytes == row.unsigned_number("tx"));
      const std::uint64_t base = row.unsigned_number("base");
      const OobFill fill = box.pixels.fill;
      const golden::Filled source = golden::load_source(row);
      std::vector<std::uint8_t> image(row.unsigned_number("len"), kUntouched);
      for (Im2colCursor at(box); !at.done(); at.next()) {
        const auto put = [&](std::uint32_t begin, std::uint32_t end, bool inside) {
          for_each_piece(box.pixels, at.row(), begin, end,
                         [&](std::uint64_t address, std::uint32_t length, std::uint32_t packed) {
                           for (std::uint32_t i = 0; i < length; ++i) {
                             const std::uint64_t offset =
                                 row.unsigned_number("goff") + at.row().global_offset + packed + i;
                             if (address + i - base >= image.size()) continue;  // the dump was cut
                             image[address + i - base] =
                                 inside ? source.byte(offset) : fill_byte(fill, address + i);
                           }
                         });
        };
        const bool outside = at.row().outside;
        put(0, outside ? box.pixels.packed_bytes : box.pixels.in_begin, false);
        if (outside) continue;
        put(box.pixels.in_begin, box.pixels.in_end, true);
        put(box.pixels.in_end, box.pixels.packed_bytes, false);
      }
      for (std::size_t i = 0; i < image.size(); ++i) {
        BOOST_TEST_REQUIRE(image[i] == row.piece()[i], "byte " << i);
      }
    }
  });
  BOOST_TEST(loads == 348u);
  BOOST_TEST(faults == 50u);
}

BOOST_AUTO_TEST_CASE(every_store_captured_on_an_h200) {
  const golden::Table table = golden::load("h200/im2col_store");
  golden::for_each_row(table, [&](const golden::Row& row) {
    BOOST_TEST_CONTEXT("record " << row.id()) {
      const Im2colBox box = captured_box(row, true);
      BOOST_TEST_REQUIRE(starts_in_box(box) == (row.text("result") == "ok"));
      if (row.text("result") != "ok") return;
      // The window starts 2048 bytes before the tensor; shared memory counts words from `base`.
      std::vector<std::uint8_t> window(row.unsigned_number("len"), kUntouched);
      const golden::Filled source{golden::Filled::counting};
      for (Im2colCursor at(box); !at.done(); at.next()) {
        if (at.row().outside) continue;
        for_each_piece(box.pixels, at.row(), 0, box.pixels.stored_end(),
                       [&](std::uint64_t address, std::uint32_t length, std::uint32_t packed) {
                         for (std::uint32_t i = 0; i < length; ++i) {
                           const std::uint64_t to = 2048 + at.row().global_offset + packed + i;
                           if (to >= window.size()) continue;
                           window[to] = source.byte(address + i - row.unsigned_number("base"));
                         }
                       });
      }
      for (std::size_t i = 0; i < window.size(); ++i) {
        BOOST_TEST_REQUIRE(window[i] == row.piece()[i], "byte " << i);
      }
    }
  });
}

// The same walk written as nested loops that start in the middle.
BOOST_AUTO_TEST_CASE(walk_agrees_with_nested_loops) {
  for (int lower = -2; lower <= 1; ++lower) {
    for (int upper = -1; upper <= 2; ++upper) {
      for (std::uint64_t stride = 1; stride <= 3; ++stride) {
        Im2colMap map;
        map.tensor.data_type = DataType::f16;
        map.tensor.rank = 4;
        map.tensor.global_address = 0x10000000;
        map.tensor.global_dim = {8, 5, 4, 6, 1};
        map.tensor.global_stride = {16, 80, 320, 0};
        map.tensor.element_stride = {1, stride, 1, stride, 1};
        map.lower[0] = map.lower[1] = lower;
        map.upper[0] = map.upper[1] = upper;
        map.channels_per_pixel = 8;
        map.pixels_per_column = 60;
        BOOST_TEST_REQUIRE(is_accepted(map, Arch::sm_90));
        const std::int64_t w0 = lower, h0 = lower + 1, n0 = 1;
        const Im2colBox box = make_im2col_box(map, {0, w0, h0, n0}, {{1, 2}}, 0x400);
        BOOST_TEST_REQUIRE(starts_in_box(box));
        Im2colCursor at(box);
        const std::int64_t step = static_cast<std::int64_t>(stride);
        bool start = true;
        for (std::int64_t n = n0; !at.done(); n += step) {
          for (std::int64_t h = start ? h0 : lower; h <= 3 + upper && !at.done(); ++h) {
            for (std::int64_t w = start ? w0 : lower; w <= 4 + upper && !at.done(); w += step) {
              start = false;
              BOOST_TEST_REQUIRE(at.at(0) == w + 1);
              BOOST_TEST_REQUIRE(at.at(1) == h + 2);
              BOOST_TEST_REQUIRE(at.image() == n);
              const bool inside = w + 1 >= 0 && w + 1 < 5 && h + 2 >= 0 && h + 2 < 4 && n < 6;
              BOOST_TEST_REQUIRE(at.row().outside == !inside);
              if (inside) {
                BOOST_TEST_REQUIRE(at.row().global_offset == (w + 1) * 16 + (h + 2) * 80 + n * 320);
              }
              at.next();
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
