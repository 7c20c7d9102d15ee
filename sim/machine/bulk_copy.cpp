#include "sim/machine/bulk_copy.h"

#include <string>

#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

constexpr std::uint64_t kChunk = 16;

void write(std::byte* target, const std::vector<std::byte>& bytes, const BulkWrite& how) {
  if (how.operation != TmaOperation::store || (how.byte_mask & 0xFFFF) == 0xFFFF) {
    reduce_bytes(how.operation, how.type, target, bytes.data(), bytes.size());
    return;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if ((how.byte_mask >> i % kChunk & 1) != 0) target[i] = bytes[i];
  }
}

}  // namespace

void check_bulk(std::uint64_t source, std::uint64_t target, std::uint64_t size) {
  for (const std::uint64_t address : {source, target}) {
    if (address % kChunk == 0) continue;
    throw Fault(FaultKind::misaligned_address, "bulk.misaligned",
                "bulk copy: " + hex(address) + " is not a multiple of 16", address);
  }
  if (size % kChunk != 0) {
    throw Fault(FaultKind::illegal_instruction, "bulk.size",
                "bulk copy of " + std::to_string(size) + " bytes, which is not a multiple of 16");
  }
}

void check_bulk_reduction(ReductionType type, TmaOperation operation, bool to_shared) {
  if (has_bulk_reduction(type, operation, to_shared)) return;
  throw Fault(FaultKind::illegal_instruction, "bulk.reduction",
              std::string("cp.reduce.async.bulk: .") + name_of(operation) +
                  " does not exist for this type and direction");
}

std::vector<std::byte> bulk_read(const GlobalMemory& memory, std::uint64_t address,
                                 std::uint64_t size) {
  if (size == 0) return {};
  const std::byte* from = memory.bytes(address, size, kChunk, Access::read);
  return {from, from + size};
}

std::vector<std::byte> bulk_read(const SharedMemory& shared, std::uint64_t offset,
                                 std::uint64_t size) {
  if (size == 0) return {};
  const std::byte* from = shared.bytes(offset, size, kChunk);
  return {from, from + size};
}

void bulk_write(GlobalMemory& memory, std::uint64_t address, const std::vector<std::byte>& bytes,
                const BulkWrite& how) {
  if (bytes.empty()) return;
  write(memory.bytes(address, bytes.size(), kChunk, Access::write), bytes, how);
}

void bulk_write(SharedMemory& shared, std::uint64_t offset, const std::vector<std::byte>& bytes,
                const BulkWrite& how) {
  if (bytes.empty()) return;
  write(shared.bytes(offset, bytes.size(), kChunk, Access::write), bytes, how);
}

}  // namespace lc::machine
