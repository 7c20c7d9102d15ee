#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/layout/tma_copy.h"
#include "verify/check/image.h"
#include "verify/dump/source.h"

namespace lc::verify {

/// A run of bytes that stand together up to the permutation: byte i belongs at the shared address
/// base + ((offset + i) ^ mask).  The mask moves whole granules of at least 8 bytes.
struct Strip {
  std::uint64_t base = 0, offset = 0, mask = 0;
  std::uint32_t length = 0;
  bool fill = false;                       ///< out of bounds
  std::uint64_t row = 0;                   ///< number of the row, in the order of the axes
  std::uint64_t column = 0;                ///< byte of the row
  std::uint64_t source_bit = 0;            ///< of its first element
  const std::uint8_t* expected = nullptr;  ///< nullptr: the source does not have these bytes
};

inline constexpr std::uint32_t kMaxStrip = 512;

/// The fill patterns from an even address on.
inline constexpr auto kFillBytes = [] {
  std::array<std::array<std::uint8_t, kMaxStrip + 1>, 2> out{};
  for (std::size_t i = 0; i <= kMaxStrip; ++i) out[1][i] = fill_byte(OobFill::nan, i);
  return out;
}();

/// Hands every strip of an image to `visit(const Strip&) -> bool`, row by row, until it answers
/// false.  No allocation; the pointers live for the call only.
template <class Visit>
class Walk {
 public:
  Walk(const Image& image, const Source& source, Visit& visit)
      : image_(image),
        source_(source),
        visit_(visit),
        row_bytes_(image.row_bytes()),
        padded_(image.stored_bits != image.element_bits),
        gathers_(image.inner_source_bits != image.element_bits ||
                 (image.element_bits % 8 != 0 && !padded_ && has_odd_bits())),
        permutes_(image.permutation.row.key_mask != 0 || image.permutation.row.flip8),
        cellwise_(padded_ || gathers_ || image.permutation.by_row_number || image.absolute) {
    find_inner_bounds();
    plain_ = !cellwise_ && image.width >= row_bytes_ && row_bytes_ <= kMaxStrip &&
             source.kind == Source::Kind::tensor && image.change == Change::none &&
             in_begin_ == 0 && in_end_ == row_bytes_;
  }

  bool run() {
    if (image_.inner_count == 0 || image_.rows() == 0) return true;
    std::array<Place, 6> at{};
    bool bounded = false, outside = false;
    for (std::size_t a = 0; a < image_.axis_count; ++a) {
      const RowAxis& axis = image_.axis[a];
      outside = outside || !axis.bounds.holds(0);
      bounded = bounded || !axis.bounds.holds(0) || !axis.bounds.holds(axis.count - 1);
    }
    std::uint64_t linear = image_.start, bit = image_.source_bit;
    for (row_number_ = 0;; ++row_number_) {
      if (!row(linear, bit, outside)) return false;
      std::size_t a = 0;
      for (; a < image_.axis_count; ++a) {
        const RowAxis& axis = image_.axis[a];
        linear -= at[a].offset;
        if (at[a].advance(axis)) {
          linear += at[a].offset;
          bit += axis.source_bits;
          break;
        }
        bit -= axis.source_bits * (axis.count - 1);
        at[a] = {};
      }
      if (a == image_.axis_count) return true;
      outside = false;
      for (std::size_t b = 0; bounded && b < image_.axis_count; ++b) {
        outside = outside || !image_.axis[b].bounds.holds(at[b].index);
      }
    }
  }

 private:
  /// An index of an axis with its `RowAxis::offset`, without divisions.
  struct Place {
    std::uint64_t index = 0, in_block = 0, block_start = 0, offset = 0;

    /// False past the last index.
    bool advance(const RowAxis& axis) {
      if (++index == axis.count) return false;
      if (++in_block == axis.block) {
        in_block = 0;
        block_start += axis.block_step;
        offset = block_start;
      } else {
        offset += axis.step;
      }
      return true;
    }
  };

  bool has_odd_bits() const {
    std::uint64_t bits = image_.source_bit | image_.inner_count * image_.element_bits;
    for (std::size_t a = 0; a < image_.axis_count; ++a) bits |= image_.axis[a].source_bits;
    return bits % 8 != 0;
  }

