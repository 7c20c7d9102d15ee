#include "verify/ops/tma_runs.h"

#include <algorithm>
#include <tuple>

namespace lc::verify {
namespace {

bool continues(const TmaRun& run, const TmaRun& next) {
  if (run.to + run.length != next.to) return false;
  if (run.from == kFill || next.from == kFill) return run.from == next.from;
  return run.from + run.length == next.from;
}

/// Joins neighbours of a list sorted by `to`.
std::vector<TmaRun> joined(const std::vector<TmaRun>& pieces) {
  std::vector<TmaRun> runs;
  for (const TmaRun& piece : pieces) {
    if (!runs.empty() && continues(runs.back(), piece)) {
      runs.back().length += piece.length;
    } else {
      runs.push_back(piece);
    }
  }
  return runs;
}

std::int64_t from_smem(const TmaBox& box, std::uint64_t address) {
  return static_cast<std::int64_t>(address - box.smem_address);
}

}  // namespace

std::vector<TmaRun> load_runs(const TmaBox& box) {
  std::vector<TmaRun> pieces;
  for (TmaRowCursor at(box); !at.done(); at.next()) {
    const TmaRow& row = at.row();
    const auto put = [&](std::uint32_t begin, std::uint32_t end, bool fill) {
      for_each_piece(box, row, begin, end,
                     [&](std::uint64_t address, std::uint32_t length, std::uint32_t packed) {
                       pieces.push_back({from_smem(box, address), length,
                                         fill ? kFill : row.global_offset + packed});
                     });
    };
    if (row.outside) {
      put(0, box.packed_bytes, true);
      continue;
    }
    put(0, box.in_begin, true);
    put(box.in_begin, box.in_end, false);
    put(box.in_end, box.packed_bytes, true);
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const TmaRun& a, const TmaRun& b) { return a.to < b.to; });
  return joined(pieces);
}

std::vector<TmaRun> store_runs(const TmaBox& box) {
  std::vector<TmaRun> pieces;
  for (TmaRowCursor at(box); !at.done(); at.next()) {
    if (at.row().outside) continue;
    for_each_piece(
        box, at.row(), 0, box.stored_end(),
        [&](std::uint64_t address, std::uint32_t length, std::uint32_t packed) {
          pieces.push_back({at.row().global_offset + packed, length, from_smem(box, address)});
        });
  }
  // Where rows overlap in memory, several runs cover the same bytes; those that continue each
  // other have one distance from source to target.
  std::sort(pieces.begin(), pieces.end(), [](const TmaRun& a, const TmaRun& b) {
    return std::tuple(a.to - a.from, a.to) < std::tuple(b.to - b.from, b.to);
  });
  std::vector<TmaRun> runs = joined(pieces);
  std::sort(runs.begin(), runs.end(), [](const TmaRun& a, const TmaRun& b) {
    return std::tuple(a.to, a.from) < std::tuple(b.to, b.from);
  });
  return runs;
}

bool has_representable_offsets(const TmaBox& box) {
  std::uint64_t last = box.packed_bytes + 16;
  if (box.first_inner > 0)
    last += static_cast<std::uint64_t>(box.first_inner) * box.element_bits / 8;
  for (int s = 0; s < box.step_count; ++s) {
    const TmaStep& step = box.step[s];
    const std::int64_t end = step.first + (std::int64_t{step.count} - 1) * step.advance;
    const std::int64_t size = static_cast<std::int64_t>(step.size);
    if (end < 0 || step.first >= size) return true;  // no row is inside
    const std::uint64_t p = static_cast<std::uint64_t>(std::min(end, size - 1));
    if (step.stride != 0 && p > (std::uint64_t{INT64_MAX} - last) / step.stride) return false;
    last += p * step.stride;
    if (last > std::uint64_t{INT64_MAX}) return false;
  }
  return true;
}

}  // namespace lc::verify
