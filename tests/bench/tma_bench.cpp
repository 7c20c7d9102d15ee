// The walk over the rows of a box, copying its bytes into an image of shared memory: what `check`
// does for every tile.  A memcpy of as many bytes runs beside it.
#include <cstring>
#include <vector>

#include "sim/layout/tma_box.h"
#include "sim/layout/tma_copy.h"
#include "tests/bench/measure.h"

using namespace lc;
using namespace lc::bench;

namespace {

/// 64 x 256 elements of a 512 x 512 bf16 matrix, 128B swizzle: 32 KiB.
TensorMap map_of_box(Swizzle swizzle) {
  TensorMap map;
  map.data_type = DataType::bf16;
  map.rank = 2;
  map.global_address = 0x10000000;
  map.global_dim = {512, 512, 1, 1, 1};
  map.global_stride = {1024, 0, 0, 0, 0};
  map.box_dim = {64, 256, 1, 1, 1};
  map.swizzle = swizzle;
  return map;
}

constexpr Coordinates kFirst = {64, 128, 0, 0, 0};
constexpr std::uint64_t kSmemAddress = 0x400;

std::vector<std::uint8_t> matrix() {
  std::vector<std::uint8_t> bytes(512 * 1024);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
  }
  return bytes;
}

/// By the inverse of the walk.
bool is_right(const TmaBox& box, const std::vector<std::uint8_t>& global,
              const std::vector<std::uint8_t>& image) {
  for (std::size_t i = 0; i < image.size(); ++i) {
    const TmaElement e = element_at(box, kSmemAddress + i);
    if (!e.inside || image[i] != global[static_cast<std::size_t>(e.global_offset)]) return false;
  }
  return true;
}

void copy_box(benchmark::State& state, Swizzle swizzle) {
  TensorMap map = map_of_box(swizzle);
  const std::vector<std::uint8_t> global = matrix();
  const TmaBox box = make_tma_box(map, kFirst, kSmemAddress);
  std::vector<std::uint8_t> image(box.footprint);
  for (auto _ : state) {
    benchmark::DoNotOptimize(map);
    const TmaBox walked = make_tma_box(map, kFirst, kSmemAddress);
    for (TmaRowCursor at(walked); !at.done(); at.next()) {
      const std::uint8_t* from = global.data() + at.row().global_offset;
      for_each_piece(walked, at.row(), 0, walked.packed_bytes,
                     [&](std::uint64_t address, std::uint32_t length, std::uint32_t offset) {
                       std::memcpy(image.data() + (address - kSmemAddress), from + offset, length);
                     });
    }
    benchmark::ClobberMemory();
  }
  finish(state, 0, box.transaction_bytes, is_right(box, global, image));
}

void plain_copy(benchmark::State& state) {
  const std::vector<std::uint8_t> global = matrix();
  std::vector<std::uint8_t> image(64 * 2 * 256);
  for (auto _ : state) {
    std::memcpy(image.data(), global.data(), image.size());
    benchmark::ClobberMemory();
  }
  finish(state, 0, image.size(), std::memcmp(image.data(), global.data(), image.size()) == 0);
}

BENCHMARK_CAPTURE(copy_box, b128, Swizzle::b128)->Name("tma_box/128B");
BENCHMARK_CAPTURE(copy_box, none, Swizzle::none)->Name("tma_box/none");
BENCHMARK(plain_copy)->Name("tma_box/memcpy");

}  // namespace