  /// Shared bytes [begin, end) of a row that dimension 0 has.
  void find_inner_bounds() {
    const Bounds& b = image_.inner_bounds;
    in_begin_ = 0, in_end_ = row_bytes_;
    if (b.size == UINT64_MAX) return;
    const auto bytes = [&](std::int64_t elements) {
      if (elements <= 0) return std::uint64_t{0};
      const std::uint64_t n = std::min(static_cast<std::uint64_t>(elements), image_.inner_count);
      return n * image_.stored_bits / 8;
    };
    const std::int64_t left = static_cast<std::int64_t>(b.size) - b.first;
    in_begin_ = bytes(-b.first);
    in_end_ = bytes(b.advance <= 1 ? left : (left + b.advance - 1) / b.advance);
  }

  bool row(std::uint64_t linear, std::uint64_t bit, bool outside) {
    if (plain_ && !outside && plain_row(linear, bit)) return keeps_on_;
    row_linear_ = linear, row_bit_ = bit, row_outside_ = outside;
    if (image_.width >= row_bytes_) return span(linear, 0, row_bytes_);
    for (std::uint64_t c = 0; c < row_bytes_; c += image_.width) {
      const std::uint64_t at = linear + c / image_.width * image_.column_step;
      if (!span(at, c, std::min(image_.width, row_bytes_ - c))) return false;
    }
    return true;
  }

  /// The common case, a row inside one line that stands in memory as it is.  False: not that case.
  bool plain_row(std::uint64_t linear, std::uint64_t bit) {
    Strip strip;
    strip.base = image_.permutation.origin;
    strip.offset = linear - strip.base;
    if (permutes_ && strip.offset % 128 + row_bytes_ > 128) return false;
    if (bit % 8 != 0 || !source_.has(bit / 8, row_bytes_)) return false;
    strip.mask = swizzled(image_.permutation.row, strip.offset, image_.permutation.base_offset) ^
                 strip.offset;
    strip.length = static_cast<std::uint32_t>(row_bytes_);
    strip.row = row_number_;
    strip.source_bit = bit;
    strip.expected = source_.bytes.data() + bit / 8;
    keeps_on_ = visit_(static_cast<const Strip&>(strip));
    return true;
  }

  /// Bytes c .. c + n of the row, at consecutive linear addresses.
  bool span(std::uint64_t linear, std::uint64_t c, std::uint64_t n) {
    const Permutation& p = image_.permutation;
    while (n != 0) {
      Strip strip;
      strip.base = p.origin;
      strip.offset = linear - p.origin;
      std::uint64_t take = std::min<std::uint64_t>(n, kMaxStrip);
      if (permutes_) take = std::min<std::uint64_t>(take, 128 - strip.offset % 128);
      if (cellwise_) take = std::min<std::uint64_t>(take, 16 - c % 16);
      strip.fill = row_outside_ || c < in_begin_ || c >= in_end_;
      if (!row_outside_) {
        if (c < in_begin_) take = std::min(take, in_begin_ - c);
        if (!strip.fill) take = std::min(take, in_end_ - c);
      }
      strip.length = static_cast<std::uint32_t>(take);
      strip.row = row_number_;
      strip.column = c;
      if (!place(strip, c) || !value(strip, c)) return false;
      linear += take, c += take, n -= take;
    }
    return true;
  }

  bool place(Strip& strip, std::uint64_t c) const {
    const Permutation& p = image_.permutation;
    if (image_.absolute) {
      const std::uint64_t in_line = image_.start % 128 + c;
      if (in_line >= 128) {
        strip.offset = image_.second_part + (row_linear_ - image_.start) + (in_line - 128);
      }
    }
    if (p.by_row_number) {
      const std::uint64_t key = (row_number_ - p.base_offset) & p.row.key_mask;
      strip.base = row_linear_;
      strip.offset = c;
      strip.mask = key << p.row.key_shift;
    } else if (permutes_) {
      strip.mask = swizzled(p.row, strip.offset, p.base_offset) ^ strip.offset;
    }
    return true;
  }

  bool value(Strip& strip, std::uint64_t c) {
    if (strip.fill) {
      if (padded_) strip.length = std::min(strip.length, packed_bytes(strip.length));
      strip.expected = kFillBytes[static_cast<std::size_t>(image_.fill)].data() +
                       (strip.base + strip.offset) % 2;
      return visit_(static_cast<const Strip&>(strip));
    }
    const std::uint64_t first = c * 8 / image_.stored_bits;
    strip.source_bit = row_bit_ + first * image_.inner_source_bits;
    if (padded_) strip.length = std::min(strip.length, packed_bytes(strip.length));
    if (gathers_ || strip.source_bit % 8 != 0) {
      strip.expected = gathered(strip) ? buffer_.data() : nullptr;
    } else if (source_.has(strip.source_bit / 8, strip.length)) {
      strip.expected = source_.read(strip.source_bit / 8, strip.length, buffer_.data());
    }
    if (image_.change != Change::none && strip.expected != nullptr) changed(strip);
    return visit_(static_cast<const Strip&>(strip));
  }

