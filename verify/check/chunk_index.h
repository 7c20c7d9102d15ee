#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verify/dump/source.h"

namespace lc::verify {

/// Tells where 16 bytes that were found in a dump stand in the source.  A tensor is indexed by a
/// hash of every 16-byte window at a given alignment; the pattern needs no index, it can be
/// inverted.
class ChunkIndex {
 public:
  static constexpr std::uint64_t kChunk = 16;

  /// Windows at offsets that are `phase` modulo `step` (a power of two up to 16), within
  /// [begin, end) of a tensor.  At most kMaxEntries are indexed.
  ChunkIndex(const Source& source, std::uint64_t step, std::uint64_t phase, std::uint64_t begin = 0,
             std::uint64_t end = UINT64_MAX);
  /// The same for values that were changed on the way (tf32 rounding): `changed` holds the changed
  /// bytes of the source from `begin` on.
  ChunkIndex(std::vector<std::uint8_t> changed, std::uint64_t step, std::uint64_t begin);
  ChunkIndex(ChunkIndex&&) = default;

  /// The one offset whose 16 bytes these are; nullopt where there is none or more than one.
  std::optional<std::uint64_t> find(const std::uint8_t* chunk) const;

 private:
  static constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 21;

  std::optional<std::uint64_t> invert(const std::uint8_t* chunk) const;
  std::uint64_t offset(std::uint32_t entry) const { return first_ + entry * step_; }
  /// The slot of the chunk, or the free one where it belongs.
  std::uint32_t* slot(const std::uint8_t* chunk);

  void index(std::uint64_t phase, std::uint64_t begin, std::uint64_t end);

  std::vector<std::uint8_t> changed_;  ///< the indexed bytes, when they are no tensor of the file
  std::uint64_t origin_ = 0;           ///< of `changed_` in the source
  Source source_;
  std::uint64_t step_, first_ = 0;
  std::vector<std::uint32_t> slots_;  ///< entry + 1, kRepeated set when it stands there twice
};

}  // namespace lc::verify
