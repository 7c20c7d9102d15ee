#pragma once

#include <cstdint>

#include "sim/layout/finding.h"
#include "sim/layout/spelling.h"
#include "sim/layout/swizzle.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tensor_map_rule_table.h"

/// What cuTensorMapEncodeTiled accepts.  A map is accepted exactly when no error is found.
///
/// The sm_90 rules reproduce 11 316 of 11 316 calls made on an H200 (driver 580, CUDA 13.0).  The
/// rules that speak of packed types and of the 128B swizzles with larger atoms follow the comments
/// of cuda.h 13.0 and PTX ISA 5.5.1 and 5.5.7; nothing of them was measured.  For everything else
/// sm_100 is taken to check what sm_90 checks (inferred).
namespace lc {

/// Bounds of the encoder, in the units of TensorMap.
inline constexpr std::uint64_t kMaxGlobalAddress = std::uint64_t{1} << 57;  ///< exclusive
inline constexpr std::uint64_t kMaxGlobalDim = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kMaxGlobalStride = std::uint64_t{1} << 40;  ///< exclusive
inline constexpr std::uint64_t kMaxBoxDim = 256;
inline constexpr std::uint64_t kMaxElementStride = 8;
inline constexpr std::uint64_t kMaxBoxBytes = 228 * 1024;
inline constexpr std::uint64_t kPaddedBox = 128;  ///< inner box of the padded types

constexpr bool has_large_atom(Swizzle mode) {
  return mode >= Swizzle::b128_32b;
}

/// Whether data type, interleave and swizzle are enumerators, so that sizes can be computed.
constexpr bool has_known_kinds(const TensorMap& map) {
  return is_known(map.data_type) && is_known(map.interleave) &&
         is_known(static_cast<TensorMapSwizzle>(map.swizzle));
}

constexpr bool has_legal_rank(const TensorMap& map) {
  return map.rank >= 1 && map.rank <= kMaxRank;
}

/// Alignment of the global address and of every stride, bytes.
constexpr std::uint64_t global_alignment(const TensorMap& map) {
  return map.interleave == Interleave::b32 || is_padded(map.data_type) ? 32 : 16;
}

/// The number that must divide dimension 0.
constexpr std::uint64_t inner_dim_multiple(DataType type) {
  if (is_padded(type)) return 128;
  return type == DataType::u4x16_align8b ? 2 : 1;
}

/// Bits from one index of dimension 0 to the next in global memory: an element, or the pixel of
/// 16 or 32 bytes of an interleaved tensor.
constexpr std::uint64_t global_unit_bits(const TensorMap& map) {
  if (map.interleave == Interleave::none) return data_type_row(map.data_type).bits;
  return map.interleave == Interleave::b16 ? 128 : 256;
}

/// Bits that `count` elements of dimension 0 take in shared memory; padded types take a byte each.
constexpr std::uint64_t shared_bits(DataType type, std::uint64_t count) {
  return count * (is_padded(type) ? 8 : data_type_row(type).bits);
}

/// The size the encoder checks: box elements as floor(box / element stride) in every dimension,
/// although a load takes the ceiling and ignores element stride 0.  Needs boxes and strides in
/// range (at most 256^5 * 8 then).
constexpr std::uint64_t encoder_box_bytes(const TensorMap& map) {
  std::uint64_t elements = 1;
  for (int i = 0; i < map.rank; ++i) elements *= map.box_dim[i] / map.element_stride[i];
  return shared_bits(map.data_type, elements) / 8;
}

namespace detail {

struct TensorMapCheck {
  const TensorMap& map;
  Findings& findings;

  constexpr void add(TensorMapRule key, std::uint64_t value = 0, std::uint64_t limit = 0,
                     int index = -1) const {
    const bool hex = value >> 63 != 0;  // beyond the finding's signed numbers
    findings.add(rule_of(key), static_cast<std::int64_t>(value), static_cast<std::int64_t>(limit),
                 index, hex);
  }

