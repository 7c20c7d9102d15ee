#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/dump/description.h"
#include "verify/dump/mapped_file.h"
#include "verify/dump/safetensors.h"

namespace lc::verify {

/// A piece of shared memory.
struct Window {
  std::uint64_t address = 0;
  std::span<const std::uint8_t> bytes;

  std::uint64_t end() const { return address + bytes.size(); }
  bool holds(std::uint64_t from, std::uint64_t length) const {
    return from >= address && from - address <= bytes.size() &&
           length <= bytes.size() - (from - address);
  }
};

/// A dumped tile, or the reason why it cannot be checked.
struct DumpedTile {
  /// What keeps a tile from being checked.
  struct Problem {
    std::string where, what, hint;
  };

  std::string name;
  Window window;
  std::optional<TileDescription> description;
  std::optional<Problem> problem;
};

/// A dump file: its tiles in the order of their bytes, sources left out.
struct DumpFile {
  std::string path;
  std::vector<DumpedTile> tiles;
  bool missing = false;  ///< something is described that is not in the file
  std::map<std::string, std::string> facts;  ///< "device", "driver", …
  std::vector<std::string> notes;
};

/// Reads a file that is in memory.  Throws `Error` for what is no dump file at all; what is wrong
/// with one tile becomes that tile's problem.
DumpFile read_dump(const std::string& path, std::span<const std::uint8_t> bytes);

}  // namespace lc::verify
