#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/layout/tensor_map.h"
#include "sim/layout/tensor_map_rules.h"

/// The legal call nearest to an illegal one: every field moves as little as its rules allow, in an
/// order in which no later step breaks an earlier one.  A legal map comes back unchanged, and the
/// result is always accepted.
namespace lc {

/// One field of two tensor maps that differs.  Enumerations appear as their numbers.
struct TensorMapChange {
  const char* field;
  int index;  ///< dimension, or -1
  std::uint64_t from;
  std::uint64_t to;
};

struct TensorMapChanges {
  static constexpr std::size_t kCapacity = 7 + 4 * kMaxRank;
  TensorMapChange items[kCapacity]{};
  std::size_t count = 0;

  constexpr void compare(const char* field, std::uint64_t from, std::uint64_t to, int index = -1) {
    if (from != to) items[count++] = {field, index, from, to};
  }
  constexpr const TensorMapChange* begin() const { return items; }
  constexpr const TensorMapChange* end() const { return items + count; }
};

/// Fields of dimensions that only one of the maps has count as changed.
constexpr TensorMapChanges tensor_map_changes(const TensorMap& from, const TensorMap& to) {
  TensorMapChanges changes;
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  changes.compare("data_type", number(from.data_type), number(to.data_type));
  changes.compare("rank", number(from.rank), number(to.rank));
  changes.compare("global_address", from.global_address, to.global_address);
  for (int i = 0; i < to.rank && i < kMaxRank; ++i) {
    changes.compare("global_dim", from.global_dim[i], to.global_dim[i], i);
    if (i + 1 < to.rank) {
      changes.compare("global_strides", from.global_stride[i], to.global_stride[i], i);
    }
    changes.compare("box_dim", from.box_dim[i], to.box_dim[i], i);
    changes.compare("element_strides", from.element_stride[i], to.element_stride[i], i);
  }
  changes.compare("interleave", number(from.interleave), number(to.interleave));
  changes.compare("swizzle", number(from.swizzle), number(to.swizzle));
  changes.compare("l2_promotion", number(from.l2_promotion), number(to.l2_promotion));
  changes.compare("oob_fill", number(from.oob_fill), number(to.oob_fill));
  return changes;
}

namespace detail {

constexpr std::uint64_t clamped(std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  return value < low ? low : (value > high ? high : value);
}

/// Up to a multiple of `unit`, but not past `limit`, itself a multiple.
constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit, std::uint64_t limit) {
  if (value >= limit) return limit;
  return (value + unit - 1) / unit * unit;
}

/// A packed type on sm_90 becomes the bytes it stands for.
constexpr void unpack_to_bytes(TensorMap& map) {
  const std::uint64_t bits = data_type_row(map.data_type).bits;
  const auto bytes = [bits](std::uint64_t count) {
    return count / 8 * bits + (count % 8 * bits + 7) / 8;
  };
  map.data_type = DataType::u8;
  map.global_dim[0] = bytes(map.global_dim[0]);
  map.box_dim[0] = bytes(map.box_dim[0]);
}

constexpr void repair_kinds(TensorMap& map, Arch arch) {
  map.rank = map.rank < 1 ? 1 : (map.rank > kMaxRank ? kMaxRank : map.rank);
  if (!is_known(map.data_type)) map.data_type = DataType::u8;
  if (is_packed(map.data_type) && arch == Arch::sm_90) unpack_to_bytes(map);
  if (!is_known(map.interleave) || map.rank < 3 || is_padded(map.data_type)) {
    map.interleave = Interleave::none;
  }
  if (!is_known(static_cast<TensorMapSwizzle>(map.swizzle))) map.swizzle = Swizzle::none;
  if (has_large_atom(map.swizzle) && arch == Arch::sm_90) map.swizzle = Swizzle::b128;
  const bool for_padded = map.swizzle == Swizzle::none || map.swizzle == Swizzle::b128 ||
                          map.swizzle == Swizzle::b128_32b || map.swizzle == Swizzle::b128_64b;
  if (is_padded(map.data_type) && !for_padded) map.swizzle = Swizzle::b128;
  if (!is_known(map.l2_promotion)) map.l2_promotion = L2Promotion::none;
  if (!is_known(map.oob_fill) || !data_type_row(map.data_type).floating) {
    map.oob_fill = OobFill::zero;
  }
}

constexpr void repair_tensor(TensorMap& map) {
  const std::uint64_t alignment = global_alignment(map);
  map.global_address =
      clamped(map.global_address, 0, kMaxGlobalAddress - alignment) / alignment * alignment;
  for (int i = 0; i < map.rank; ++i) {
    map.global_dim[i] = clamped(map.global_dim[i], 1, kMaxGlobalDim);
    map.element_stride[i] = clamped(map.element_stride[i], 1, kMaxElementStride);
    if (i + 1 < map.rank) {
      map.global_stride[i] =
          rounded_up(map.global_stride[i], alignment, kMaxGlobalStride - alignment);
    }
  }
  map.global_dim[0] =
      rounded_up(map.global_dim[0], inner_dim_multiple(map.data_type), kMaxGlobalDim);
}

/// A narrower span than the box asks for a wider swizzle; what no span holds is cut.
constexpr void repair_inner_box(TensorMap& map) {
  if (is_padded(map.data_type)) {
    map.box_dim[0] = kPaddedBox;
    return;
  }
  const std::uint64_t unit = 128 / shared_bits(map.data_type, 1);
  map.box_dim[0] = rounded_up(map.box_dim[0], unit, kMaxBoxDim);
  if (map.interleave != Interleave::none || map.swizzle == Swizzle::none) return;
  const std::uint64_t bytes = shared_bits(map.data_type, map.box_dim[0]) / 8;
  if (bytes <= swizzle_row(map.swizzle).span) return;
  if (bytes <= 128) {
    map.swizzle = bytes <= 64 ? Swizzle::b64 : Swizzle::b128;
  } else {
    map.box_dim[0] = swizzle_row(map.swizzle).span * 8 / shared_bits(map.data_type, 1);
  }
}

/// Shrinks the outer dimensions of a box that is too large, outermost first.
constexpr void repair_box_size(TensorMap& map) {
  for (int i = map.rank - 1; i > 0 && encoder_box_bytes(map) > kMaxBoxBytes; --i) {
    const std::uint64_t steps = map.box_dim[i] / map.element_stride[i];
    const std::uint64_t per_step = encoder_box_bytes(map) / steps;
    map.box_dim[i] = clamped(kMaxBoxBytes / per_step, 1, steps) * map.element_stride[i];
  }
}

}  // namespace detail

constexpr TensorMap nearest_legal_tensor_map(TensorMap map, Arch arch) {
  if (is_accepted(map, arch)) return map;
  detail::repair_kinds(map, arch);
  detail::repair_tensor(map);
  for (int i = 0; i < map.rank; ++i)
    map.box_dim[i] = detail::clamped(map.box_dim[i], 1, kMaxBoxDim);
  detail::repair_inner_box(map);
  detail::repair_box_size(map);
  return map;
}

}  // namespace lc
