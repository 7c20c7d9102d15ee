#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/check/compare.h"
#include "verify/check/evidence.h"
#include "verify/check/image.h"
#include "verify/dump/dump_file.h"

namespace lc::verify {

/// One thing that may have gone otherwise than described, with the image it would have left.
struct Hypothesis {
  std::string kind;    ///< stable, for scripts: "swizzle", "base-phase", "stage", …
  std::string text;    ///< goes on after "a tile that "
  std::string advice;  ///< what to try
  Image image;
  Source source;
  int cost = 1;  ///< the simpler of two that fit equally is named first
};

/// A wrong tile, and what the generators may look at.
struct Subject {
  const DumpedTile& tile;
  const std::vector<DumpedTile>& neighbours;  ///< all tiles of the file
  const Image& image;
  const Evidence& evidence;

  const TileDescription& description() const { return *tile.description; }
};

using Hypotheses = std::vector<Hypothesis>;

/// A row of the table of changes.  Each proposes values of one kind; what does not fit the bytes
/// is thrown away by `diagnose`, so a proposal need only be possible.
struct Generator {
  const char* kind;
  void (*propose)(const Subject&, Hypotheses&);
};

std::span<const Generator> image_generators();    ///< changes that any tile can have
std::span<const Generator> box_generators();      ///< of a tensor map and its copy
std::span<const Generator> operand_generators();  ///< of a descriptor and its source
std::span<const Generator> scale_generators();    ///< of scale factors in their blocks

}  // namespace lc::verify
