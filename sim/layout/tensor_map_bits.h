#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/layout/bit_field.h"
#include "sim/layout/finding.h"
#include "sim/layout/swizzle.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tensor_map_rules.h"

/// The 128 bytes of a tensor map, as the encoder of an H200's driver (580, CUDA 13.0) writes them:
/// measured on 4989 of 4989 accepted tiled maps.  NVIDIA documents none of it, and other drivers
/// or GPUs may differ.
///
///   word 0    global address
///   word 1    im2col | rank - 1 | type | interleave | swizzle | fill | tf32 | L2 || stride 0
///   word 2, 3 strides 1, 2 || stride 3, the high bits of every stride
///   word 4..6 dimensions - 1 || element strides - 1, box 0 - 1
///   word 7    boxes 1..4 - 1
///   word 8    bytes of the box as the encoder counts them
///   word 9    16, 256, 512, 1024: the period of the swizzle pattern
/// The rest is 0.  A tiled load does not read words 8 to 15: overwriting them changed nothing
/// (measured).
namespace lc {

struct TensorMapWords {
  static constexpr int kCount = 16;
  std::uint64_t word[kCount]{};

  LC_HD constexpr std::uint8_t byte(std::size_t i) const {
    return static_cast<std::uint8_t>(word[i / 8] >> (i % 8 * 8));
  }
  LC_HD constexpr void set_byte(std::size_t i, std::uint8_t value) {
    const std::size_t shift = i % 8 * 8;
    word[i / 8] = (word[i / 8] & ~(std::uint64_t{0xFF} << shift)) | std::uint64_t{value} << shift;
  }
  constexpr bool operator==(const TensorMapWords&) const = default;
};

/// A field of the map; repeated ones stand `step` bits apart, `BitField::lo` counting from `word`.
struct TensorMapField {
  BitField bits;
  std::uint8_t word;
  std::uint8_t step;
  std::uint8_t count;

