#include "kernel/probe_tile.h"

#include <algorithm>
#include <set>

#include "kernel/probe_presets.h"
#include "kernel/probe_sampler.h"
#include "sim/layout/operand.h"
#include "sim/layout/operand_rules.h"
#include "sim/layout/tensor_map_rules.h"
#include "sim/layout/tma_box.h"
#include "tests/gpu/probe_model.h"
#include "tests/test.h"

// The probe's own arithmetic against the model's, without a GPU: the two share no code.
namespace {

using lc::gpu_tests::coordinates_of;
using lc::gpu_tests::model_of;
using lc::kernel::check;
using lc::kernel::OperandCopy;
using lc::kernel::Random;
using lc::kernel::SmemDumpError;
using lc::kernel::TmaTile;

/// The highest source byte that the model's copy reads, plus one.
std::uint64_t read_end(const TmaTile& tile, const lc::TmaBox& box) {
  std::uint64_t end = 0;
  for (lc::TmaRowCursor at(box); !at.done(); at.next()) {
    if (at.row().outside) continue;
    end = std::max(
        end, tile.source_offset + static_cast<std::uint64_t>(at.row().global_offset) + box.in_end);
  }
  return end;
}

void require_loadable(const TmaTile& tile) {
  const lc::TensorMap map = model_of(tile);
  BOOST_TEST_REQUIRE(lc::is_accepted(map, lc::Arch::sm_90), json_text(tile.map));
  const lc::TmaBox box = lc::make_tma_box(map, coordinates_of(tile), tile.destination);
  BOOST_TEST_REQUIRE(box.transaction_bytes == transaction_bytes(tile));
  BOOST_TEST_REQUIRE(box.rows * box.row_pitch == footprint_bytes(tile));
  BOOST_TEST_REQUIRE(read_end(tile, box) <= lc::kernel::kSourceBytes);
  BOOST_TEST_REQUIRE(tile.destination % 128 == 0u);
  const std::int64_t first_byte =
      std::int64_t{tile.coordinates[0]} * lc::kernel::element_bytes(tile.map.data_type);
  BOOST_TEST_REQUIRE((tile.map.interleave != 0 || first_byte % 16 == 0));
  BOOST_TEST_REQUIRE(tile.window.begin <= tile.destination);
  BOOST_TEST_REQUIRE(tile.window.begin + tile.window.bytes >= tile.destination + box.footprint);
}

lc::OperandLayout layout_of(const OperandCopy& copy) {
  const auto arch = copy.arch == 90 ? lc::Arch::sm_90 : lc::Arch::sm_100;
  const auto decoded = lc::decode_smem_descriptor(arch, descriptor(copy));
  BOOST_TEST_REQUIRE(decoded.swizzle_valid);
  return lc::operand_layout(decoded.fields, copy.k_major ? lc::Major::k : lc::Major::mn,
                            *lc::value_of<lc::Element>(copy.element),
                            copy.container == 8 ? lc::Container::byte : lc::Container::packed);
}

/// What the kernel stores at cell (row, cell), the descriptor finds there.
bool store_and_descriptor_agree(const OperandCopy& copy) {
  const lc::OperandLayout layout = layout_of(copy);
  const auto store = operand_store(copy);
  const std::uint32_t per_cell = 128 / element_bits(copy);
  const std::uint32_t k_count = copy.slice_k != 0 ? copy.slice_k : copy.k;
  for (std::uint32_t mn = 0; mn < copy.mn; ++mn) {
    for (std::uint32_t i = 0; i < k_count; ++i) {
      const std::uint32_t k = copy.slice_begin + i;
      const std::uint32_t along = copy.k_major ? k : mn, row = copy.k_major ? mn : k;
      const std::uint64_t stored = std::uint64_t{cell_address(store, row, along / per_cell)} * 8 +
                                   along % per_cell * element_bits(copy);
      if (layout.bit_address(mn, i) != stored) return false;
    }
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(probe_tile_tests)

BOOST_AUTO_TEST_CASE(sampled_tma_tiles_are_legal_and_counted_right) {
  Random random(1);
  std::set<int> ranks, types, swizzles, interleaves;
  for (int i = 0; i < 5000; ++i) {
    const TmaTile tile = random_tma_tile(random, i % 100 == 0 ? 131072 : i % 2 == 0 ? 2048 : 16384);
    require_loadable(tile);
    ranks.insert(static_cast<int>(tile.coordinates.size()));
    types.insert(tile.map.data_type);
    swizzles.insert(tile.map.swizzle);
    interleaves.insert(tile.map.interleave);
  }
  BOOST_TEST(ranks.size() == 5u);
  BOOST_TEST(types.size() == 13u);
  BOOST_TEST(swizzles.size() == 4u);
  BOOST_TEST(interleaves.size() == 3u);
}

BOOST_AUTO_TEST_CASE(sampled_operand_stores_match_their_descriptors) {
  Random random(2);
  std::set<std::string> kinds;
  for (int i = 0; i < 1500; ++i) {
    const OperandCopy copy = random_operand_copy(random, 2048);
    const auto arch = copy.arch == 90 ? lc::Arch::sm_90 : lc::Arch::sm_100;
    const auto mode = lc::check_operand_mode(
        arch, *lc::value_of<lc::Element>(copy.element),
        copy.container == 8 ? lc::Container::byte : lc::Container::packed,
        copy.k_major ? lc::Major::k : lc::Major::mn, static_cast<lc::Swizzle>(copy.swizzle));
    BOOST_TEST_REQUIRE(mode.count == 0u);
    BOOST_TEST_REQUIRE(store_and_descriptor_agree(copy));
    kinds.insert(copy.element + (copy.k_major ? "k" : "mn") + std::to_string(copy.container) +
                 std::to_string(static_cast<int>(copy.swizzle)));
  }
  BOOST_TEST(kinds.size() == 4u * 11 + 4u * 6 + 1);  // K-major, MN-major, tf32 MN-major
}

BOOST_AUTO_TEST_CASE(presets_are_what_they_say) {
  for (const OperandCopy& copy : lc::kernel::tcgen05_tile_preset()) {
    BOOST_TEST_CONTEXT(copy.name) {
      check(copy);
      BOOST_TEST(store_and_descriptor_agree(copy));
    }
  }
  for (const OperandCopy& copy : lc::kernel::base_offset_mistakes()) {
    BOOST_TEST_CONTEXT(copy.name) {
      check(copy);
      BOOST_TEST(!store_and_descriptor_agree(copy));
    }
  }
  for (TmaTile tile : lc::kernel::grouped_box_preset()) {
    BOOST_TEST_CONTEXT(tile.name) {
      check(tile);
      tile.window = window_of(tile);
      require_loadable(tile);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_same_seed_draws_the_same_tiles) {
  Random a(7), b(7), c(8);
  bool all_equal = true;
  for (int i = 0; i < 20; ++i) {
    const auto x = random_tma_tile(a, 4096), y = random_tma_tile(b, 4096);
    BOOST_TEST(json_text(x.map) == json_text(y.map));
    all_equal &= json_text(x.map) == json_text(random_tma_tile(c, 4096).map);
  }
  BOOST_TEST(!all_equal);
}

BOOST_AUTO_TEST_CASE(tma_tiles_that_cannot_be_probed_are_refused) {
  const TmaTile good = lc::kernel::grouped_box_preset()[0];
  const auto refused = [&](auto change) {
    TmaTile bad = good;
    change(bad);
    BOOST_CHECK_THROW(check(bad), SmemDumpError);
  };
  check(good);
  refused([](TmaTile& t) { t.map.global_dim.clear(); });
  refused([](TmaTile& t) { t.coordinates.pop_back(); });
  refused([](TmaTile& t) { t.map.global_strides.push_back(16); });
  refused([](TmaTile& t) { t.map.data_type = 13; });
  refused([](TmaTile& t) { t.map.data_type = -1; });
  refused([](TmaTile& t) { t.map.interleave = 1; });
  refused([](TmaTile& t) { t.map.swizzle = 7; });
  refused([](TmaTile& t) { t.map.element_strides[1] = 0; });
  refused([](TmaTile& t) { t.map.box_dim[1] = 0; });
  refused([](TmaTile& t) { t.map.box_dim[1] = 257; });
  refused([](TmaTile& t) { t.destination = 0; });
  refused([](TmaTile& t) { t.destination = lc::kernel::kSmemEnd - 128; });
  refused([](TmaTile& t) { t.source_offset = lc::kernel::kSourceBytes; });
  refused([](TmaTile& t) { t.map.global_strides[0] = 1ull << 39; });
  refused([](TmaTile& t) { t.map.global_strides[0] = ~0ull; });
  refused([](TmaTile& t) { t.window = {1024, lc::kernel::kSmemEnd}; });
  refused([](TmaTile& t) { t.window = {0xFFFFFF00, 4096}; });
}

BOOST_AUTO_TEST_CASE(operands_that_cannot_be_stored_are_refused) {
  const OperandCopy good = lc::kernel::tcgen05_tile_preset()[0];
  const auto refused = [&](auto change) {
    OperandCopy bad = good;
    change(bad);
    BOOST_CHECK_THROW(check(bad), SmemDumpError);
  };
  check(good);
  refused([](OperandCopy& c) { c.element = "f17"; });
  refused([](OperandCopy& c) { c.element = "e3m2"; });  // packed
  refused([](OperandCopy& c) { c.container = 8; });
  refused([](OperandCopy& c) { c.arch = 80; });
  refused([](OperandCopy& c) { c.mn = 0; });
  refused([](OperandCopy& c) { c.k = 12; });
  refused([](OperandCopy& c) { c.mn = 0xFFFFFFFF; });
  refused([](OperandCopy& c) { c.mn = c.k = 0x10000; });
  refused([](OperandCopy& c) { c.stride_byte_offset = 0; });    // cells on top of each other
  refused([](OperandCopy& c) { c.stride_byte_offset = 520; });  // not a multiple of 16
  refused([](OperandCopy& c) { c.stride_byte_offset = 0x3FFF0; });
  refused([](OperandCopy& c) { c.start_address = 1040; });
  refused([](OperandCopy& c) { c.start_address = 0; });
  refused([](OperandCopy& c) { c.base_offset = 8; });
  refused([](OperandCopy& c) { c.source_offset = 8; });
  refused([](OperandCopy& c) { c.source_pitch = 0xFFFFFFF0; });
  refused([](OperandCopy& c) { c.slice_begin = 4; });
  refused([](OperandCopy& c) { c.slice_begin = 24, c.slice_k = 16; });
  refused([](OperandCopy& c) { c.window = {1024, lc::kernel::kSmemEnd}; });
}

BOOST_AUTO_TEST_SUITE_END()
