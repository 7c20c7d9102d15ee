#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/layout/element.h"
#include "sim/layout/scale_tile.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/tensor_map.h"
#include "verify/dump/source.h"
#include "verify/json.h"

namespace lc::verify {

/// What should be in one dumped window of shared memory (docs/dump-format.md).
struct TileDescription {
  enum class Kind : std::uint8_t { tensor_map, descriptor, scale_factors };

  Arch arch = Arch::sm_90;
  Kind kind = Kind::tensor_map;
  std::uint64_t smem_address = 0;  ///< shared-window address of byte 0 of the window

  // Kind::tensor_map: one box of this map was copied.
  TensorMap map;
  Coordinates coordinates{};
  std::uint64_t destination = 0;

  // Kind::descriptor: an MMA would read this operand.
  std::uint64_t descriptor_word = 0;
  SmemDescriptor descriptor;
  Major major = Major::k;
  Element element = Element::f16;
  Container container = Container::packed;
  std::uint64_t mn = 0, k = 0;

  // Kind::scale_factors: blocks of 128 x 4 bytes at `destination`; mn and k are in `scale`.
  ScaleTile scale;

  // Descriptor and scale factors:
  /// Bytes from element (mn, k) to (mn + 1, k) and to (mn, k + 1); dense without a value.
  struct Strides {
    std::int64_t mn, k;
  };
  std::optional<Strides> source_strides;
  /// Descriptors: element (0, 0) of the tile is (mn_first, k_first) of a matrix of mn_size x k_size
  /// elements; what lies outside is zero in shared memory.
  struct Bounds {
    std::int64_t mn_first, mn_size, k_first, k_size;
  };
  std::optional<Bounds> source_bounds;

  // Values.
  Source source;
  std::string source_name;                ///< tensor, or "mix32"
  std::uint64_t source_offset = 0;        ///< of the byte at global_address, or of element (0, 0)
  std::optional<std::uint8_t> untouched;  ///< value of the bytes that the tile does not cover
  std::vector<std::uint64_t> barriers;    ///< addresses of 8-byte words that are not compared

  // Facts that are only printed.
  std::string kernel, device, command, obtained;
  std::uint64_t stage = 0;
  std::vector<std::uint64_t> cta;
  /// Fields that nobody read.
  std::vector<std::string> ignored;
};

/// The tensor map read last, by its text: the tiles of a dump share a few.
struct ReadMap {
  std::string text;
  TensorMap map;
  std::vector<std::string> ignored;
};

/// Reads the JSON text of one tile.  `where` names the tile in errors ("file: tile `A`: ").  The
/// source is left for the caller to find: `source_name` and `source.kind` say which.
TileDescription parse_description(const std::string& where, const std::string& json,
                                  ReadMap* last = nullptr);

/// The JSON text that `parse_description` reads back as the same description.
std::string description_text(const TileDescription& description);

}  // namespace lc::verify
