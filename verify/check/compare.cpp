#include "verify/check/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "verify/check/walk.h"
#include "verify/error.h"

namespace lc::verify {
namespace {

/// 16 bytes at once (a vector type of GCC and clang).
typedef std::uint64_t Chunk __attribute__((vector_size(16)));

Chunk load(const std::uint8_t* p) {
  Chunk v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

/// A whole 128-byte line whose 16-byte chunks are exchanged by `mask`.
bool same_line(const std::uint8_t* found, const std::uint8_t* expected, std::uint64_t mask) {
  Chunk difference{};
  for (std::uint64_t chunk = 0; chunk < 128; chunk += 16) {
    difference |= load(found + (chunk ^ mask)) ^ load(expected + chunk);
  }
  return (difference[0] | difference[1]) == 0;
}

/// The part of [address, address + length) in a window.
struct Clipped {
  std::uint64_t skip = 0, length = 0;
};
Clipped clip(const Window& window, std::uint64_t address, std::uint64_t length) {
  const std::uint64_t begin = std::max(address, window.address);
  const std::uint64_t end = std::min(address + length, window.end());
  return begin < end && address < window.end() ? Clipped{begin - address, end - begin} : Clipped{};
}

/// One bit per byte of a window.
class Coverage {
 public:
  explicit Coverage(std::size_t bytes) : words_((bytes + 63) / 64) {}

  void add(std::size_t begin, std::size_t length) {
    if (begin % 64 == 0 && length == 128) {
      words_[begin / 64] = words_[begin / 64 + 1] = ~std::uint64_t{0};
      return;
    }
    while (length != 0) {
      const std::size_t bit = begin % 64, n = std::min(length, 64 - bit);
      words_[begin / 64] |= (n == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << n) - 1)) << bit;
      begin += n, length -= n;
    }
  }
  std::uint64_t count() const {
    std::uint64_t n = 0;
    for (const std::uint64_t w : words_) {
      n += w == ~std::uint64_t{0} ? 64u : static_cast<std::uint64_t>(std::popcount(w));
    }
    return n;
  }
  /// Whether every byte outside holds `value`.
  bool rest_is(std::span<const std::uint8_t> bytes, std::uint8_t value) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      std::uint64_t open = ~words_[w];
      for (; open != 0; open &= open - 1) {
        const std::size_t i = w * 64 + static_cast<std::size_t>(std::countr_zero(open));
        if (i < bytes.size() && bytes[i] != value) return false;
      }
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// The first look: stops at the first strip that differs.
class FirstLook {
 public:
  FirstLook(const Window& window) : window_(window), covered_(window.bytes.size()) {}

  bool operator()(const Strip& s) {
    if (s.expected == nullptr) {
      unreadable = s;
      return false;
    }
    const std::uint64_t line = s.base + (s.offset & ~std::uint64_t{127});
    if (s.length == 128 && s.offset % 128 == 0 && window_.holds(line, 128) && s.mask % 16 == 0) {
      const std::size_t at = line - window_.address;
      covered_.add(at, 128);
      return same_line(window_.bytes.data() + at, s.expected, s.mask);
    }
    bool same = true;
    for_each_piece(s, [&](std::uint64_t address, std::uint32_t i, std::uint32_t n) {
      const Clipped c = clip(window_, address, n);
      outside += n - c.length;
      if (c.length == 0) return;
      const std::size_t at = address + c.skip - window_.address;
      covered_.add(at, c.length);
      same = same && std::memcmp(window_.bytes.data() + at, s.expected + i + c.skip, c.length) == 0;
    });
    return same;
  }

  const Coverage& covered() const { return covered_; }

  std::uint64_t outside = 0;
  std::optional<Strip> unreadable;