  constexpr void kinds(Arch arch) const {
    if (!is_known(map.data_type)) {
      add(TensorMapRule::data_type, static_cast<std::uint64_t>(map.data_type));
    } else if (is_packed(map.data_type) && arch == Arch::sm_90) {
      add(TensorMapRule::packed_arch);
    }
    if (!is_known(map.interleave)) {
      add(TensorMapRule::interleave, static_cast<std::uint64_t>(map.interleave));
    }
    if (!is_known(static_cast<TensorMapSwizzle>(map.swizzle))) {
      add(TensorMapRule::swizzle, static_cast<std::uint64_t>(map.swizzle));
    } else if (has_large_atom(map.swizzle) && arch == Arch::sm_90) {
      add(TensorMapRule::swizzle_arch);
    }
    if (!is_known(map.l2_promotion)) {
      add(TensorMapRule::l2_promotion, static_cast<std::uint64_t>(map.l2_promotion));
    }
    if (!is_known(map.oob_fill)) {
      add(TensorMapRule::oob_fill, static_cast<std::uint64_t>(map.oob_fill));
    } else if (map.oob_fill == OobFill::nan && is_known(map.data_type) &&
               !data_type_row(map.data_type).floating) {
      add(TensorMapRule::oob_fill_type);
    }
  }

  constexpr void combinations() const {
    if (map.interleave == Interleave::b32 && map.swizzle != Swizzle::b32) {
      add(TensorMapRule::interleave_swizzle);
    }
    if (map.data_type == DataType::u4x16_align8b && map.interleave != Interleave::none) {
      add(TensorMapRule::interleave_packed);
    }
    if (!is_padded(map.data_type)) return;
    if (map.interleave != Interleave::none) add(TensorMapRule::interleave_padded);
    if (map.swizzle == Swizzle::b128_64b) {
      add(TensorMapRule::swizzle_sources_differ);
    } else if (map.swizzle == Swizzle::b32 || map.swizzle == Swizzle::b64 ||
               map.swizzle == Swizzle::b128_32b_flip8) {
      add(TensorMapRule::swizzle_padded);
    }
  }

  constexpr void address() const {
    const std::uint64_t alignment = global_alignment(map);
    if (map.global_address % alignment != 0) {
      findings.add(rule_of(TensorMapRule::address_alignment),
                   static_cast<std::int64_t>(map.global_address),
                   static_cast<std::int64_t>(alignment), -1, true);
    }
    if (map.global_address >= kMaxGlobalAddress) {
      findings.add_hex(rule_of(TensorMapRule::address_range), map.global_address);
    }
    if (map.global_address == 0) add(TensorMapRule::address_null);
  }

  constexpr void tensor() const {
    const std::uint64_t alignment = global_alignment(map);
    const std::uint64_t multiple = inner_dim_multiple(map.data_type);
    for (int i = 0; i < map.rank; ++i) {
      const std::uint64_t dim = map.global_dim[i];
      if (dim < 1 || dim > kMaxGlobalDim) add(TensorMapRule::dim_range, dim, 0, i);
      if (i == 0 && dim % multiple != 0) add(TensorMapRule::dim_multiple, dim, multiple, i);
    }
    for (int i = 0; i + 1 < map.rank; ++i) {
      const std::uint64_t stride = map.global_stride[i];
      if (stride % alignment != 0) add(TensorMapRule::stride_alignment, stride, alignment, i);
      if (stride >= kMaxGlobalStride) add(TensorMapRule::stride_range, stride, 0, i);
    }
    overlap();
  }

