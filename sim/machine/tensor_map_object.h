#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/layout/im2col.h"
#include "sim/layout/tensor_map_bits.h"

namespace lc::machine {

/// A tensor map as the TMA unit understands its 128 bytes.
struct TensorMapObject {
  bool im2col = false;
  TensorMap tiled;   ///< when not im2col
  Im2colMap column;  ///< when im2col

  const TensorMap& tensor() const { return im2col ? column.tensor : tiled; }
  DataType data_type() const { return tensor().data_type; }
};

/// The 128 bytes that our encoder writes.  What sm_90 can express has the bytes of an H200's
/// driver.  Data types, swizzles and modes that exist since sm_100 have no known bits: those maps
/// carry `kPrivateMark` in word 15, which is 0 in every captured map and which loads do not read
/// (measured), and in word 14 the fields that do not fit the sm_90 ones.  Nothing but our own unit
/// can read them.
///
///   word 14   3:0 data type (CUtensorMapDataType) | 10:8 swizzle (CUtensorMapSwizzle)
///             16 im2col-wide | 17 im2col-wide 128
///   word 15   kPrivateMark
inline constexpr std::uint64_t kPrivateMark = 0x31304D54434C2E2E;

TensorMapWords encode_object(const TensorMapObject& object);

/// Reads the bytes of a map; throws Fault for bytes that no encoder writes.
TensorMapObject decode_object(const TensorMapWords& words);

TensorMapWords words_of(std::span<const std::byte, 128> bytes);
void store_words(const TensorMapWords& words, std::span<std::byte, 128> bytes);

/// Fields of `tensormap.replace` (PTX ISA 9.0, 9.7.9.28).
enum class ReplaceField : std::uint8_t {
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  fill_mode,
  swizzle_atomicity
};

/// Replaces one field.  `ordinal` is the dimension of the four that have one.  Values are those of
/// the instruction: rank - 1, extents and element strides as counts, strides in bytes, enumerations
/// with the ISA's numbers.  (Whether box_dim and element_stride are given as counts or counts - 1
/// is not stated by the ISA; counts by analogy with global_dim: inferred.)  Throws Fault for
/// ordinals and numbers that do not exist.
void replace_field(TensorMapWords& words, ReplaceField field, std::uint32_t ordinal,
                   std::uint64_t value);

}  // namespace lc::machine
