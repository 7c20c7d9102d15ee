#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/check/compare.h"
#include "verify/check/diagnose.h"
#include "verify/check/place.h"
#include "verify/dump/dump_file.h"

namespace lc::verify {

/// The first byte that differs, in all coordinates, with the 16-byte chunk around it.
struct FirstDifference {
  Place place;
  std::vector<std::uint8_t> expected, found;  ///< bytes of the chunk, as far as the window goes
  std::size_t at = 0;                         ///< the byte in them
  bool should_be_untouched = false;
  std::optional<std::uint64_t> found_source;  ///< where the source has the found chunk, uniquely
  std::string found_elements;                 ///< the same in the tile's coordinates
};

/// What was found out about one tile.
struct TileReport {
  enum class Result : std::uint8_t { same, differs, unknown };

  std::string name;
  std::string kind;  ///< "box bf16 {64,128} 128B"
  std::uint64_t address = 0, bytes = 0;
  Result result = Result::unknown;
  std::optional<DumpedTile::Problem> problem;  ///< why it is unknown
  Comparison comparison;
  std::optional<FirstDifference> first;
  std::optional<Diagnosis> diagnosis;
  std::vector<std::string> notes;
};

struct FileReport {
  std::string path;
  std::optional<DumpedTile::Problem> problem;  ///< of the whole file
  std::map<std::string, std::string> facts;
  std::vector<TileReport> tiles;
  std::vector<std::string> notes;
  bool missing = false;  ///< tiles that should be in the file are not

  std::uint64_t count(TileReport::Result result) const;
  /// differs if a tile differs, unknown if one could not be checked (stronger), else same.
  TileReport::Result result() const;
};

/// Checks every tile of a file.  Never throws for what is in the file: that is part of the report.
FileReport check_file(const std::string& path);
/// The same for a file in memory.
FileReport check_bytes(const std::string& path, std::span<const std::uint8_t> bytes);

}  // namespace lc::verify
