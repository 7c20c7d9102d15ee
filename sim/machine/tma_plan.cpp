#include "sim/machine/tma_plan.h"

#include <string>

#include "sim/machine/fault.h"

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
  if (map.im2col != is_im2col(copy.mode)) {
    wrong("tma.mode", map.im2col ? "an im2col tensor map is used in a tiled copy"
                                 : "a tiled tensor map is used in an im2col copy");
  }
  const TmaMode wide = map.column.wide_128 ? TmaMode::im2col_w_128 : TmaMode::im2col_w;
  if (map.im2col && copy.mode != (map.column.wide ? wide : TmaMode::im2col)) {
    wrong("tma.mode", "the im2col mode of the copy is not that of the tensor map");
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

Im2colBox im2col_box(const Im2colMap& map, const TensorCopy& copy) {
  if (!map.wide) return make_im2col_box(map, copy.first, copy.offsets, copy.smem_offset);
  const std::uint32_t halo_end = map.wide_128 ? 32 : 512, offset_end = 32;
  if (copy.w_halo >= halo_end || copy.w_offset >= offset_end) {
    wrong("tma.im2col-w", "wHalo " + std::to_string(copy.w_halo) + " and wOffset " +
                              std::to_string(copy.w_offset) + " must be below " +
                              std::to_string(halo_end) + " and " + std::to_string(offset_end));
  }
  return make_wide_im2col_box(map, copy.first, copy.w_halo, copy.w_offset, copy.smem_offset);
}

/// The rules of im2col copies; those of the map first.
TmaPlan im2col_plan(const Im2colMap& map, const TensorCopy& copy, Arch arch,
                    std::uint64_t shared_bytes) {
  throw_first_error(FaultKind::illegal_instruction, check_im2col_map(map, arch));
  const Im2colBox box = im2col_box(map, copy);
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
  for (int i = 0; i < map.spatial() && !map.wide; ++i) {
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

}  // namespace

TmaPlan plan_load(const TensorMapObject& map, const TensorCopy& copy, Arch arch,
                  std::uint64_t shared_bytes) {
  check_mode(map, copy);
  if (is_im2col(copy.mode)) return im2col_plan(map.column, copy, arch, shared_bytes);
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
  if (is_im2col(copy.mode)) {
    im2col_plan(map.column, load, arch, kMaxBoxBytes);
    return;
  }
  throw_unless_ok(check_tma_load(map.tiled, load.first, 0, arch), 0);
  if (copy.mode == TmaMode::gather4) check_gather(map.tiled);
}

}  // namespace lc::machine
