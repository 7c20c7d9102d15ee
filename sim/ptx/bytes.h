#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace lc::ptx {

using Bytes = std::span<const std::uint8_t>;

/// Does [offset, offset + size) lie inside?
inline bool holds(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

/// A little-endian number; the caller has checked that it lies inside.
template <class T>
T read_at(Bytes bytes, std::uint64_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace lc::ptx
