#pragma once

#include <cstdint>

#include "sim/layout/finding.h"

/// The sentences of the rules that `tensor_map_rules.h` checks.
namespace lc {

enum class TensorMapRule : std::uint8_t {
  data_type,
  packed_arch,
  rank,
  rank_interleaved,
  address_alignment,
  address_range,
  address_null,
  dim_range,
  dim_multiple,
  stride_alignment,
  stride_range,
  stride_overlap,
  box_range,
  box_padded,
  box_bytes,
  box_span,
  box_size,
  element_stride_range,
  element_stride_unused,
  interleave,
  interleave_padded,
  interleave_swizzle,
  interleave_packed,
  swizzle,
  swizzle_arch,
  swizzle_padded,
  swizzle_sources_differ,
  l2_promotion,
  oob_fill,
  oob_fill_type,
};

struct TensorMapRuleRow {
  TensorMapRule key;
  Rule rule;
};

inline constexpr TensorMapRuleRow kTensorMapRules[] = {
    {TensorMapRule::data_type,
     {"tensor_map.data-type", Severity::error, "data_type", "no data type has the number {value}"}},
    {TensorMapRule::packed_arch,
     {"tensor_map.packed-arch", Severity::error, "data_type",
      "the packed 4- and 6-bit types exist from sm_100 on; sm_90's encoder refuses them"}},
    {TensorMapRule::rank,
     {"tensor_map.rank", Severity::error, "global_dim", "rank {value} is not {limit} to 5"}},
    {TensorMapRule::rank_interleaved,
     {"tensor_map.rank-interleaved", Severity::error, "interleave",
      "an interleaved tensor has rank 3 to 5, not {value}"}},
    {TensorMapRule::address_alignment,
     {"tensor_map.address-alignment", Severity::error, "global_address",
      "{value} is not a multiple of {limit} bytes"}},
    {TensorMapRule::address_range,
     {"tensor_map.address-range", Severity::error, "global_address",
      "{value} is not below 2^57 (measured on H200; not documented)"}},
    {TensorMapRule::address_null,
     {"tensor_map.address-null", Severity::note, "global_address",
      "address 0 is accepted by the encoder, but a copy through this map would read nothing sane"}},
    {TensorMapRule::dim_range,
     {"tensor_map.dim-range", Severity::error, "global_dim", "{value} is not 1 to 2^32"}},
    {TensorMapRule::dim_multiple,
     {"tensor_map.dim-multiple", Severity::error, "global_dim",
      "{value} is not a multiple of {limit}, which this packed type needs"}},
    {TensorMapRule::stride_alignment,
     {"tensor_map.stride-alignment", Severity::error, "global_strides",
      "{value} is not a multiple of {limit} bytes; pad the rows"}},
    {TensorMapRule::stride_range,
     {"tensor_map.stride-range", Severity::error, "global_strides", "{value} is not below 2^40"}},
    {TensorMapRule::stride_overlap,
     {"tensor_map.stride-overlap", Severity::note, "global_strides",
      "{value} is less than the {limit} bytes that the dimensions with smaller strides span, so "
      "rows interleave or overlap; the driver does not check that"}},
    {TensorMapRule::box_range,
     {"tensor_map.box-range", Severity::error, "box_dim", "{value} is not 1 to 256"}},
    {TensorMapRule::box_padded,
     {"tensor_map.box-padded", Severity::error, "box_dim",
      "{value} is not 128, the only inner box of the padded types"}},
    {TensorMapRule::box_bytes,
     {"tensor_map.box-bytes", Severity::error, "box_dim",
      "{value} elements are not a multiple of 16 bytes, which is {limit} elements"}},
    {TensorMapRule::box_span,
     {"tensor_map.box-span", Severity::error, "box_dim",
      "the inner box holds {value} bytes, more than the {limit}-byte span of the swizzle"}},
    {TensorMapRule::box_size,
     {"tensor_map.box-size", Severity::error, "box_dim",
      "the box holds {value} bytes, more than {limit} (228 KiB; measured on H200, counted with "
      "floor(box / element stride) in every dimension)"}},
    {TensorMapRule::element_stride_range,
     {"tensor_map.element-stride-range", Severity::error, "element_strides",
      "{value} is not 1 to 8"}},
    {TensorMapRule::element_stride_unused,
     {"tensor_map.element-stride-unused", Severity::note, "element_strides",
      "without interleave the hardware ignores element stride {value} of dimension 0"}},
    {TensorMapRule::interleave,
     {"tensor_map.interleave", Severity::error, "interleave",
      "no interleave has the number {value}"}},
    {TensorMapRule::interleave_padded,
     {"tensor_map.interleave-padded", Severity::error, "interleave",
      "the padded types cannot be interleaved (cuda.h for 16u6_align16b; inferred for "
      "16u4_align16b)"}},
    {TensorMapRule::interleave_swizzle,
     {"tensor_map.interleave-swizzle", Severity::warning, "swizzle",
      "cuda.h asks for the 32B swizzle with interleave 32B; the H200's driver accepts any"}},
    {TensorMapRule::interleave_packed,
     {"tensor_map.interleave-packed", Severity::warning, "interleave",
      "no source describes interleaved 16u4_align8b; not measured"}},
    {TensorMapRule::swizzle,
     {"tensor_map.swizzle", Severity::error, "swizzle", "no swizzle has the number {value}"}},
    {TensorMapRule::swizzle_arch,
     {"tensor_map.swizzle-arch", Severity::error, "swizzle",
      "128B swizzles with 32- or 64-byte atoms exist from sm_100 on; sm_90's encoder refuses "
      "them"}},
    {TensorMapRule::swizzle_padded,
     {"tensor_map.swizzle-padded", Severity::error, "swizzle",
      "the padded types take no swizzle, 128B or 128B_ATOM_32B"}},
    {TensorMapRule::swizzle_sources_differ,
     {"tensor_map.swizzle-sources-differ", Severity::warning, "swizzle",
      "128B_ATOM_64B with a padded type: cuda.h allows it for 16u6_align16b stores only, PTX ISA "
      "for every padded type; not measured"}},
    {TensorMapRule::l2_promotion,
     {"tensor_map.l2-promotion", Severity::error, "l2_promotion",
      "no L2 promotion has the number {value}"}},
    {TensorMapRule::oob_fill,
     {"tensor_map.oob-fill", Severity::error, "oob_fill", "no fill has the number {value}"}},
    {TensorMapRule::oob_fill_type,
     {"tensor_map.oob-fill-type", Severity::error, "oob_fill",
      "NaN fill needs a floating-point type"}},
};

constexpr const Rule& rule_of(TensorMapRule key) {
  return kTensorMapRules[static_cast<int>(key)].rule;
}

}  // namespace lc
