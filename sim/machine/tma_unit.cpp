#include "sim/machine/tma_unit.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "sim/machine/fault.h"
#include "sim/machine/reduction.h"

namespace lc::machine {
namespace {

FaultKind kind_of(TmaOutcome outcome) {
  return outcome == TmaOutcome::misaligned_address ? FaultKind::misaligned_address
                                                   : FaultKind::illegal_instruction;
}

void throw_unless_ok(const TmaVerdict& verdict, std::uint64_t smem) {
  if (verdict.outcome == TmaOutcome::ok) return;
  throw_first_error(kind_of(verdict.outcome), verdict.findings, smem);
}

[[noreturn]] void wrong(const char* rule, const std::string& what) {
  throw Fault(FaultKind::illegal_instruction, rule, what);
}

void check_mode(const TensorMapObject& map, const TensorCopy& copy) {
  if (map.im2col != (copy.mode == TmaMode::im2col)) {
    wrong("tma.mode", map.im2col ? "an im2col tensor map is used in a tiled copy"
                                 : "a tiled tensor map is used in an im2col copy");
  }
  if (copy.rank != map.tensor().rank) {
    wrong("tma.rank", "a copy of " + std::to_string(copy.rank) +
                          " dimensions with a tensor map of rank " +
                          std::to_string(map.tensor().rank));
  }
}

/// Before any row is listed: the box must fit the window, gaps behind the last row aside.
void check_room(const TmaBox& box, std::uint64_t shared_bytes) {
  const std::uint64_t last_row = (box.rows - 1) * box.row_pitch;
  if (box.smem_address < shared_bytes && last_row < shared_bytes - box.smem_address) return;
  throw Fault(FaultKind::illegal_address, "shared.out-of-bounds",
              "a box of " + std::to_string(box.rows) + " rows at shared address " +
                  hex(box.smem_address) + " passes the end " + hex(shared_bytes) +
                  " of the CTA's shared memory",
              box.smem_address);
}

TmaPlan plan_of(const TensorMap& tensor, const TmaBox& box) {
  TmaPlan plan;
  plan.box = box;
  plan.data_type = tensor.data_type;
  plan.global_address = tensor.global_address;
  plan.rows.reserve(box.rows);
  return plan;
}

TmaPlan tile_plan(const TensorMap& map, const TensorCopy& copy, std::uint64_t shared_bytes) {
  const TmaBox box = make_tma_box(map, copy.first, copy.smem_offset);
  check_room(box, shared_bytes);
  TmaPlan plan = plan_of(map, box);
  for (TmaRowCursor at(box); !at.done(); at.next()) plan.rows.push_back(at.row());
  return plan;
}

/// A map of rank 2 whose box is one row: four rows of it, each with its own index (PTX ISA 5.5.5;
/// not measured).  Shared memory looks as after a tiled copy of four rows.
TmaPlan gather_plan(TensorMap map, const TensorCopy& copy, std::uint64_t shared_bytes) {
  map.box_dim[1] = 4;
  map.element_stride[1] = 1;
  TmaBox box = make_tma_box(map, copy.first, copy.smem_offset);
  check_room(box, shared_bytes);
  TmaPlan plan = plan_of(map, box);
  for (const std::int64_t index : copy.rows) {
    TmaBox one = box;
    one.step[0].first = index;
    TmaRow row = TmaRowCursor(one).row();
    row.linear = box.smem_address + plan.rows.size() * box.row_pitch;
    row.swizzle_mask = swizzle_mask(box.swizzle, row.linear);
    plan.rows.push_back(row);
  }
  return plan;
}

void check_gather(const TensorMap& map) {
  if (map.rank != 2 || map.box_dim[1] != 1) {
    wrong("tma.gather-box",
          "tile::gather4 and tile::scatter4 take maps of rank 2 whose box is one "
          "row high");
  }
  if (map.interleave != Interleave::none) {
    wrong("tma.gather-interleave", "tile::gather4 and tile::scatter4 cannot be interleaved");
  }
}

/// The rules of im2col copies; those of the map first.
TmaPlan im2col_plan(const Im2colMap& map, const TensorCopy& copy, Arch arch,
                    std::uint64_t shared_bytes) {
  if (map.wide) wrong("tma.im2col-wide", "im2col::w copies are not modelled");
  throw_first_error(FaultKind::illegal_instruction, check_im2col_map(map, arch));
  const Im2colBox box = make_im2col_box(map, copy.first, copy.offsets, copy.smem_offset);
  TmaVerdict verdict;
  TensorMap pixel = map.tensor;
  for (int i = 0; i < kMaxRank; ++i) pixel.box_dim[i] = 1;
  lc::detail::check_start(verdict, pixel, copy.first, copy.smem_offset);
  throw_unless_ok(verdict, copy.smem_offset);
  if (!starts_in_box(box)) {
    wrong("tma.im2col-start",
          "pixel 0 lies outside the box that the map's corners leave (measured "
          "on H200)");
  }
  const std::uint32_t offset_end = 1u << corner_bits(map, Arch::sm_90);
  for (int i = 0; i < map.spatial(); ++i) {
    if (copy.offsets.at[i] >= offset_end) {
      wrong("tma.im2col-offset", "im2col offset " + std::to_string(copy.offsets.at[i]) +
                                     " is not below " + std::to_string(offset_end));
    }
  }
  check_room(box.pixels, shared_bytes);
  TmaPlan plan = plan_of(map.tensor, box.pixels);
  for (Im2colCursor at(box); !at.done(); at.next()) plan.rows.push_back(at.row());
  return plan;
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

TmaPlan plan_load(const TensorMapObject& map, const TensorCopy& copy, Arch arch,
                  std::uint64_t shared_bytes) {
  check_mode(map, copy);
  if (copy.mode == TmaMode::im2col) return im2col_plan(map.column, copy, arch, shared_bytes);
  throw_unless_ok(check_tma_load(map.tiled, copy.first, copy.smem_offset, arch), copy.smem_offset);
  if (copy.mode == TmaMode::tile) return tile_plan(map.tiled, copy, shared_bytes);
  check_gather(map.tiled);
  return gather_plan(map.tiled, copy, shared_bytes);
}

TmaPlan plan_store(const TensorMapObject& map, const TensorCopy& copy, TmaOperation operation,
                   Arch arch, std::uint64_t shared_bytes) {
  check_mode(map, copy);
  if (copy.mode == TmaMode::im2col) {
    if (!has_operation(map.data_type(), operation)) {
      throw fault_of(FaultKind::illegal_instruction, {rule_of(TmaRule::operation_type)});
    }
    TensorCopy plain = copy;
    plain.offsets = {};
    return im2col_plan(map.column, plain, arch, shared_bytes);
  }
  throw_unless_ok(check_tma_store(map.tiled, copy.first, copy.smem_offset, operation, arch),
                  copy.smem_offset);
  if (copy.mode == TmaMode::tile) return tile_plan(map.tiled, copy, shared_bytes);
  check_gather(map.tiled);
  for (const std::int64_t row : copy.rows) {
    if (row < 0) wrong("tma.store-negative", "a store cannot go to row " + std::to_string(row));
  }
  return gather_plan(map.tiled, copy, shared_bytes);
}

void check_prefetch(const TensorMapObject& map, const TensorCopy& copy, Arch arch) {
  TensorCopy load = copy;
  load.smem_offset = 0;
  check_mode(map, load);
  // The boxes of a prefetch need no room; only their rules are asked.
  if (copy.mode == TmaMode::im2col) {
    im2col_plan(map.column, load, arch, kMaxBoxBytes);
    return;
  }
  throw_unless_ok(check_tma_load(map.tiled, load.first, 0, arch), 0);
  if (copy.mode == TmaMode::gather4) check_gather(map.tiled);
}

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