 private:
  const Window& window_;
  Coverage covered_;
};

void put(Rendering& out, const Window& window, std::size_t at, const std::uint8_t* from,
         std::size_t length) {
  static_assert(sizeof(ByteState) == 1);
  const bool fresh =
      std::memchr(&out.state[at], static_cast<int>(ByteState::tile), length) == nullptr;
  if (fresh) {
    std::memcpy(&out.expected[at], from, length);
    std::memset(&out.state[at], static_cast<int>(ByteState::tile), length);
    return;
  }
  for (std::size_t i = at; i < at + length; ++i, ++from) {
    // A byte that is wrong already stays so: elements that share it cannot all be right.
    if (out.state[i] == ByteState::tile && out.expected[i] != window.bytes[i]) continue;
    out.expected[i] = *from;
    out.state[i] = ByteState::tile;
  }
}

[[noreturn]] void refuse_source(const std::string& where, const TileDescription& d,
                                const Strip& s) {
  throw Error(where + "source.byte_offset",
              fmt::format("the tile needs {} bytes from byte {} of `{:.80}` on, which has {}",
                          s.length, static_cast<std::int64_t>(s.source_bit) / 8, d.source_name,
                          d.source.bytes.size()),
              "byte_offset is where the byte at global_address, or element (0, 0), stands");
}

[[noreturn]] void refuse_place(const std::string& where, const DumpedTile& tile,
                               const Image& image) {
  const Window& w = tile.window;
  std::string hint = fmt::format("the window is 0x{:x}..0x{:x}", w.address, w.end());
  // A descriptor counts units of 16 bytes: a raw address in the field reads as 16 times as much.
  for (const std::uint64_t meant : {image.start / 16, image.start * 16}) {
    if (tile.description->kind == TileDescription::Kind::descriptor && w.holds(meant, 1)) {
      hint += fmt::format("; the descriptor's field holds address >> 4: was 0x{:x} meant?", meant);
      break;
    }
  }
  throw Error(where + "smem_address",
              fmt::format("nothing of the tile, at 0x{:x}, lies in the dumped window", image.start),
              hint);
}

Comparison look_again(const std::string& where, const DumpedTile& tile, const Image& image) {
  const TileDescription& d = *tile.description;
  Comparison out;
  Rendering r;
  render_into(r, image, d.source, tile.window, d.untouched, d.barriers);
  out.outside = r.outside;
  for (std::size_t i = 0; i < r.state.size(); ++i) {
    if (r.state[i] == ByteState::unreadable) {
      throw Error(where + "source.byte_offset",
                  fmt::format("`{:.80}` with its {} bytes lacks a value for 0x{:x}", d.source_name,
                              d.source.bytes.size(), tile.window.address + i),
                  "byte_offset is where the byte at global_address, or element (0, 0), stands");
    }
    out.tile_bytes += r.state[i] == ByteState::tile;
    out.compared += r.state[i] == ByteState::tile || r.state[i] == ByteState::untouched;
    if (!r.differs(tile.window, i)) continue;
    if (!out.first) out.first = tile.window.address + i;
    ++out.differing;
    out.differing_tile += r.state[i] == ByteState::tile;
  }
  return out;
}

}  // namespace

Comparison compare(const std::string& where, const DumpedTile& tile) {
  const TileDescription& d = *tile.description;
  const Image image = image_of(d);
  FirstLook look(tile.window);
  const bool same = walk(image, d.source, look);
  if (look.unreadable) refuse_source(where, d, *look.unreadable);
  if (same && look.covered().count() == 0) refuse_place(where, tile, image);
  if (!same || !d.barriers.empty() ||
      (d.untouched && !look.covered().rest_is(tile.window.bytes, *d.untouched))) {
    return look_again(where, tile, image);
  }
  Comparison out;
  out.tile_bytes = look.covered().count();
  out.compared = d.untouched ? tile.window.bytes.size() : out.tile_bytes;
  out.outside = look.outside;
  if (out.tile_bytes == 0) {
    throw Error(
        where + "smem_address", "nothing of the tile lies in the dumped window",
        fmt::format("the window is 0x{:x}..0x{:x}", tile.window.address, tile.window.end()));
  }
  return out;
}

void render_into(Rendering& out, const Image& image, const Source& source, const Window& window,
                 std::optional<std::uint8_t> untouched,
                 const std::vector<std::uint64_t>& barriers) {
  const std::size_t size = window.bytes.size();
  out.outside = 0;
  out.expected.assign(size, untouched.value_or(0));
  out.state.assign(size, untouched ? ByteState::untouched : ByteState::free);
  walk(image, source, [&](const Strip& s) {
    for_each_piece(s, [&](std::uint64_t address, std::uint32_t i, std::uint32_t n) {
      const Clipped c = clip(window, address, n);
      out.outside += n - c.length;
      if (c.length == 0) return;
      const std::size_t at = address + c.skip - window.address;
      if (s.expected == nullptr) {
        std::fill_n(out.state.begin() + static_cast<std::ptrdiff_t>(at), c.length,
                    ByteState::unreadable);
        return;
      }
      put(out, window, at, s.expected + i + c.skip, c.length);
    });
    return true;
  });
  for (const std::uint64_t barrier : barriers) {
    const Clipped c = clip(window, barrier, 8);
    if (c.length == 0) continue;
    std::fill_n(out.state.begin() + static_cast<std::ptrdiff_t>(barrier + c.skip - window.address),
                c.length, ByteState::masked);
  }
}

Rendering render(const Image& image, const Source& source, const Window& window,
                 std::optional<std::uint8_t> untouched,
                 const std::vector<std::uint64_t>& barriers) {
  Rendering out;
  render_into(out, image, source, window, untouched, barriers);
  return out;
}

}  // namespace lc::verify
