#pragma once

#include <cstdint>
#include <string_view>

#include "sim/ptx/types.h"

namespace lc::ptx {

/// A predefined register (PTX ISA, "Special Registers").
struct SpecialRegisterRow {
  std::string_view name;       ///< without a number that ends it
  Type type;                   ///< of each component
  bool vector = false;         ///< has .x .y .z .w
  std::uint32_t count = 0;     ///< > 0: name0 … name(count - 1)
  std::string_view tail = {};  ///< comes after the number
};

inline constexpr SpecialRegisterRow kSpecialRegisters[] = {
    {"%tid", Type::u32, true},
    {"%ntid", Type::u32, true},
    {"%laneid", Type::u32},
    {"%warpid", Type::u32},
    {"%nwarpid", Type::u32},
    {"%ctaid", Type::u32, true},
    {"%nctaid", Type::u32, true},
    {"%smid", Type::u32},
    {"%nsmid", Type::u32},
    {"%gridid", Type::u64},
    {"%is_explicit_cluster", Type::pred},
    {"%clusterid", Type::u32, true},
    {"%nclusterid", Type::u32, true},
    {"%cluster_ctaid", Type::u32, true},
    {"%cluster_nctaid", Type::u32, true},
    {"%cluster_ctarank", Type::u32},
    {"%cluster_nctarank", Type::u32},
    {"%lanemask_eq", Type::u32},
    {"%lanemask_le", Type::u32},
    {"%lanemask_lt", Type::u32},
    {"%lanemask_ge", Type::u32},
    {"%lanemask_gt", Type::u32},
    {"%clock", Type::u32},
    {"%clock_hi", Type::u32},
    {"%clock64", Type::u64},
    {"%globaltimer", Type::u64},
    {"%globaltimer_lo", Type::u32},
    {"%globaltimer_hi", Type::u32},
    {"%reserved_smem_offset_begin", Type::b32},
    {"%reserved_smem_offset_end", Type::b32},
    {"%reserved_smem_offset_cap", Type::b32},
    {"%reserved_smem_offset_", Type::b32, false, 2},
    {"%total_smem_size", Type::u32},
    {"%aggr_smem_size", Type::u32},
    {"%dynamic_smem_size", Type::u32},
    {"%current_graph_exec", Type::u64},
    {"%envreg", Type::b32, false, 32},
    {"%pm", Type::u32, false, 8},
    {"%pm", Type::u64, false, 8, "_64"},
};

/// The row of `name`, and its number in `index` (0 where the name has none); nullptr: no such.
constexpr const SpecialRegisterRow* special_register(std::string_view name, std::uint32_t& index) {
  for (const SpecialRegisterRow& row : kSpecialRegisters) {
    index = 0;
    if (row.count == 0) {
      if (name == row.name) return &row;
      continue;
    }
    const std::size_t fixed = row.name.size() + row.tail.size();
    if (name.size() <= fixed || name.size() > fixed + 2 || !name.starts_with(row.name) ||
        !name.ends_with(row.tail)) {
      continue;
    }
    const std::string_view digits = name.substr(row.name.size(), name.size() - fixed);
    bool number = digits.size() == 1 || digits[0] != '0';
    for (const char c : digits) {
      number = number && c >= '0' && c <= '9';
      index = index * 10 + static_cast<std::uint32_t>(c - '0');
    }
    if (number && index < row.count) return &row;
  }
  return nullptr;
}

}  // namespace lc::ptx
