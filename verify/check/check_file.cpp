#include "verify/check/check_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "verify/check/chunk_index.h"
#include "verify/error.h"

namespace lc::verify {
namespace {

/// Bytes of wrong tiles in one file that are searched for the reason, small tiles counted as more.
constexpr std::uint64_t kMostSearched = std::uint64_t{8} << 20;
constexpr std::uint64_t kLeastCounted = std::uint64_t{32} << 10;

FirstDifference first_difference(const DumpedTile& tile, std::uint64_t address, const Rendering& r,
                                 const ChunkIndex& source) {
  const TileDescription& d = *tile.description;
  FirstDifference first;
  first.place = place_of(d, address);
  const std::uint64_t at = address - tile.window.address;
  first.should_be_untouched = r.state[at] == ByteState::untouched;
  const std::uint64_t chunk = std::max(address / 16 * 16, tile.window.address);
  const std::uint64_t begin = chunk - tile.window.address;
  const std::uint64_t end =
      std::min<std::uint64_t>(begin + 16 - chunk % 16, tile.window.bytes.size());
  first.at = at - begin;
  for (std::uint64_t i = begin; i < end; ++i) {
    first.expected.push_back(r.expected[i]);
    first.found.push_back(tile.window.bytes[i]);
  }
  if (first.found.size() == ChunkIndex::kChunk) {
    first.found_source = source.find(first.found.data());
  }
  if (first.found_source) first.found_elements = source_place(d, *first.found_source);
  return first;
}

void add_notes(const TileDescription& d, const Comparison& c, TileReport& report) {
  for (const std::string& field : d.ignored) {
    report.notes.push_back(
        fmt::format("`{:.80}` is no field of a description and was not read", field));
  }
  if (d.kind == TileDescription::Kind::tensor_map && d.descriptor_word != 0) {
    report.notes.emplace_back("the descriptor was not used: the tensor map says what was written");
  }
  if (c.outside != 0) {
    report.notes.push_back(
        fmt::format("{} bytes of the tile lie outside of the dumped window", c.outside));
  }
}

/// What is wrong with a tile, and why.  `budget` counts the bytes that may still be searched.
void explain(const DumpedTile& tile, const std::vector<DumpedTile>& neighbours,
             std::uint64_t& budget, TileReport& report) {
  const TileDescription& d = *tile.description;
  const Image image = image_of(d);
  const Rendering right = render(image, d.source, tile.window, d.untouched, d.barriers);
  const ChunkIndex source = index_of_source(image, d.source);
  report.first = first_difference(tile, *report.comparison.first, right, source);
  const std::uint64_t size =
      std::max({report.bytes, image.rows() * image.row_bytes(), kLeastCounted});
  if (size > budget) {
    report.notes.emplace_back("not diagnosed: too many wrong tiles before it; check it by itself");
    return;
  }
  budget -= size;
  const Evidence evidence(image, d.source, tile.window, source);
  report.diagnosis = diagnose({tile, neighbours, image, evidence}, right);
}

TileReport check_tile(const std::string& path, const DumpedTile& tile,
                      const std::vector<DumpedTile>& neighbours, std::uint64_t& budget) {
  TileReport report;
  report.name = tile.name;
  report.bytes = tile.window.bytes.size();
  report.problem = tile.problem;
  if (!tile.description) return report;
  report.address = tile.window.address;
  report.kind = summary(*tile.description);
  const std::string where = fmt::format("{}: tile `{:.80}`: ", path, tile.name);
  try {
    report.comparison = compare(where, tile);
  } catch (const Error& e) {
    report.problem = {e.where, e.message, e.hint};
    return report;
  }
  add_notes(*tile.description, report.comparison, report);
  if (report.comparison.same() && report.comparison.outside != 0) {
    report.problem = {where + "bytes",
                      fmt::format("{} bytes of the tile are not in the dump; the rest agrees",
                                  report.comparison.outside),
                      "dump the whole footprint of the box or operand"};
    return report;
  }
  report.result = report.comparison.same() ? TileReport::Result::same : TileReport::Result::differs;
  if (!report.comparison.same()) explain(tile, neighbours, budget, report);
  return report;
}

}  // namespace

std::uint64_t FileReport::count(TileReport::Result wanted) const {
  return static_cast<std::uint64_t>(std::count_if(
      tiles.begin(), tiles.end(), [&](const TileReport& t) { return t.result == wanted; }));
}

TileReport::Result FileReport::result() const {
  using enum TileReport::Result;
  if (problem || missing || count(unknown) != 0) return unknown;
  return count(differs) != 0 ? differs : same;
}

FileReport check_bytes(const std::string& path, std::span<const std::uint8_t> bytes) {
  FileReport report;
  report.path = path;
  try {
    DumpFile file = read_dump(path, bytes);
    report.facts = std::move(file.facts);
    report.missing = file.missing;
    if (const auto said = report.facts.find("incomplete"); said != report.facts.end()) {
      report.missing = true;
      report.notes.push_back("the dump says it is incomplete: " + said->second);
    }
    report.notes = std::move(file.notes);
    std::uint64_t budget = kMostSearched;
    for (const DumpedTile& tile : file.tiles) {
      report.tiles.push_back(check_tile(path, tile, file.tiles, budget));
    }
  } catch (const Error& e) {
    report.problem = {e.where, e.message, e.hint};
  }
  return report;
}

FileReport check_file(const std::string& path) {
  try {
    const MappedFile file(path);
    return check_bytes(path, file.bytes());
  } catch (const Error& e) {
    FileReport report;
    report.path = path;
    report.problem = {e.where, e.message, e.hint};
    return report;
  }
}

}  // namespace lc::verify