  /// Strides that re-enter the bytes of the dimensions with smaller strides.  The order of the
  /// dimensions does not matter: permuted tensors are as good as any.
  constexpr void overlap() const {
    const std::uint64_t inner_dim = map.global_dim[0];
    if (inner_dim > kMaxGlobalDim) return;
    std::uint64_t span = (inner_dim * global_unit_bits(map) + 7) / 8;
    bool done[kMaxRank] = {};
    for (int step = 0; step + 1 < map.rank; ++step) {
      int next = -1;
      for (int i = 0; i + 1 < map.rank; ++i) {
        if (!done[i] && (next < 0 || map.global_stride[i] < map.global_stride[next])) next = i;
      }
      done[next] = true;
      const std::uint64_t dim = map.global_dim[next + 1], stride = map.global_stride[next];
      if (dim <= 1) continue;
      if (dim > kMaxGlobalDim || stride >= kMaxGlobalStride) return;
      if (stride < span) add(TensorMapRule::stride_overlap, stride, span, next);
      // At most 2^72, so held at 2^62: no legal stride comes near.
      const bool fits = stride == 0 || dim - 1 <= (std::uint64_t{1} << 62) / stride;
      const std::uint64_t reach = fits ? (dim - 1) * stride : std::uint64_t{1} << 62;
      span = reach + span < (std::uint64_t{1} << 62) ? reach + span : std::uint64_t{1} << 62;
    }
  }

  /// Returns whether all are in range.
  constexpr bool element_strides() const {
    bool in_range = true;
    for (int i = 0; i < map.rank; ++i) {
      const std::uint64_t stride = map.element_stride[i];
      if (stride < 1 || stride > kMaxElementStride) {
        add(TensorMapRule::element_stride_range, stride, 0, i);
        in_range = false;
      } else if (i == 0 && stride != 1 && map.interleave == Interleave::none) {
        add(TensorMapRule::element_stride_unused, stride, 0, i);
      }
    }
    return in_range;
  }

  constexpr void box() const {
    bool in_range = element_strides();
    for (int i = 0; i < map.rank; ++i) {
      if (map.box_dim[i] >= 1 && map.box_dim[i] <= kMaxBoxDim) continue;
      add(TensorMapRule::box_range, map.box_dim[i], 0, i);
      in_range = false;
    }
    if (is_padded(map.data_type) && map.box_dim[0] != kPaddedBox) {
      add(TensorMapRule::box_padded, map.box_dim[0], 0, 0);
    } else if (map.box_dim[0] <= kMaxBoxDim) {
      inner_box();
    }
    if (in_range && encoder_box_bytes(map) > kMaxBoxBytes) {
      add(TensorMapRule::box_size, encoder_box_bytes(map), kMaxBoxBytes);
    }
  }

  constexpr void inner_box() const {
    const std::uint64_t bits = shared_bits(map.data_type, map.box_dim[0]);
    if (bits % 128 != 0) {
      add(TensorMapRule::box_bytes, map.box_dim[0], 128 / shared_bits(map.data_type, 1), 0);
    }
    const std::uint64_t span = swizzle_row(map.swizzle).span;
    if (map.interleave == Interleave::none && map.swizzle != Swizzle::none && bits / 8 > span) {
      add(TensorMapRule::box_span, bits / 8, span, 0);
    }
  }
};

}  // namespace detail

namespace detail {

/// Kinds and rank; true when sizes can be judged.
constexpr bool check_frame(const TensorMapCheck& check, Arch arch, int min_rank) {
  const TensorMap& map = check.map;
  check.kinds(arch);
  if (!has_legal_rank(map) || map.rank < min_rank) {
    check.findings.add(rule_of(TensorMapRule::rank), map.rank, min_rank);
    return false;
  }
  if (is_known(map.interleave) && map.interleave != Interleave::none && map.rank < 3) {
    check.add(TensorMapRule::rank_interleaved, static_cast<std::uint64_t>(map.rank));
  }
  return has_known_kinds(map);
}

/// Everything but the box.
constexpr void check_tensor(const TensorMapCheck& check) {
  check.combinations();
  check.address();
  check.tensor();
}

}  // namespace detail

/// Every rule that cuTensorMapEncodeTiled would find broken, and advice.  Sizes are judged only
/// when data type, interleave, swizzle and rank mean something.
constexpr Findings check_tensor_map(const TensorMap& map, Arch arch) {
  Findings findings;
  const detail::TensorMapCheck check{map, findings};
  if (!detail::check_frame(check, arch, 1)) return findings;
  detail::check_tensor(check);
  check.box();
  return findings;
}

constexpr bool is_accepted(const TensorMap& map, Arch arch) {
  return !check_tensor_map(map, arch).has_error();
}

}  // namespace lc
