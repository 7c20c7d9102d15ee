#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/global_memory.h"
#include "sim/machine/reduction.h"
#include "sim/machine/shared_memory.h"

/// cp.async.bulk and cp.reduce.async.bulk without a tensor map: linear runs of 16-byte chunks
/// (PTX ISA 9.0, 9.7.9.25).  As tensor copies they come in two halves, reading and writing.
namespace lc::machine {

/// Addresses and size must be multiples of 16; which fault the hardware raises is inferred.
void check_bulk(std::uint64_t source, std::uint64_t target, std::uint64_t size);

/// Throws unless the reduction exists for the direction.
void check_bulk_reduction(ReductionType type, TmaOperation operation, bool to_shared);

std::vector<std::byte> bulk_read(const GlobalMemory& memory, std::uint64_t address,
                                 std::uint64_t size);
std::vector<std::byte> bulk_read(const SharedMemory& shared, std::uint64_t offset,
                                 std::uint64_t size);

/// What a copy does with the bytes it brings.
struct BulkWrite {
  TmaOperation operation = TmaOperation::store;
  ReductionType type = ReductionType::b32;
  std::uint32_t byte_mask = 0xFFFF;  ///< .cp_mask: bit i writes byte i of every 16 (stores only)
};

void bulk_write(GlobalMemory& memory, std::uint64_t address, const std::vector<std::byte>& bytes,
                const BulkWrite& how = {});
void bulk_write(SharedMemory& shared, std::uint64_t offset, const std::vector<std::byte>& bytes,
                const BulkWrite& how = {});

}  // namespace lc::machine
