// Dump files: expected bytes and comparison against plain memcmp, and the search for a reason.
#include <cstring>
#include <vector>

#include "tests/bench/measure.h"
#include "tests/verify/dump_maker.h"

using namespace lc;
using namespace lc::bench;
using lc::tests::MadeSource;
using lc::tests::MadeTile;
using lc::verify::check_bytes;
using lc::verify::FileReport;
using lc::verify::TileDescription;
using lc::verify::TileReport;

namespace {

constexpr std::uint64_t kRows = 256, kRowBytes = 128, kTiles = 64;
constexpr std::uint64_t kTileBytes = kRows * kRowBytes;

/// Stage after stage of one 128B-swizzled operand, 32 KiB each.
TileDescription stage(std::uint64_t i, bool from_tensor) {
  TileDescription d = tests::box_description();
  d.map.global_dim = {64 * kTiles, kRows, 1, 1, 1};
  d.map.global_stride = {kRowBytes * kTiles};
  d.map.box_dim = {64, kRows, 1, 1, 1};
  d.coordinates[0] = static_cast<std::int64_t>(64 * i);
  if (from_tensor) {
    d.source.kind = verify::Source::Kind::tensor;
    d.source_name = "global";
  }
  return d;
}

struct Made {
  MadeSource source{"global", std::vector<std::uint8_t>(kTiles* kTileBytes)};
  std::vector<MadeTile> tiles;
  std::string file;
};

Made made_stages(bool from_tensor) {
  Made made;
  verify::Source values;
  values.kind = verify::Source::Kind::mix32;
  for (std::uint64_t i = 0; i < made.source.bytes.size(); ++i) {
    made.source.bytes[i] = values.byte(i);
  }
  for (std::uint64_t i = 0; i < kTiles; ++i) {
    TileDescription d = stage(i, from_tensor);
    d.source.bytes = made.source.bytes;
    made.tiles.push_back({"A/stage" + std::to_string(i), d, tests::right_bytes(d, kTileBytes)});
  }
  made.file = tests::made_file(made.tiles,
                               from_tensor ? std::vector{made.source} : std::vector<MadeSource>{});
  return made;
}

/// Expected bytes and comparison alone.
void compared(benchmark::State& state) {
  const Made made = made_stages(true);
  const verify::DumpFile dump = verify::read_dump("bench", tests::bytes_of(made.file));
  bool same = true;
  for (auto _ : state) {
    for (const verify::DumpedTile& tile : dump.tiles) {
      same = same && verify::compare("bench", tile).same();
    }
  }
  finish(state, 0, kTiles * kTileBytes, same && dump.tiles.size() == kTiles);
}

void check_file_of(benchmark::State& state, bool from_tensor) {
  const Made made = made_stages(from_tensor);
  bool same = true;
  for (auto _ : state) {
    const FileReport report = check_bytes("bench", tests::bytes_of(made.file));
    same = same && report.result() == TileReport::Result::same && report.tiles.size() == kTiles;
  }
  finish(state, 0, kTiles * kTileBytes, same);
}

void from_tensor(benchmark::State& state) {
  check_file_of(state, true);
}
void from_pattern(benchmark::State& state) {
  check_file_of(state, false);
}

/// The same bytes compared with a copy of themselves.
void plain_memcmp(benchmark::State& state) {
  const Made made = made_stages(true);
  const std::string copy = made.file;
  bool same = true;
  for (auto _ : state) {
    const char* a = made.file.data() + made.file.size() - 2 * kTiles * kTileBytes;
    const char* b = copy.data() + copy.size() - 2 * kTiles * kTileBytes;
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(b);
    same = same && std::memcmp(a, b, kTiles * kTileBytes) == 0;
  }
  finish(state, 0, kTiles * kTileBytes, same);
}

/// 228 KiB of one operand, written with another swizzle than described.
void wrong_dump(benchmark::State& state) {
  TileDescription d = tests::operand_description();
  d.mn = 228 * 1024 / 128;
  d.untouched = 0xCD;
  TileDescription written = d;
  written.descriptor.base_offset = 3;
  const std::vector<MadeTile> tiles{{"A", d, tests::right_bytes(written, d.mn * 128)}};
  const std::string file = tests::made_file(tiles);
  bool named = true;
  for (auto _ : state) {
    const FileReport report = check_bytes("bench", tests::bytes_of(file));
    named = named && report.tiles[0].diagnosis && report.tiles[0].diagnosis->complete();
  }
  finish(state, 0, d.mn * 128, named);
}

BENCHMARK(compared)->Name("check/compare_128B")->Unit(benchmark::kMillisecond);
BENCHMARK(from_tensor)->Name("check/file")->Unit(benchmark::kMillisecond);
BENCHMARK(plain_memcmp)->Name("check/memcmp")->Unit(benchmark::kMillisecond);
BENCHMARK(from_pattern)->Name("check/file_of_mix32")->Unit(benchmark::kMillisecond);
BENCHMARK(wrong_dump)->Name("check/diagnose_228_KiB")->Unit(benchmark::kMillisecond);

}  // namespace
