#pragma once

#include <array>
#include <cstdint>

#include "sim/layout/host_device.h"
#include "sim/layout/spelling.h"
#include "sim/layout/swizzle.h"

namespace lc {

inline constexpr int kMaxRank = 5;

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
  std::uint8_t bits;      ///< one value in global memory
  bool floating;          ///< NaN fill allowed
  std::uint8_t map_code;  ///< bits 71..74 of the tensor map (measured on H200; 255: not seen)
};

LC_HD constexpr DataTypeRow data_type_row(DataType type) {
  constexpr DataTypeRow kRows[] = {
      {DataType::u8, "u8", 8, false, 0},
      {DataType::u16, "u16", 16, false, 1},
      {DataType::u32, "u32", 32, false, 2},
      {DataType::s32, "s32", 32, false, 3},
      {DataType::u64, "u64", 64, false, 4},
      {DataType::s64, "s64", 64, false, 5},
      {DataType::f16, "f16", 16, true, 6},
      {DataType::f32, "f32", 32, true, 7},
      {DataType::f64, "f64", 64, true, 9},
      {DataType::bf16, "bf16", 16, true, 10},
      {DataType::f32_ftz, "f32_ftz", 32, true, 8},
      {DataType::tf32, "tf32", 32, true, 7},
      {DataType::tf32_ftz, "tf32_ftz", 32, true, 8},
      {DataType::u4x16_align8b, "16u4_align8b", 4, false, 255},
      {DataType::u4x16_align16b, "16u4_align16b", 4, false, 255},
      {DataType::u6x16_align16b, "16u6_align16b", 6, false, 255},
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
  std::array<std::uint64_t, kMaxRank> global_dim{1, 1, 1, 1, 1};
  std::array<std::uint64_t, kMaxRank> global_stride{};  ///< [i]: bytes from one index of dimension
                                                        ///< i + 1 to the next; rank - 1 used
  std::array<std::uint64_t, kMaxRank> box_dim{1, 1, 1, 1, 1};
  std::array<std::uint64_t, kMaxRank> element_stride{1, 1, 1, 1, 1};
  Interleave interleave = Interleave::none;
  Swizzle swizzle = Swizzle::none;
  L2Promotion l2_promotion = L2Promotion::none;
  OobFill oob_fill = OobFill::zero;
};

using Coordinates = std::array<std::int64_t, kMaxRank>;

}  // namespace lc
