#include <cstring>
#include <vector>

#include "kernel/launch.h"
#include "kernel/mix32.h"
#include "kernel/probe_presets.h"
#include "kernel/probe_sampler.h"
#include "sim/layout/operand.h"
#include "sim/layout/tma_box.h"
#include "tests/gpu/needs_gpu.h"
#include "tests/gpu/probe_model.h"

// Bytes that the GPU wrote against the model, with nothing of the dump reader in between.
namespace {

using namespace lc::kernel;
using lc::gpu_tests::coordinates_of;
using lc::gpu_tests::model_of;

std::uint8_t source_byte(std::uint64_t offset) {
  const auto word = static_cast<std::uint32_t>(offset / 4);
  return static_cast<std::uint8_t>(mix32(word + kSourceSeed) >> offset % 4 * 8);
}

/// What a tf32 load makes of an f32: 10 mantissa bits, to nearest even; one NaN for all.
std::uint32_t rounded_to_tf32(std::uint32_t word) {
  if ((word & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
  if ((word & 0x7fffffff) == 0x7f800000) return word;
  return (word + 0xfff + (word >> 13 & 1)) & ~std::uint32_t{0x1fff};
}

std::uint8_t loaded_byte(const TmaTile& tile, std::uint64_t offset) {
  if (tile.map.data_type < 11) return source_byte(offset);
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) {
    word |= std::uint32_t{source_byte(offset / 4 * 4 + i)} << 8 * i;
  }
  return static_cast<std::uint8_t>(rounded_to_tf32(word) >> offset % 4 * 8);
}

std::vector<std::uint8_t> expected(const TmaTile& tile) {
  const auto map = model_of(tile);
  const auto box = lc::make_tma_box(map, coordinates_of(tile), tile.destination);
  const Window window = window_of(tile);
  std::vector<std::uint8_t> out(window.bytes, kUntouched);
  for (std::uint32_t i = 0; i < window.bytes; ++i) {
    const auto found = lc::element_at(box, window.begin + i);
    if (!found.present) continue;
    out[i] = found.inside ? loaded_byte(tile, tile.source_offset +
                                                  static_cast<std::uint64_t>(found.global_offset))
                          : lc::fill_byte(map.oob_fill, window.begin + i);
  }
  return out;
}

/// For elements of whole bytes, through the descriptor.
std::vector<std::uint8_t> expected(const OperandCopy& copy) {
  const auto arch = copy.arch == 90 ? lc::Arch::sm_90 : lc::Arch::sm_100;
  const auto layout = lc::operand_layout(lc::decode_smem_descriptor(arch, descriptor(copy)).fields,
                                         copy.k_major ? lc::Major::k : lc::Major::mn,
                                         *lc::value_of<lc::Element>(copy.element));
  const Window window = window_of(copy);
  const SourceShape shape = source_shape(copy);
  const std::uint32_t bytes = element_bits(copy) / 8;
  std::vector<std::uint8_t> out(window.bytes, kUntouched);
  for (std::uint32_t mn = 0; mn < copy.mn; ++mn) {
    for (std::uint32_t k = 0; k < copy.k; ++k) {
      const std::uint64_t from = copy.source_offset +
                                 std::uint64_t{copy.k_major ? mn : k} * shape.pitch +
                                 (copy.k_major ? k : mn) * bytes;
      for (std::uint32_t i = 0; i < bytes; ++i) {
        out.at(layout.address(mn, k) + i - window.begin) = source_byte(from + i);
      }
    }
  }
  return out;
}

template <class Tile>
void require_as_expected(const std::vector<Tile>& tiles) {
  TileProbe probe("test");
  for (const Tile& tile : tiles) probe.run(tile);
  const DumpFile file = probe.finish();
  BOOST_TEST_REQUIRE(file.tensors().size() == tiles.size());
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    BOOST_TEST_CONTEXT(file.tensors()[i].description) {
      BOOST_TEST(file.tensors()[i].name == tiles[i].name);
      BOOST_TEST((file.tensors()[i].bytes == expected(tiles[i])));
    }
  }
}

}  // namespace

LC_GPU_SUITE(tile_probe_gpu_tests)

BOOST_AUTO_TEST_CASE(tma_tiles_of_every_kind) {
  Random random(11);
  std::vector<TmaTile> tiles;
  for (int i = 0; i < 500; ++i) {
    tiles.push_back(random_tma_tile(random, i % 10 == 0 ? 65536 : 4096));
    tiles.back().name = "tma." + std::to_string(i);
  }
  require_as_expected(tiles);
}

BOOST_AUTO_TEST_CASE(operand_tiles_of_every_kind) {
  Random random(12);
  std::vector<OperandCopy> tiles;
  while (tiles.size() < 500) {
    OperandCopy copy = random_operand_copy(random, tiles.size() % 10 == 0 ? 65536 : 4096);
    if (copy.slice_k != 0 || copy.element[0] == 'e') continue;  // whole tiles of whole bytes
    copy.name = "operand." + std::to_string(tiles.size());
    tiles.push_back(copy);
  }
  require_as_expected(tiles);
}

BOOST_AUTO_TEST_CASE(presets) {
  require_as_expected(grouped_box_preset());
  std::vector<OperandCopy> whole;
  for (const OperandCopy& copy : tcgen05_tile_preset()) {
    if (copy.slice_k == 0) whole.push_back(copy);
  }
  require_as_expected(whole);
}

BOOST_AUTO_TEST_CASE(a_pipeline_dumps_every_stage_of_every_cta) {
  TileProbe probe("test");
  probe.run_pipeline();
  const DumpFile file = probe.finish();
  // 2 CTAs x 3 K tiles in 2 stages x A and B.
  BOOST_TEST(file.tensors().size() == 12u);
}

BOOST_AUTO_TEST_CASE(a_map_that_the_driver_refuses_is_an_error_not_a_crash) {
  TmaTile tile = grouped_box_preset()[1];
  tile.map.box_dim[0] = 128;  // 256 bytes under a 128-byte swizzle
  tile.map.global_dim[0] = 256;
  TileProbe probe("test");
  BOOST_CHECK_THROW(probe.run(tile), SmemDumpError);
  probe.run(grouped_box_preset()[0]);
  BOOST_TEST(probe.finish().tensors().size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
