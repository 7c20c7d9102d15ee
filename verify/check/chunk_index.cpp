#include "verify/check/chunk_index.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lc::verify {
namespace {

constexpr std::uint32_t kRepeated = 0x80000000u;

std::uint64_t hash(const std::uint8_t* chunk) {
  std::uint64_t a, b;
  std::memcpy(&a, chunk, 8);
  std::memcpy(&b, chunk + 8, 8);
  a = (a ^ b * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  a = (a ^ a >> 29) * 0x94d049bb133111eb;
  return a ^ a >> 32;
}

}  // namespace

ChunkIndex::ChunkIndex(const Source& source, std::uint64_t step, std::uint64_t phase,
                       std::uint64_t begin, std::uint64_t end)
    : source_(source), step_(step) {
  if (source.kind == Source::Kind::tensor) index(phase, begin, end);
}

ChunkIndex::ChunkIndex(std::vector<std::uint8_t> changed, std::uint64_t step, std::uint64_t begin)
    : changed_(std::move(changed)), origin_(begin), step_(step) {
  source_ = {Source::Kind::tensor, changed_, 0};
  index(0, 0, changed_.size());
}

void ChunkIndex::index(std::uint64_t phase, std::uint64_t begin, std::uint64_t end) {
  end = std::min<std::uint64_t>(end, source_.bytes.size());
  first_ = begin + (phase - begin) % step_;
  if (end < kChunk || first_ > end - kChunk) return;
  const std::uint64_t count = std::min((end - kChunk - first_) / step_ + 1, kMaxEntries);
  slots_.assign(std::bit_ceil(2 * count), 0);
  for (std::uint32_t entry = 0; entry < count; ++entry) {
    std::uint32_t* const at = slot(source_.bytes.data() + offset(entry));
    *at = *at == 0 ? entry + 1 : *at | kRepeated;
  }
}

std::uint32_t* ChunkIndex::slot(const std::uint8_t* chunk) {
  const std::uint64_t mask = slots_.size() - 1;
  for (std::uint64_t i = hash(chunk) & mask;; i = (i + 1) & mask) {
    if (slots_[i] == 0) return &slots_[i];
    const std::uint64_t there = offset((slots_[i] & ~kRepeated) - 1);
    if (std::memcmp(source_.bytes.data() + there, chunk, kChunk) == 0) return &slots_[i];
  }
}

std::optional<std::uint64_t> ChunkIndex::invert(const std::uint8_t* chunk) const {
  for (std::uint64_t skip = 0; skip < 4; ++skip) {
    std::uint32_t word;
    std::memcpy(&word, chunk + skip, 4);
    const std::uint64_t at = std::uint64_t{unmix32(word) - source_.seed} * 4 - skip;
    std::uint8_t buffer[kChunk];
    if (std::memcmp(source_.read(at, kChunk, buffer), chunk, kChunk) == 0) {
      return at & ((std::uint64_t{1} << 34) - 1);  // the pattern repeats after 2^32 words
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ChunkIndex::find(const std::uint8_t* chunk) const {
  if (source_.kind == Source::Kind::mix32) return invert(chunk);
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t entry = *const_cast<ChunkIndex*>(this)->slot(chunk);
  if (entry == 0 || (entry & kRepeated) != 0) return std::nullopt;
  return origin_ + offset(entry - 1);
}

}  // namespace lc::verify
