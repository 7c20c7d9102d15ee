#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/ptx/bytes.h"

namespace lc::ptx {

enum class Compression : std::uint8_t { none, lz4, zstd };

inline constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 29;  ///< bytes, decompressed

struct Decompressed {
  std::string bytes;
  std::string_view problem;  ///< empty: none
};

/// Exactly `size` bytes out of `packed`.  Memory grows with what the data gives, not with what the
/// header promises.
Decompressed decompress(Compression compression, Bytes packed, std::uint64_t size);

}  // namespace lc::ptx
