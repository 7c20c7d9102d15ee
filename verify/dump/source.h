#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "verify/dump/mix32.h"

namespace lc::verify {

/// The values a tile was filled from: a tensor of the dump file, or the endless pattern.
struct Source {
  enum class Kind : std::uint8_t { none, tensor, mix32 };

  Kind kind = Kind::none;
  std::span<const std::uint8_t> bytes{};  ///< of a tensor
  std::uint32_t seed = 0;                 ///< of the pattern

  bool operator==(const Source& o) const {
    return kind == o.kind && seed == o.seed && bytes.data() == o.bytes.data() &&
           bytes.size() == o.bytes.size();
  }

  /// Whether the bytes [offset, offset + length) exist.
  bool has(std::uint64_t offset, std::uint64_t length) const {
    if (kind == Kind::mix32) return true;
    return offset <= bytes.size() && length <= bytes.size() - offset;
  }

  /// The bytes from `offset` on, which must exist; `buffer` holds `length` bytes and is used only
  /// when they do not stand in memory already.
  const std::uint8_t* read(std::uint64_t offset, std::uint32_t length, std::uint8_t* buffer) const {
    if (kind == Kind::tensor) return bytes.data() + offset;
    generate(offset, length, buffer);
    return buffer;
  }

  std::uint8_t byte(std::uint64_t offset) const {
    if (kind == Kind::tensor) return bytes[offset];
    return static_cast<std::uint8_t>(word(offset / 4) >> (offset % 4 * 8));
  }

 private:
  std::uint32_t word(std::uint64_t index) const {
    return mix32(static_cast<std::uint32_t>(index) + seed);
  }
  void generate(std::uint64_t offset, std::uint32_t length, std::uint8_t* out) const {
    for (; length != 0 && offset % 4 != 0; ++offset, --length) *out++ = byte(offset);
    std::uint32_t i = static_cast<std::uint32_t>(offset / 4) + seed;
    for (; length >= 4; length -= 4, offset += 4, out += 4) {
      const std::uint32_t w = mix32(i++);
      std::memcpy(out, &w, 4);
    }
    for (; length != 0; ++offset, --length) *out++ = byte(offset);
  }
};

}  // namespace lc::verify
