#include "sim/isa/special.h"

#include <string>

#include "sim/isa/function_binder.h"
#include "sim/ptx/special_registers.h"

namespace lc::isa {
namespace {

using machine::Special;

struct SpecialRow {
  std::string_view name;
  Special first;  ///< x; y and z follow in vectors
};

constexpr SpecialRow kRows[] = {
    {"%tid", Special::tid_x},
    {"%ntid", Special::ntid_x},
    {"%ctaid", Special::ctaid_x},
    {"%nctaid", Special::nctaid_x},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%nwarpid", Special::nwarpid},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid},
    {"%is_explicit_cluster", Special::is_explicit_cluster},
    {"%clusterid", Special::clusterid_x},
    {"%nclusterid", Special::nclusterid_x},
    {"%cluster_ctaid", Special::cluster_ctaid_x},
    {"%cluster_nctaid", Special::cluster_nctaid_x},
    {"%cluster_ctarank", Special::cluster_ctarank},
    {"%cluster_nctarank", Special::cluster_nctarank},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%reserved_smem_offset_begin", Special::reserved_smem_offset_begin},
    {"%reserved_smem_offset_end", Special::reserved_smem_offset_end},
    {"%reserved_smem_offset_cap", Special::reserved_smem_offset_cap},
    {"%reserved_smem_offset_0", Special::reserved_smem_offset_0},
    {"%reserved_smem_offset_1", Special::reserved_smem_offset_1},
    {"%total_smem_size", Special::total_smem_size},
    {"%aggr_smem_size", Special::aggr_smem_size},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
};

Special special_of(const ptx::Operand& operand, std::string_view name, std::uint32_t index) {
  if (name == "%envreg" && index == 1) return Special::workspace_high;
  if (name == "%envreg" && index == 2) return Special::workspace_low;
  const std::string_view component = operand.suffix;
  for (const SpecialRow& row : kRows) {
    if (row.name != operand.name) continue;
    if (component == "w") return Special::zero;
    const int step = component == "y" ? 1 : component == "z" ? 2 : 0;
    return static_cast<Special>(static_cast<int>(row.first) + step);
  }
  return Special::zero;
}

}  // namespace

Clock clock_of(const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::special) return Clock::none;
  if (operand.name == "%clock" || operand.name == "%globaltimer_lo") return Clock::low;
  if (operand.name == "%clock_hi" || operand.name == "%globaltimer_hi") return Clock::high;
  if (operand.name == "%clock64" || operand.name == "%globaltimer") return Clock::whole;
  return Clock::none;
}

Sized special_register(Binder& binder, const ptx::Operand& operand) {
  std::uint32_t index = 0;
  const ptx::SpecialRegisterRow* row = ptx::special_register(operand.name, index);
  if (row == nullptr) {
    binder.fail(operand, "there is no special register " + ptx::quoted(operand.name));
  }
  if (clock_of(operand) != Clock::none) {
    binder.fail(operand, ptx::quoted(operand.name) + " changes all the time", "read it with mov");
  }
  const LaneWidth width = lane_width(row->type);
  const Special what = special_of(operand, row->name, index);
  return {binder.function().program().special(what, width), width};
}

}  // namespace lc::isa
