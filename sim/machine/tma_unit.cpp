#include "sim/machine/tma_unit.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "sim/machine/fault.h"
#include "sim/machine/reduction.h"

namespace lc::machine {
namespace {

[[noreturn]] void wrong(const char* rule, const std::string& what) {
  throw Fault(FaultKind::illegal_instruction, rule, what);
}

/// Packed bytes of a row that a store moves.
std::uint32_t stored_bytes(const TmaPlan& plan, const TmaRow& row) {
  return row.outside ? 0 : plan.box.stored_end();
}

/// tf32 types round on the way; all others arrive as they are.
void convert(const TmaPlan& plan, std::byte* data, std::uint32_t bytes) {
  if (!data_type_row(plan.data_type).tf32) return;
  for (std::uint32_t i = 0; i + 4 <= bytes; i += 4) {
    std::uint32_t word;
    std::memcpy(&word, data + i, 4);
    word = static_cast<std::uint32_t>(tma_load_value(plan.data_type, word));
    std::memcpy(data + i, &word, 4);
  }
}

/// b6p2x16: the low 6 bits of 16 bytes become 12 bytes (PTX ISA; not measured).
void pack_six_bits(const std::byte* cell, std::byte* packed) {
  for (int group = 0; group < 4; ++group) {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
      word |= (std::to_integer<std::uint32_t>(cell[4 * group + i]) & 0x3F) << (6 * i);
    }
    std::memcpy(packed + 3 * group, &word, 3);
  }
}

}  // namespace

std::vector<std::byte> read_global(const TmaPlan& plan, const GlobalMemory& memory) {
  const TmaBox& box = plan.box;
  std::vector<std::byte> packed(plan.rows.size() * box.packed_bytes);
  std::byte* out = packed.data();
  for (const TmaRow& row : plan.rows) {
    const std::uint32_t begin = row.outside ? box.packed_bytes : box.in_begin;
    const std::uint32_t end = row.outside ? box.packed_bytes : box.in_end;
    if (box.fill != OobFill::zero) {
      for (std::uint32_t i = 0; i < box.packed_bytes; ++i)
        out[i] = std::byte{fill_byte(box.fill, i)};
    }
    if (begin < end) {
      const std::uint64_t from =
          plan.global_address + static_cast<std::uint64_t>(row.global_offset) + begin;
      std::memcpy(out + begin, memory.bytes(from, end - begin, 1, Access::read), end - begin);
      convert(plan, out + begin, end - begin);
    }
    out += box.packed_bytes;
  }
  return packed;
}

void write_shared(const TmaPlan& plan, const std::vector<std::byte>& packed, SharedMemory& shared) {
  const std::byte* from = packed.data();
  for (const TmaRow& row : plan.rows) {
    for_each_piece(plan.box, row, 0, plan.box.packed_bytes,
                   [&](std::uint64_t address, std::uint32_t length, std::uint32_t at) {
                     std::memcpy(shared.bytes(address, length, 1, Access::write), from + at,
                                 length);
                   });
    from += plan.box.packed_bytes;
  }
}

std::vector<std::byte> read_shared(const TmaPlan& plan, const SharedMemory& shared) {
  std::vector<std::byte> packed(plan.rows.size() * plan.box.packed_bytes);
  std::byte* out = packed.data();
  const bool six_bits = plan.data_type == DataType::u6x16_align16b;
  for (const TmaRow& row : plan.rows) {
    for_each_piece(plan.box, row, 0, stored_bytes(plan, row),
                   [&](std::uint64_t address, std::uint32_t length, std::uint32_t at) {
                     if (six_bits) {
                       pack_six_bits(shared.bytes(address, 16, 1), out + at);
                     } else {
                       std::memcpy(out + at, shared.bytes(address, length, 1), length);
                     }
                   });
    out += plan.box.packed_bytes;
  }
  return packed;
}

void write_global(const TmaPlan& plan, const std::vector<std::byte>& packed, TmaOperation operation,
                  GlobalMemory& memory) {
  const ReductionType type = reduction_type(plan.data_type, operation).value_or(ReductionType::b32);
  const std::byte* from = packed.data();
  for (const TmaRow& row : plan.rows) {
    const std::uint32_t bytes = stored_bytes(plan, row);
    if (bytes != 0) {
      const std::uint64_t to = plan.global_address + static_cast<std::uint64_t>(row.global_offset);
      reduce_bytes(operation, type, memory.bytes(to, bytes, 1, Access::write), from, bytes);
    }
    from += plan.box.packed_bytes;
  }
}

std::vector<SharedPiece> shared_pieces(const TmaPlan& plan) {
  std::vector<SharedPiece> pieces;
  for (const TmaRow& row : plan.rows) {
    for_each_piece(
        plan.box, row, 0, plan.box.packed_bytes,
        [&](std::uint64_t address, std::uint32_t length, std::uint32_t) {
          if (!pieces.empty() && pieces.back().address + pieces.back().bytes == address) {
            pieces.back().bytes += length;
          } else {
            pieces.push_back({address, length});
          }
        });
  }
  return pieces;
}

std::vector<std::uint32_t> overwritten_barriers(const TmaPlan& plan, const MbarrierUnit& barriers) {
  std::vector<std::uint32_t> found;
  // Most boxes lie far from every barrier.
  if (barriers.live_in(plan.box.smem_address, plan.smem_end()).empty()) return found;
  for (const SharedPiece& piece : shared_pieces(plan)) {
    for (const std::uint32_t at : barriers.live_in(piece.address, piece.address + piece.bytes)) {
      if (std::find(found.begin(), found.end(), at) == found.end()) found.push_back(at);
    }
  }
  return found;
}

std::vector<TmaDestination> tma_destinations(std::uint32_t destination, std::uint32_t barrier,
                                             const std::uint16_t* multicast_mask, int cta_group,
                                             std::uint32_t cluster_size) {
  const std::uint32_t to = shared_rank(destination), barrier_rank = shared_rank(barrier);
  const bool pair = cta_group == 2;
  if (std::max(to, barrier_rank) >= cluster_size) {
    throw Fault(FaultKind::illegal_address, "shared.no-such-cta",
                "the copy names CTA " + std::to_string(std::max(to, barrier_rank)) +
                    " of a cluster of " + std::to_string(cluster_size));
  }
  if (multicast_mask == nullptr) {
    if (barrier_rank != to && !(pair && (barrier_rank ^ 1) == to)) {
      wrong("tma.barrier-cta", pair ? "the mbarrier is neither in the destination's CTA nor in its "
                                      "pair"
                                    : "the mbarrier is not in the destination's CTA");
    }
    return {{to, barrier_rank}};
  }
  if ((std::uint32_t{*multicast_mask} >> cluster_size) != 0) {
    throw Fault(FaultKind::illegal_address, "tma.multicast-mask",
                "the multicast mask " + hex(*multicast_mask) + " names CTAs beyond the " +
                    std::to_string(cluster_size) + " of the cluster");
  }
  std::vector<TmaDestination> found;
  for (std::uint32_t rank = 0; rank < cluster_size; ++rank) {
    if ((*multicast_mask >> rank & 1) == 0) continue;
    const std::uint32_t told = pair ? (rank & ~1u) | (barrier_rank & 1) : rank;
    if (told >= cluster_size) wrong("tma.pair", "CTA " + std::to_string(rank) + " has no pair");
    found.push_back({rank, told});
  }
  return found;
}

}  // namespace lc::machine
