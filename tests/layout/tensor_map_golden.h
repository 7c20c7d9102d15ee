#pragma once

#include "sim/layout/tensor_map.h"
#include "tests/golden_table.h"

namespace lc::golden {

inline std::string indexed(const char* prefix, int i) {
  return prefix + std::to_string(i);
}

/// The tensor map of a record.  Ranks and enumeration numbers outside their ranges are kept, so
/// that the rules can refuse them; only five dimensions are recorded.
inline TensorMap tensor_map(const Row& row, std::uint64_t global_address) {
  TensorMap map;
  map.data_type = enumerator_of<DataType>(row.unsigned_number("dtype"));
  map.rank = static_cast<int>(row.number("rank"));
  map.global_address = global_address;
  for (int i = 0; i < kMaxRank; ++i) {
    map.global_dim[i] = row.unsigned_number(indexed("d", i));
    if (i + 1 < kMaxRank) map.global_stride[i] = row.unsigned_number(indexed("s", i));
    if (row.has(indexed("b", i))) map.box_dim[i] = row.unsigned_number(indexed("b", i));
    map.element_stride[i] = row.unsigned_number(indexed("e", i));
  }
  map.interleave = enumerator_of<Interleave>(row.unsigned_number("il"));
  map.swizzle = enumerator_of<Swizzle>(row.unsigned_number("sw"));
  if (row.has("l2")) map.l2_promotion = enumerator_of<L2Promotion>(row.unsigned_number("l2"));
  map.oob_fill = enumerator_of<OobFill>(row.unsigned_number("oob"));
  return map;
}

inline Coordinates coordinates(const Row& row) {
  Coordinates first{};
  for (int i = 0; i < kMaxRank; ++i) first[i] = row.number(indexed("c", i));
  return first;
}

}  // namespace lc::golden