  struct Place {
    int word;
    BitField bits;
  };
  LC_HD constexpr Place place(int index) const {
    const int lo = bits.lo + index * step;
    BitField there = bits;
    there.lo = static_cast<std::uint8_t>(lo % 64);
    return {word + lo / 64, there};
  }
  LC_HD constexpr std::uint64_t raw(const TensorMapWords& words, int index = 0) const {
    const Place p = place(index);
    return p.bits.raw(words.word[p.word]);
  }
  LC_HD constexpr void put(TensorMapWords& words, std::uint64_t raw_value, int index = 0) const {
    const Place p = place(index);
    words.word[p.word] |= (raw_value & p.bits.mask()) << p.bits.lo;
  }
};

namespace tensor_map_field {
inline constexpr TensorMapField kAddress{{"global_address", 0, 57, 0}, 0, 0, 1};
inline constexpr TensorMapField kIm2col{{"im2col", 0, 1, 0}, 1, 0, 1};
inline constexpr TensorMapField kRank{{"rank", 4, 3, 0}, 1, 0, 1};
inline constexpr TensorMapField kType{{"data_type", 7, 4, 0}, 1, 0, 1};
inline constexpr TensorMapField kInterleave{{"interleave", 11, 2, 0}, 1, 0, 1};
inline constexpr TensorMapField kSwizzle{{"swizzle", 13, 2, 0}, 1, 0, 1};
inline constexpr TensorMapField kFill{{"oob_fill", 15, 1, 0}, 1, 0, 1};
inline constexpr TensorMapField kTf32{{"tf32", 16, 1, 0}, 1, 0, 1};
inline constexpr TensorMapField kL2Promotion{{"l2_promotion", 17, 2, 0}, 1, 0, 1};
inline constexpr TensorMapField kStride{{"global_strides", 32, 32, 4}, 1, 32, 4};
inline constexpr TensorMapField kStrideHigh{{"global_strides high bits", 32, 4, 36}, 3, 4, 4};
inline constexpr TensorMapField kDim{{"global_dim", 0, 32, 0}, 4, 32, 5};
inline constexpr TensorMapField kElementStride{{"element_strides", 32, 3, 0}, 6, 3, 5};
inline constexpr TensorMapField kBox{{"box_dim", 56, 8, 0}, 6, 8, 5};
inline constexpr TensorMapField kBoxBytes{{"box bytes", 0, 32, 0}, 8, 0, 1};
inline constexpr TensorMapField kPatternBytes{{"swizzle period", 0, 16, 0}, 9, 0, 1};
}  // namespace tensor_map_field

/// Every field of a tiled map, in the order of its bits: for printing, and to tell which bits none
/// of them covers.
inline constexpr TensorMapField kTiledMapFields[] = {
    tensor_map_field::kAddress,       tensor_map_field::kIm2col,     tensor_map_field::kRank,
    tensor_map_field::kType,          tensor_map_field::kInterleave, tensor_map_field::kSwizzle,
    tensor_map_field::kFill,          tensor_map_field::kTf32,       tensor_map_field::kL2Promotion,
    tensor_map_field::kStride,        tensor_map_field::kStrideHigh, tensor_map_field::kDim,
    tensor_map_field::kElementStride, tensor_map_field::kBox,        tensor_map_field::kBoxBytes,
    tensor_map_field::kPatternBytes,
};

/// Whether the bits of this accepted map are known: captured on sm_90 only.
constexpr bool has_known_bits(const TensorMap& map, Arch arch) {
  return arch == Arch::sm_90 && is_accepted(map, arch);
}

/// What all kinds of maps share: everything but the box.
constexpr TensorMapWords encode_tensor(const TensorMap& map) {
  namespace field = tensor_map_field;
  TensorMapWords words;
  const DataTypeRow type = data_type_row(map.data_type);
  field::kAddress.put(words, map.global_address);
  field::kRank.put(words, static_cast<std::uint64_t>(map.rank - 1));
  field::kType.put(words, type.map_code);
  field::kInterleave.put(words, static_cast<std::uint64_t>(map.interleave));
  field::kSwizzle.put(words, swizzle_row(map.swizzle).tensor_map_code);
  field::kFill.put(words, static_cast<std::uint64_t>(map.oob_fill));
  field::kTf32.put(words, type.tf32);
  field::kL2Promotion.put(words, static_cast<std::uint64_t>(map.l2_promotion));
  for (int i = 0; i < map.rank; ++i) {
    field::kDim.put(words, map.global_dim[i] - 1, i);
    field::kElementStride.put(words, map.element_stride[i] - 1, i);
    if (i + 1 == map.rank) break;
    field::kStride.put(words, map.global_stride[i] >> field::kStride.bits.scale, i);
    field::kStrideHigh.put(words, map.global_stride[i] >> field::kStrideHigh.bits.scale, i);
  }
  field::kPatternBytes.put(words, swizzle_row(map.swizzle).period);
  return words;
}

/// The bytes the encoder writes for a map that sm_90 accepts.
constexpr TensorMapWords encode_tensor_map(const TensorMap& map) {
  TensorMapWords words = encode_tensor(map);
  for (int i = 0; i < map.rank; ++i) tensor_map_field::kBox.put(words, map.box_dim[i] - 1, i);
  tensor_map_field::kBoxBytes.put(words, encoder_box_bytes(map));
  return words;
}

inline constexpr Rule kTensorMapBitsRules[] = {
    {"tensor_map_bits.im2col", Severity::error, "tensor_map",
     "bit 64 says im2col: this is not a tiled map"},
    {"tensor_map_bits.type", Severity::error, "data_type",
     "type code {value} was in no captured map"},
    {"tensor_map_bits.rank", Severity::error, "rank", "rank {value} is not 1 to 5"},
    {"tensor_map_bits.stray", Severity::warning, "tensor_map",
     "word {index} has bits set ({value}) that were 0 in every captured map"},
    {"tensor_map_bits.box-bytes", Severity::note, "tensor_map",
     "word 8 says {value} bytes, the box has {limit}; loads do not read it (measured on H200)"},
    {"tensor_map_bits.period", Severity::note, "tensor_map",
     "word 9 says {value}, the swizzle's period is {limit}; loads do not read it (measured on "
     "H200)"},
};

struct DecodedTensorMap {
  TensorMap map;
  bool im2col = false;
  Findings findings;  ///< of the bits; the legality of the fields is check_tensor_map's business
};

namespace detail {

/// f32 and tf32 share a code and differ in the tf32 bit, likewise their ftz forms.
constexpr DataType data_type_of_code(std::uint64_t code, bool tf32) {
  for (const auto& spelled : spellings(DataType{})) {
    const DataTypeRow row = data_type_row(spelled.value);
    if (row.map_code == code && row.tf32 == tf32) return row.type;
  }
  return static_cast<DataType>(255);
}

constexpr TensorMap decode_fields(const TensorMapWords& words) {
  namespace field = tensor_map_field;
  TensorMap map;
  map.data_type = data_type_of_code(field::kType.raw(words), field::kTf32.raw(words) != 0);
  map.rank = static_cast<int>(field::kRank.raw(words)) + 1;
  map.global_address = field::kAddress.raw(words);
  map.interleave = static_cast<Interleave>(field::kInterleave.raw(words));
  map.swizzle = static_cast<Swizzle>(field::kSwizzle.raw(words));
  map.l2_promotion = static_cast<L2Promotion>(field::kL2Promotion.raw(words));
  map.oob_fill = static_cast<OobFill>(field::kFill.raw(words));
  for (int i = 0; i < kMaxRank && i < map.rank; ++i) {
    map.global_dim[i] = field::kDim.raw(words, i) + 1;
    map.box_dim[i] = field::kBox.raw(words, i) + 1;
    map.element_stride[i] = field::kElementStride.raw(words, i) + 1;
    if (i + 1 >= map.rank || i + 1 == kMaxRank) break;
    map.global_stride[i] = field::kStride.raw(words, i) << field::kStride.bits.scale |
                           field::kStrideHigh.raw(words, i) << field::kStrideHigh.bits.scale;
  }
  return map;
}

constexpr void check_decoded_kinds(const TensorMap& map, const TensorMapWords& words,
                                   Findings& found) {
  if (!is_known(map.data_type)) {
    found.add(kTensorMapBitsRules[1],
              static_cast<std::int64_t>(tensor_map_field::kType.raw(words)));
  }
  if (!has_legal_rank(map)) found.add(kTensorMapBitsRules[2], map.rank);
}

/// Reports what the encoder would have written otherwise.
constexpr void compare_words(const TensorMapWords& words, const TensorMapWords& again,
                             Findings& found) {
  for (int i = 0; i < TensorMapWords::kCount; ++i) {
    const std::uint64_t got = words.word[i], want = again.word[i];
    if (got == want) continue;
    if (i == 8 || i == 9) {
      found.add(kTensorMapBitsRules[i == 8 ? 4 : 5], static_cast<std::int64_t>(got),
                static_cast<std::int64_t>(want));
    } else {
      found.add_hex(kTensorMapBitsRules[3], got ^ want, 0, i);
    }
  }
}

}  // namespace detail

/// The fields of a tiled map.  Bits that the encoder would not have set for these fields are
/// reported, so that encoding the result gives the same bytes exactly when nothing was found.
constexpr DecodedTensorMap decode_tensor_map(const TensorMapWords& words) {
  DecodedTensorMap decoded{detail::decode_fields(words), false, {}};
  decoded.im2col = tensor_map_field::kIm2col.raw(words) != 0;
  if (decoded.im2col) decoded.findings.add(kTensorMapBitsRules[0]);
  detail::check_decoded_kinds(decoded.map, words, decoded.findings);
  if (decoded.findings.has_error()) return decoded;
  detail::compare_words(words, encode_tensor_map(decoded.map), decoded.findings);
  return decoded;
}

}  // namespace lc
