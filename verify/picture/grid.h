#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verify/picture/operand_map.h"
#include "verify/text.h"

namespace lc::verify {

/// A 16-byte chunk of the operand: its row, and its place along the contiguous axis.
struct Chunk {
  std::uint64_t row = 0, chunk = 0;
};

/// Lines of 128 bytes of shared memory, in order of address; each line has the 8 bank sectors
/// S0..S7 and says which chunk of the operand stands in each.
struct MemoryLine {
  std::uint64_t address = 0;
  std::optional<Chunk> sector[8];
  bool shared[8] = {};  ///< more than one chunk claims this sector
};

/// Rows [row_begin, row_end) and chunks [0, chunk_end) of the map.
std::vector<MemoryLine> memory_lines(const OperandMap& map, std::uint64_t row_begin,
                                     std::uint64_t row_end, std::uint64_t chunk_end);

/// The first atom of an operand, worked out: on the left which bank sector each chunk of each row
/// falls in, on the right what memory holds, line by line.
std::string atom_picture(const OperandMap& map, std::uint64_t rows, std::uint64_t chunks,
                         const Paint& paint);

/// Memory line by line, at most `max_lines` of them.
std::string memory_picture(const std::vector<MemoryLine>& lines, std::size_t max_lines,
                           const Paint& paint);

/// "r = row along mn, q = 16-byte chunk along k (8 elements)"
std::string chunk_legend(const OperandMap& map);

}  // namespace lc::verify
