#include "sim/machine/tensor_memory.h"

#include <algorithm>
#include <string>

#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

[[noreturn]] void wrong(const char* rule, const std::string& what,
                        std::optional<std::uint64_t> address = std::nullopt) {
  throw Fault(FaultKind::undefined, rule, what, address);
}

std::string text(const TmemAllocation& a) {
  return std::to_string(a.columns) + " columns at " + hex(a.column);
}

}  // namespace

void TensorMemory::use_cta_group(std::uint32_t cta_group) {
  if (cta_group_ != 0 && cta_group_ != cta_group) {
    wrong("tmem.mixed-cta-group",
          "all tcgen05 instructions of a kernel must have the same "
          "cta_group; this one has " +
              std::to_string(cta_group) + ", an earlier one " + std::to_string(cta_group_));
  }
  cta_group_ = cta_group;
}

std::optional<std::uint32_t> TensorMemory::allocate(std::uint32_t columns, std::uint32_t cta_group,
                                                    std::uint32_t first) {
  use_cta_group(cta_group);
  if (columns < kSlice || columns > kTmemColumns || (columns & (columns - 1)) != 0) {
    wrong("tmem.alloc-columns",
          "tcgen05.alloc takes 32, 64, 128, 256 or 512 columns, not " + std::to_string(columns));
  }
  if (relinquished_) {
    wrong("tmem.alloc-relinquished",
          "tcgen05.alloc after tcgen05.relinquish_alloc_permit in the same CTA");
  }
  if (columns > last_size_) {
    wrong("tmem.alloc-growth", "tcgen05.alloc of " + std::to_string(columns) +
                                   " columns after one of " + std::to_string(last_size_) +
                                   ": sizes must not grow");
  }
  const std::uint32_t slices = columns / kSlice;
  for (std::uint32_t base = (first + columns - 1) / columns * columns;
       base + columns <= kTmemColumns; base += columns) {
    bool free = true;
    for (std::uint32_t i = 0; i < slices; ++i) free = free && !allocated_[base / kSlice + i];
    if (!free) continue;
    for (std::uint32_t i = 0; i < slices; ++i) allocated_.set(base / kSlice + i);
    allocations_.push_back({base, columns});
    last_size_ = columns;
    return base;
  }
  // Nothing behind `first`: what lies before it will do.
  return first == 0 ? std::nullopt : allocate(columns, cta_group, 0);
}

void TensorMemory::deallocate(std::uint32_t address, std::uint32_t columns,
                              std::uint32_t cta_group) {
  use_cta_group(cta_group);
  const TmemAllocation wanted{address, columns};
  const auto found = std::find(allocations_.begin(), allocations_.end(), wanted);
  if (found == allocations_.end()) {
    wrong("tmem.dealloc", "tcgen05.dealloc of " + text(wanted) + ", which were not allocated so",
          address);
  }
  allocations_.erase(found);
  for (std::uint32_t c = 0; c < columns; c += kSlice) allocated_.reset((address + c) / kSlice);
  for (std::uint32_t lane = 0; lane < kTmemLanes; ++lane) {
    std::fill_n(cells_.begin() + lane * kTmemColumns + address, columns, kPoison);
  }
}

void TensorMemory::relinquish(std::uint32_t cta_group) {
  use_cta_group(cta_group);
  relinquished_ = true;
}

void TensorMemory::check_exit() const {
  if (allocations_.empty()) return;
  wrong("tmem.leak", "the CTA ends without tcgen05.dealloc of " + text(allocations_.front()),
        allocations_.front().column);
}

void TensorMemory::check(std::uint32_t lane, std::uint32_t column, std::uint32_t count) const {
  const std::uint32_t address = lane << 16 | (column & 0xFFFF);
  if (lane >= kTmemLanes || column >= kTmemColumns || count > kTmemColumns - column) {
    throw Fault(FaultKind::illegal_address, "tmem.out-of-bounds",
                "lane " + std::to_string(lane) + ", columns " + std::to_string(column) + " .. " +
                    std::to_string(std::uint64_t{column} + count - 1) +
                    " lie outside the 128 lanes x 512 columns of Tensor Memory",
                address);
  }
  for (std::uint32_t c = column / kSlice; c * kSlice < column + count; ++c) {
    if (allocated_[c]) continue;
    throw Fault(FaultKind::illegal_address, "tmem.unallocated",
                "column " + std::to_string(std::max(column, c * kSlice)) +
                    " of Tensor Memory is not allocated",
                address);
  }
}

const std::uint32_t* TensorMemory::row(std::uint32_t lane, std::uint32_t column,
                                       std::uint32_t count) const {
  check(lane, column, count);
  return cells_.data() + std::size_t{lane} * kTmemColumns + column;
}

std::uint32_t* TensorMemory::row(std::uint32_t lane, std::uint32_t column, std::uint32_t count) {
  check(lane, column, count);
  return cells_.data() + std::size_t{lane} * kTmemColumns + column;
}

}  // namespace lc::machine
