#pragma once

#include <cstdint>
#include <span>

#include "sim/layout/smem_descriptor.h"
#include "sim/layout/tmem_transfer.h"
#include "sim/machine/shared_memory.h"
#include "sim/machine/tensor_memory.h"

/// tcgen05.ld, .st, .cp and .shift as movements between registers, shared memory and Tensor Memory,
/// through the maps of sim/layout.  Nothing here was measured.
namespace lc::machine {

/// Registers of a warp: one pointer to the 32 threads' words for each.  Throws Fault for shapes
/// that do not exist, cells outside the warp's 32 lanes or the columns, and columns that are not
/// allocated; nothing is moved then.  The findings are warnings about the address.
Findings tmem_load(const TensorMemory& memory, const TmemTransfer& transfer,
                   std::span<std::uint32_t* const> registers);
/// With unpack the upper halves of the cells become 0 (not documented).
Findings tmem_store(TensorMemory& memory, const TmemTransfer& transfer,
                    std::span<const std::uint32_t* const> registers);

/// The same with registers one after the other: `registers[r * 32 + thread]`.
Findings tmem_load(const TensorMemory& memory, const TmemTransfer& transfer,
                   std::span<std::uint32_t> registers);
Findings tmem_store(TensorMemory& memory, const TmemTransfer& transfer,
                    std::span<const std::uint32_t> registers);

/// tcgen05.cp of one CTA; rows come from a K-major descriptor.
struct TmemCopy {
  TmemCopyShape shape = TmemCopyShape::c128x256b;
  TmemDecompression format = TmemDecompression::none;
  std::uint32_t address = 0;
  std::uint64_t descriptor = 0;
};
void tmem_copy(TensorMemory& memory, const SharedMemory& shared, const TmemCopy& copy);

/// tcgen05.shift.down: rows 0 .. 30 of the 32 lanes at `address` take the 8 columns of the row
/// below them.  That only the addressed sub-partition shifts is inferred.
void tmem_shift(TensorMemory& memory, std::uint32_t address);

}  // namespace lc::machine
