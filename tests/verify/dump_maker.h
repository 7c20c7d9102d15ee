#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verify/check/check_file.h"
#include "verify/dump/description.h"

/// Dump files in memory, for tests.
namespace lc::tests {

/// A tile to put into a file.
struct MadeTile {
  std::string name;
  verify::TileDescription description;
  std::vector<std::uint8_t> bytes;
};

/// A tensor that is only a source.
struct MadeSource {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

std::string made_file(const std::vector<MadeTile>& tiles,
                      const std::vector<MadeSource>& sources = {});

/// Writes the tiles into a file in memory and checks it.
verify::FileReport checked(const std::vector<MadeTile>& tiles,
                           const std::vector<MadeSource>& sources = {});

std::span<const std::uint8_t> bytes_of(const std::string& text);

/// A box tile: bf16 {64, 16}, 128B, at 0x400, values from the pattern.
verify::TileDescription box_description();
/// An operand tile: f16 64 x 64, K-major 128B, at 0x400, values from the pattern.
verify::TileDescription operand_description();

/// The bytes that the description asks for, in a window of `bytes` bytes at its smem_address.
std::vector<std::uint8_t> right_bytes(const verify::TileDescription& description,
                                      std::size_t bytes);

}  // namespace lc::tests
