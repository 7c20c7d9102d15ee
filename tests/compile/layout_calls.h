#pragma once

#include "sim/layout/im2col_box.h"
#include "sim/layout/match.h"
#include "sim/layout/operand.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/tensor_map_bits.h"
#include "sim/layout/tma_box.h"
#include "sim/layout/tma_copy.h"
#include "sim/layout/tmem.h"
#include "sim/layout/tmem_operands.h"
#include "sim/layout/tmem_transfer.h"

/// Every function of the layout model that is meant for all targets, called with made-up but sane
/// arguments.  A target passes when it compiles this and gives the same numbers as the host.
namespace lc::compile {

/// Numbers that look random, the same everywhere.  (One throw per statement or braced list: the
/// order of function arguments is the compiler's choice.)
struct Dice {
  std::uint32_t state;

  LC_HD constexpr std::uint32_t next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  LC_HD constexpr std::uint32_t below(std::uint32_t limit) { return next() % limit; }
};

struct Sum {
  std::uint32_t value = 2166136261u;

  LC_HD constexpr void add(std::uint64_t part) {
    value = (value ^ static_cast<std::uint32_t>(part ^ part >> 32)) * 16777619u;
  }
};

LC_HD constexpr SmemDescriptor any_descriptor(Dice& dice) {
  SmemDescriptor d;
  d.start_address = 1024 + 16 * dice.below(512);
  d.leading_byte_offset = 16 * dice.below(256);
  d.stride_byte_offset = 16 * dice.below(256);
  d.base_offset = dice.below(8);
  d.swizzle = static_cast<Swizzle>(dice.below(kOperandSwizzleCount));
  const std::uint64_t word = encode_smem_descriptor(Arch::sm_100, d);
  return decode_smem_descriptor(Arch::sm_100, word).fields;
}

LC_HD constexpr TensorMap any_map(Dice& dice) {
  TensorMap map;
  map.data_type = DataType::bf16;
  map.rank = 3;
  map.global_address = 4096;
  map.global_dim = {64, 20, 9, 1, 1};
  map.global_stride = {128, 2560, 0, 0, 0};
  map.box_dim = {16 * (1 + dice.below(2)), 1 + dice.below(8), 1 + dice.below(4), 1, 1};
  map.element_stride = {1, 1 + dice.below(3), 1, 1, 1};
  map.swizzle = dice.below(2) == 0 ? Swizzle::b64 : Swizzle::b128;
  map.oob_fill = OobFill::nan;
  return map;
}

LC_HD constexpr Coordinates any_coordinates(Dice& dice) {
  Coordinates c{};
  for (int i = 0; i < 3; ++i) c[i] = static_cast<std::int64_t>(dice.below(24)) - 4;
  c[0] = c[0] / 8 * 8;
  return c;
}

LC_HD constexpr void operand_calls(Dice& dice, Sum& sum) {
  const SmemDescriptor d = any_descriptor(dice);
  const auto element = static_cast<Element>(dice.below(kElementCount));
  const Major major = dice.below(2) == 0 ? Major::k : Major::mn;
  const OperandLayout l = operand_layout(d, major, element);
  std::uint32_t map[12 * 20]{};
  fill_addresses(l, 12, 20, map);
  for (const std::uint32_t address : map) sum.add(address);
  const std::uint32_t mn = dice.below(128), k = dice.below(64);
  sum.add(l.bit_address(mn, k));
}

LC_HD constexpr void box_calls(Dice& dice, Sum& sum) {
  const TensorMap map = any_map(dice);
  const TmaBox box = make_tma_box(map, any_coordinates(dice), 1024);
  for (TmaRowCursor at(box); !at.done(); at.next()) {
    sum.add(static_cast<std::uint64_t>(at.row().global_offset));
    for_each_piece(box, at.row(), 0, box.packed_bytes,
                   [&](std::uint64_t address, std::uint32_t length, std::uint32_t offset) {
                     sum.add(address << 32 | length << 16 | offset);
                   });
  }
  const TmaElement e = element_at(box, 1024 + dice.below(2048));
  sum.add(static_cast<std::uint64_t>(e.global_offset) + e.present + 2 * e.inside);
  sum.add(tma_load_value(DataType::tf32, dice.next()));
  sum.add(has_operation(DataType::f16, TmaOperation::add));
}

LC_HD constexpr void im2col_calls(Dice& dice, Sum& sum) {
  Im2colMap map;
  map.tensor = any_map(dice);
  map.tensor.rank = 4;
  map.tensor.global_dim = {64, 9, 8, 3, 1};
  map.tensor.global_stride = {128, 1152, 9216, 0, 0};
  map.lower[0] = map.lower[1] = -1;
  map.channels_per_pixel = 16;
  map.pixels_per_column = 1 + dice.below(40);
  Im2colOffsets offsets;
  offsets.at[0] = dice.below(3);
  const Im2colBox box = make_im2col_box(map, {0, -1, 2, 0, 0}, offsets, 2048);
  for (Im2colCursor at(box); !at.done(); at.next()) {
    sum.add(static_cast<std::uint64_t>(at.row().global_offset) + at.row().outside);
  }
}

LC_HD constexpr void match_calls(Dice& dice, Sum& sum) {
  MatchQuestion q;
  q.map = any_map(dice);
  q.smem_address = 1024;
  q.descriptor = any_descriptor(dice);
  q.element = Element::bf16;
  q.mn = 8;
  q.k = 16;
  q.mn_axis.dimension[0] = 1;
  const Matcher matcher(q);
  for (std::uint32_t i = 0; i < 8 * 16; ++i) {
    const MatchPlace place = matcher.place(i / 16, i % 16);
    sum.add(place.bit_address << 1 | matcher.agrees(place));
  }
}

LC_HD constexpr void tmem_calls(Dice& dice, Sum& sum) {
  const DLayoutRow row = d_layout_row(static_cast<DLayout>(dice.below(kDLayoutCount)));
  const std::uint32_t m = dice.below(row.m), n = dice.below(128), copy = dice.below(a_copies(row));
  const TmemCell cell = d_cell(row, 128, m, n);
  sum.add(std::uint64_t{cell.lane} << 32 | cell.column << 4 | cell.cta);
  const TmemBits a = a_bits(row, 8, m, n % 32, copy);
  sum.add(std::uint64_t{a.lane} << 32 | a.column << 8 | a.bit);
  const TmemByte scale = scale_byte(ScaleSpread::four_by_one, 128, n, m % 4, n % 4);
  sum.add(std::uint64_t{scale.lane} << 32 | scale.column << 8 | scale.byte);
  TmemTransfer x;
  x.shape = static_cast<TmemShape>(dice.below(kTmemShapeCount));
  x.num = 4;
  const TmemOffset at = tmem_cell(x, m % 32, n % x.registers());
  sum.add(std::uint64_t{at.lane} << 32 | at.column);
}

/// One number for all calls of one throw of the dice.
LC_HD constexpr std::uint32_t layout_calls(std::uint32_t seed) {
  Dice dice{seed};
  Sum sum;
  operand_calls(dice, sum);
  box_calls(dice, sum);
  im2col_calls(dice, sum);
  match_calls(dice, sum);
  tmem_calls(dice, sum);
  return sum.value;
}

inline constexpr std::uint32_t kLayoutSeeds = 2000;

}  // namespace lc::compile