  /// Source bytes in a padded cell of which `length` shared bytes are taken.
  std::uint32_t packed_bytes(std::uint32_t length) const {
    return (length * 8 / image_.stored_bits * image_.element_bits + 7) / 8;
  }

  /// Collects the elements of one cell bit by bit group; they stand densely from the cell's start.
  bool gathered(const Strip& strip) {
    std::fill_n(buffer_.begin(), strip.length, std::uint8_t{0});
    const std::uint32_t bits = image_.element_bits;
    const std::uint32_t count = strip.length * 8 / bits;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t from = strip.source_bit + i * image_.inner_source_bits;
      if (bits % 8 == 0 && from % 8 == 0) {
        if (!source_.has(from / 8, bits / 8)) return false;
        const std::uint8_t* bytes = source_.read(from / 8, bits / 8, element_.data());
        std::copy_n(bytes, bits / 8, buffer_.begin() + i * (bits / 8));
        continue;
      }
      for (std::uint32_t b = 0; b < bits; ++b) {
        const std::uint64_t bit = from + b;
        if (!source_.has(bit / 8, 1)) return false;
        const unsigned one = source_.byte(bit / 8) >> (bit % 8) & 1u;
        buffer_[(i * bits + b) / 8] |= static_cast<std::uint8_t>(one << ((i * bits + b) % 8));
      }
    }
    return true;
  }

  void changed(Strip& strip) {
    std::array<std::uint8_t, kMaxStrip> raw;
    std::copy_n(strip.expected, strip.length, raw.begin());
    const std::uint32_t group = image_.change == Change::swap2   ? 2
                                : image_.change == Change::swap8 ? 8
                                                                 : 4;
    for (std::uint32_t i = 0; i < strip.length; i += group) {
      if (strip.length - i < group) {
        std::copy_n(raw.begin() + i, strip.length - i, buffer_.begin() + i);
      } else if (image_.change == Change::round_tf32 || image_.change == Change::truncate_tf32) {
        std::uint32_t word;
        std::copy_n(raw.begin() + i, 4, reinterpret_cast<std::uint8_t*>(&word));
        word = image_.change == Change::truncate_tf32
                   ? word & ~0x1FFFu
                   : static_cast<std::uint32_t>(tma_load_value(DataType::tf32, word));
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&word), 4, buffer_.begin() + i);
      } else {
        std::reverse_copy(raw.begin() + i, raw.begin() + i + group, buffer_.begin() + i);
      }
    }
    strip.expected = buffer_.data();
  }

  const Image& image_;
  const Source& source_;
  Visit& visit_;
  const std::uint64_t row_bytes_;
  const bool padded_, gathers_, permutes_, cellwise_;
  std::uint64_t in_begin_ = 0, in_end_ = 0;
  std::uint64_t row_number_ = 0, row_linear_ = 0, row_bit_ = 0;
  bool row_outside_ = false;
  bool plain_ = false, keeps_on_ = true;
  alignas(16) std::array<std::uint8_t, kMaxStrip> buffer_;
  std::array<std::uint8_t, 8> element_;
};

template <class Visit>
bool walk(const Image& image, const Source& source, Visit&& visit) {
  return Walk<std::remove_reference_t<Visit>>(image, source, visit).run();
}

/// Bytes of a strip that stand together.
inline std::uint64_t granule_of(std::uint64_t mask) {
  return mask == 0 ? kMaxStrip : mask & (~mask + 1);
}

/// Calls piece(address, index in the strip, length) for the contiguous pieces of a strip.
template <class F>
void for_each_piece(const Strip& s, F&& piece) {
  const std::uint64_t granule = granule_of(s.mask);
  for (std::uint32_t i = 0; i < s.length;) {
    const std::uint64_t at = s.offset + i;
    const auto n = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(s.length - i, s.mask == 0 ? kMaxStrip : granule - at % granule));
    piece(s.base + (at ^ s.mask), i, n);
    i += n;
  }
}

}  // namespace lc::verify
