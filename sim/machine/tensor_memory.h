#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/layout/tmem.h"

namespace lc::machine {

/// What an allocation is compared with.
struct TmemAllocation {
  std::uint32_t column = 0;
  std::uint32_t columns = 0;

  constexpr bool operator==(const TmemAllocation&) const = default;
};

/// Tensor Memory of one CTA: 128 lanes x 512 columns of 32-bit cells, handed out in slices of 32
/// columns (PTX ISA 9.0, 9.7.16.1 and .7; not measured).  A CTA has the memory to itself.
///
/// Access to a column that is not allocated is a fault, as is a cell outside the 128 x 512.
/// Fresh cells hold `kPoison`, so that what was never written is recognised in results.
class TensorMemory {
 public:
  static constexpr std::uint32_t kPoison = 0x7FFB7FFB;  ///< a NaN as f32, f16 and bf16
  static constexpr std::uint32_t kSlice = 32;

  TensorMemory() : cells_(std::size_t{kTmemLanes} * kTmemColumns, kPoison) {}

  /// Columns 32, 64 .. 512; nothing when they are taken (the instruction blocks).  Throws for other
  /// sizes, after `relinquish`, for a size that grew and for a mixed cta_group.  First fit from
  /// column `first` on, a multiple of 32, so that programs which ignore the address are caught.
  std::optional<std::uint32_t> allocate(std::uint32_t columns, std::uint32_t cta_group,
                                        std::uint32_t first = 0);
  /// Throws when no such allocation exists.
  void deallocate(std::uint32_t address, std::uint32_t columns, std::uint32_t cta_group);
  void relinquish(std::uint32_t cta_group);
  /// Every tcgen05 instruction of a kernel has the same cta_group.
  void use_cta_group(std::uint32_t cta_group);
  /// What the CTA holds; at its exit this must be empty.
  const std::vector<TmemAllocation>& allocations() const { return allocations_; }
  /// Throws at the exit of a CTA that still holds columns.
  void check_exit() const;

  bool is_allocated(std::uint32_t column) const {
    return column < kTmemColumns && allocated_[column / kSlice];
  }
  /// Checked cells; throw Fault.
  std::uint32_t read(std::uint32_t lane, std::uint32_t column) const { return at(lane, column); }
  void write(std::uint32_t lane, std::uint32_t column, std::uint32_t value) {
    at(lane, column) = value;
  }
  /// `count` columns of a lane, which are neighbours in memory.
  const std::uint32_t* row(std::uint32_t lane, std::uint32_t column, std::uint32_t count) const;
  std::uint32_t* row(std::uint32_t lane, std::uint32_t column, std::uint32_t count);

 private:
  std::uint32_t& at(std::uint32_t lane, std::uint32_t column) { return *row(lane, column, 1); }
  const std::uint32_t& at(std::uint32_t lane, std::uint32_t column) const {
    return *row(lane, column, 1);
  }
  void check(std::uint32_t lane, std::uint32_t column, std::uint32_t count) const;

  std::vector<std::uint32_t> cells_;  ///< [lane][column]
  std::bitset<kTmemColumns / kSlice> allocated_;
  std::vector<TmemAllocation> allocations_;
  std::uint32_t last_size_ = kTmemColumns;
  std::uint32_t cta_group_ = 0;  ///< 0: none used yet
  bool relinquished_ = false;
};

}  // namespace lc::machine
