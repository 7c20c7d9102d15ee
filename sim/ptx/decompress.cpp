#include "sim/ptx/decompress.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace lc::ptx {
namespace {

constexpr std::string_view kDamaged = "the compressed data is damaged";
constexpr std::string_view kOtherSize = "the compressed data is not as long as the header says";

/// An LZ4 block gives at most 255 bytes for each of its own.
Decompressed from_lz4(Bytes packed, std::uint64_t size) {
  if (packed.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      size > 255 * std::uint64_t{packed.size()} + 64) {
    return {{}, kOtherSize};
  }
  std::string out(size, '\0');
  const int written = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), out.data(),
                                          static_cast<int>(packed.size()), static_cast<int>(size));
  if (written < 0) return {{}, kDamaged};
  if (static_cast<std::uint64_t>(written) != size) return {{}, kOtherSize};
  return {std::move(out), {}};
}

Decompressed from_zstd(Bytes packed, std::uint64_t size) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (!context) return {{}, "no memory to decompress"};
  std::string out;
  std::string piece(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  while (true) {
    ZSTD_outBuffer chunk{piece.data(), piece.size(), 0};
    const std::size_t in_before = in.pos;
    const std::size_t left = ZSTD_decompressStream(context.get(), &chunk, &in);
    if (ZSTD_isError(left)) return {{}, kDamaged};
    if (chunk.pos > size - out.size()) return {{}, kOtherSize};
    out.append(piece.data(), chunk.pos);
    if (left == 0) break;  // the end of the frame
    if (chunk.pos == 0 && in.pos == in_before) return {{}, kDamaged};
  }
  if (out.size() != size) return {{}, kOtherSize};
  return {std::move(out), {}};
}

}  // namespace

Decompressed decompress(Compression compression, Bytes packed, std::uint64_t size) {
  if (size > kLargestImage) return {{}, "an image larger than 512 MiB is not read"};
  switch (compression) {
    case Compression::lz4:
      return from_lz4(packed, size);
    case Compression::zstd:
      return from_zstd(packed, size);
    default:
      return {std::string(packed.begin(), packed.end()), {}};
  }
}

}  // namespace lc::ptx
