#include "verify/check/evidence.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "sim/layout/tma_copy.h"
#include "verify/check/walk.h"

namespace lc::verify {
namespace {

constexpr std::size_t kMaxCells = 32768;
constexpr std::size_t kMaxCandidates = 4;

/// Counts values; the most frequent ones matter.
class Votes {
 public:
  void add(std::int64_t value) { ++count_[value]; }
  std::vector<std::int64_t> best() const {
    std::vector<std::pair<std::uint64_t, std::int64_t>> sorted;
    for (const auto& [value, n] : count_) sorted.emplace_back(n, value);
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < sorted.size() && i < kMaxCandidates; ++i) {
      out.push_back(sorted[i].second);
    }
    return out;
  }

 private:
  std::unordered_map<std::int64_t, std::uint64_t> count_;
};

/// The largest power of two up to 16 that all distances in the source are multiples of.
std::uint64_t source_step(const Image& image) {
  std::uint64_t bits = 128 | image.source_bit;
  for (std::size_t a = 0; a < image.axis_count; ++a) bits |= image.axis[a].source_bits;
  return std::max<std::uint64_t>((bits & (~bits + 1)) / 8, 1);
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

}  // namespace

namespace {

/// The source's words around `from`, each as the load would have changed it.
ChunkIndex index_of_rounded(const Source& source, std::uint64_t step, std::uint64_t from) {
  constexpr std::uint64_t kReach = std::uint64_t{1} << 20;
  const std::uint64_t begin = from > kReach ? (from - kReach) / 16 * 16 : 0;
  std::uint64_t length = from - begin + kReach;
  if (!source.has(begin, 0)) return ChunkIndex(std::vector<std::uint8_t>{}, 16, 0);
  if (source.kind == Source::Kind::tensor) {
    length = std::min<std::uint64_t>(length, source.bytes.size() - begin) / 4 * 4;
  }
  std::vector<std::uint8_t> rounded(length);
  for (std::uint64_t i = 0; i + 4 <= length; i += 4) {
    std::uint8_t buffer[4];
    std::uint32_t word;
    std::memcpy(&word, source.read(begin + i, 4, buffer), 4);
    word = static_cast<std::uint32_t>(tma_load_value(DataType::tf32, word));
    std::memcpy(&rounded[i], &word, 4);
  }
  return ChunkIndex(std::move(rounded), std::max<std::uint64_t>(step, 4), begin);
}

}  // namespace

ChunkIndex index_of_source(const Image& image, const Source& source) {
  if (image.change == Change::round_tf32) {
    return index_of_rounded(source, source_step(image), image.source_bit / 8);
  }
  constexpr std::uint64_t kBefore = std::uint64_t{8} << 20;
  const std::uint64_t from = image.source_bit / 8;
  const bool far =
      source.kind == Source::Kind::tensor && from > kBefore && from < source.bytes.size();
  return ChunkIndex(source, source_step(image), 0, far ? (from - kBefore) / 16 * 16 : 0);
}

Evidence::Evidence(const Image& image, const Source& source, const Window& window,
                   const ChunkIndex& in_source)
    : image_(image), cells_per_row_((image.row_bytes() + 15) / 16) {
  const std::uint64_t rows = std::min(image.rows(), kMaxCells / cells_per_row_ + 1);
  cells_.resize(rows * cells_per_row_);
  const Source dump{Source::Kind::tensor, window.bytes, 0};
  const ChunkIndex in_window(dump, 16, (0 - window.address) % 16);
  Votes source_votes, address_votes;
  walk(image, source, [&](const Strip& s) {
    if (s.row >= rows) return false;
    for_each_piece(s, [&](std::uint64_t address, std::uint32_t i, std::uint32_t n) {
      for (std::uint32_t at = 0; at + 16 <= n; at += 16) {
        if ((s.column + i + at) % 16 != 0 || s.fill || s.expected == nullptr) continue;
        Cell cell;
        cell.linear = s.base + s.offset + i + at;
        cell.source = s.source_bit / 8 + i + at;
        if (window.holds(address + at, 16)) {
          cell.found = in_source.find(window.bytes.data() + (address + at - window.address));
          if (cell.found) source_votes.add(difference(*cell.found, cell.source));
        }
        if (const auto landed = in_window.find(s.expected + i + at)) {
          const Permutation& p = image.permutation;
          const std::uint64_t where = window.address + *landed;
          cell.landed = swizzled(p.row, where - p.origin, p.base_offset) + p.origin;
          address_votes.add(difference(*cell.landed, cell.linear));
        }
        cells_[s.row * cells_per_row_ + (s.column + i + at) / 16] = cell;
      }
    });
    return true;
  });
  source_shifts_ = source_votes.best();
  address_shifts_ = address_votes.best();
}

std::uint64_t Evidence::rows_per_step(std::size_t axis) const {
  std::uint64_t n = 1;
  for (std::size_t a = 0; a < axis; ++a) n *= image_.axis[a].count;
  return n;
}

std::vector<std::int64_t> Evidence::steps(Field field, std::size_t axis,
                                          std::uint64_t distance) const {
  Votes votes;
  const std::uint64_t per_step = rows_per_step(axis), count = image_.axis[axis].count;
  const std::uint64_t apart = distance * per_step * cells_per_row_;
  for (std::size_t i = 0; i + apart < cells_.size(); ++i) {
    const std::uint64_t index = i / cells_per_row_ / per_step % count;
    if (index + distance >= count || !cells_[i] || !cells_[i + apart]) continue;
    const auto &a = (*cells_[i]).*field, &b = (*cells_[i + apart]).*field;
    if (a && b) votes.add(difference(*b, *a));
  }
  return votes.best();
}

std::vector<std::int64_t> Evidence::source_steps(std::size_t axis) const {
  return steps(&Cell::found, axis, 1);
}

std::vector<std::int64_t> Evidence::address_steps(std::size_t axis, std::uint64_t distance) const {
  return steps(&Cell::landed, axis, distance);
}

std::vector<std::int64_t> Evidence::column_steps(std::uint64_t distance) const {
  Votes votes;
  const std::uint64_t apart = distance / 16;
  for (std::size_t i = 0; apart != 0 && i + apart < cells_.size(); ++i) {
    if (i % cells_per_row_ + apart >= cells_per_row_ || !cells_[i] || !cells_[i + apart]) continue;
    const auto &a = cells_[i]->landed, &b = cells_[i + apart]->landed;
    if (a && b) votes.add(difference(*b, *a));
  }
  return votes.best();
}

}  // namespace lc::verify
