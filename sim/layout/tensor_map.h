#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/layout/host_device.h"
#include "sim/layout/spelling.h"
#include "sim/layout/swizzle.h"

namespace lc {

inline constexpr int kMaxRank = 5;

/// One value per tensor dimension, innermost first.  (`std::array` has no device functions.)
template <class T>
struct PerDimension {
  T at[kMaxRank];

  LC_HD constexpr T& operator[](std::size_t i) { return at[i]; }
  LC_HD constexpr const T& operator[](std::size_t i) const { return at[i]; }
  LC_HD constexpr const T* begin() const { return at; }
  LC_HD constexpr const T* end() const { return at + kMaxRank; }
  static constexpr std::size_t size() { return kMaxRank; }
  constexpr bool operator==(const PerDimension&) const = default;
};

/// Element types of a tensor map, in CUtensorMapDataType's order.
enum class DataType : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  u4x16_align8b,
  u4x16_align16b,
  u6x16_align16b
};

struct DataTypeRow {
  DataType type;
  const char* name;
  std::uint8_t bits;        ///< one value in global memory
  bool floating;            ///< NaN fill allowed
  std::uint8_t map_code;    ///< bits 71..74 of the tensor map (measured on H200; 255: not seen)
  bool tf32;                ///< bit 80 of the tensor map; loads round to 10 mantissa bits
  std::uint8_t cell_bytes;  ///< global bytes that fill one 16-byte cell of shared memory; under 16
                            ///< the cell's upper bytes are padding
};

LC_HD constexpr DataTypeRow data_type_row(DataType type) {
  constexpr DataTypeRow kRows[] = {
      {DataType::u8, "u8", 8, false, 0, false, 16},
      {DataType::u16, "u16", 16, false, 1, false, 16},
      {DataType::u32, "u32", 32, false, 2, false, 16},
      {DataType::s32, "s32", 32, false, 3, false, 16},
      {DataType::u64, "u64", 64, false, 4, false, 16},
      {DataType::s64, "s64", 64, false, 5, false, 16},
      {DataType::f16, "f16", 16, true, 6, false, 16},
      {DataType::f32, "f32", 32, true, 7, false, 16},
      {DataType::f64, "f64", 64, true, 9, false, 16},
      {DataType::bf16, "bf16", 16, true, 10, false, 16},
      {DataType::f32_ftz, "f32_ftz", 32, true, 8, false, 16},
      {DataType::tf32, "tf32", 32, true, 7, true, 16},
      {DataType::tf32_ftz, "tf32_ftz", 32, true, 8, true, 16},
      {DataType::u4x16_align8b, "16u4_align8b", 4, false, 255, false, 16},
      {DataType::u4x16_align16b, "16u4_align16b", 4, false, 255, false, 8},
      {DataType::u6x16_align16b, "16u6_align16b", 6, false, 255, false, 12},
  };
  return kRows[static_cast<int>(type)];
}

inline constexpr std::size_t kDataTypeCount = 16;

constexpr std::array<Spelled<DataType>, kDataTypeCount> spellings(DataType) {
  std::array<Spelled<DataType>, kDataTypeCount> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DataTypeRow row = data_type_row(static_cast<DataType>(i));
    rows[i] = {row.type, row.name};
  }
  return rows;
}

enum class Interleave : std::uint8_t { none, b16, b32 };
constexpr std::array<Spelled<Interleave>, 3> spellings(Interleave) {
  return {{{Interleave::none, "none"}, {Interleave::b16, "16B"}, {Interleave::b32, "32B"}}};
}

enum class L2Promotion : std::uint8_t { none, b64, b128, b256 };
constexpr std::array<Spelled<L2Promotion>, 4> spellings(L2Promotion) {
  return {{{L2Promotion::none, "none"},
           {L2Promotion::b64, "64B"},
           {L2Promotion::b128, "128B"},
           {L2Promotion::b256, "256B"}}};
}

enum class OobFill : std::uint8_t { zero, nan };
constexpr std::array<Spelled<OobFill>, 2> spellings(OobFill) {
  return {{{OobFill::zero, "zero"}, {OobFill::nan, "nan"}}};
}

/// The arguments of cuTensorMapEncodeTiled.  Dimension 0 is the innermost; entries at and past
/// `rank` are unused.  Sizes count elements, strides bytes.
struct TensorMap {
  DataType data_type = DataType::u8;
  int rank = 1;
  std::uint64_t global_address = 0;
  PerDimension<std::uint64_t> global_dim{1, 1, 1, 1, 1};
  PerDimension<std::uint64_t> global_stride{};  ///< [i]: bytes from one index of dimension i + 1 to
                                                ///< the next; rank - 1 used
  PerDimension<std::uint64_t> box_dim{1, 1, 1, 1, 1};
  PerDimension<std::uint64_t> element_stride{1, 1, 1, 1, 1};
  Interleave interleave = Interleave::none;
  Swizzle swizzle = Swizzle::none;
  L2Promotion l2_promotion = L2Promotion::none;
  OobFill oob_fill = OobFill::zero;

  constexpr bool operator==(const TensorMap&) const = default;
};

/// Tensor coordinates of one element, or of the first element of a box.
using Coordinates = PerDimension<std::int64_t>;

/// The enumerator with a driver's number; a number past the last enumerator stays outside, so that
/// the legality rules can name it.
template <class E>
constexpr E enumerator_of(std::uint64_t number) {
  return static_cast<E>(number < 255 ? number : 255);
}

/// Whether a value is one of its enumeration's spelled enumerators.
template <class E>
constexpr bool is_known(E value) {
  for (const auto& row : spellings(E{})) {
    if (row.value == value) return true;
  }
  return false;
}

/// Modes and types that exist since sm_100 (the encoder refuses them on an H200: measured).
LC_HD constexpr bool is_packed(DataType type) {
  return type >= DataType::u4x16_align8b;
}
LC_HD constexpr bool is_padded(DataType type) {
  return type == DataType::u4x16_align16b || type == DataType::u6x16_align16b;
}

}  // namespace lc
