#include "sim/machine/cluster.h"
#include "sim/machine/cta.h"
#include "sim/machine/grid.h"
#include "sim/machine/warp.h"

namespace lc::machine {
namespace {

/// Component `what - first` of a vector.
std::uint32_t part(const std::array<std::uint32_t, 3>& v, Special what, Special first) {
  return v[static_cast<std::size_t>(what) - static_cast<std::size_t>(first)];
}

std::uint32_t product(const std::array<std::uint32_t, 3>& v) {
  return v[0] * v[1] * v[2];
}

std::uint32_t mask_of(Special what, std::uint32_t lane) {
  const std::uint32_t below = (1u << lane) - 1;
  switch (what) {
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_le:
      return below | 1u << lane;
    case Special::lanemask_lt:
      return below;
    case Special::lanemask_ge:
      return ~below;
    default:
      return ~(below | 1u << lane);
  }
}

/// Sizes of shared memory come in steps of 128 bytes (PTX ISA 9.0, 10.30).
std::uint32_t allocated(std::uint32_t bytes) {
  return (bytes + 127) / 128 * 128;
}

}  // namespace

std::uint64_t Warp::special_value(const SpecialUse& use, std::uint32_t lane) const {
  const Cluster& cluster = static_cast<const Cta&>(cta_).cluster();
  const Launch& launch = cluster.launch();
  const std::uint32_t thread = number_ * kWarpLanes + lane;
  const std::array<std::uint32_t, 3> tid{thread % launch.block[0],
                                         thread / launch.block[0] % launch.block[1],
                                         thread / (launch.block[0] * launch.block[1])};
  std::array<std::uint32_t, 3> in_cluster{}, cluster_id{}, cluster_count{};
  for (std::size_t i = 0; i < 3; ++i) {
    in_cluster[i] = cta_.index()[i] % launch.cluster[i];
    cluster_id[i] = cta_.index()[i] / launch.cluster[i];
    cluster_count[i] = launch.grid[i] / launch.cluster[i];
  }
  const Special s = use.what;
  const auto within = [&](Special first, Special last) { return s >= first && s <= last; };
  if (within(Special::tid_x, Special::tid_z)) return part(tid, s, Special::tid_x);
  if (within(Special::ntid_x, Special::ntid_z)) return part(launch.block, s, Special::ntid_x);
  if (within(Special::ctaid_x, Special::ctaid_z)) return part(cta_.index(), s, Special::ctaid_x);
  if (within(Special::nctaid_x, Special::nctaid_z)) return part(launch.grid, s, Special::nctaid_x);
  if (within(Special::clusterid_x, Special::clusterid_z)) {
    return part(cluster_id, s, Special::clusterid_x);
  }
  if (within(Special::nclusterid_x, Special::nclusterid_z)) {
    return part(cluster_count, s, Special::nclusterid_x);
  }
  if (within(Special::cluster_ctaid_x, Special::cluster_ctaid_z)) {
    return part(in_cluster, s, Special::cluster_ctaid_x);
  }
  if (within(Special::cluster_nctaid_x, Special::cluster_nctaid_z)) {
    return part(launch.cluster, s, Special::cluster_nctaid_x);
  }
  if (within(Special::lanemask_eq, Special::lanemask_gt)) return mask_of(s, lane);
  switch (s) {
    case Special::laneid:
      return lane;
    case Special::warpid:
      return number_;
    case Special::nwarpid:
      return (product(launch.block) + kWarpLanes - 1) / kWarpLanes;
    case Special::smid:
      return (cluster.number() * product(launch.cluster) + cta_.rank()) %
             cluster.grid_options().multiprocessors;
    case Special::nsmid:
      return cluster.grid_options().multiprocessors;
    case Special::gridid:
      return launch.grid_id;
    case Special::is_explicit_cluster:
      return launch.explicit_cluster ? 1 : 0;
    case Special::cluster_ctarank:
      return cta_.rank();
    case Special::cluster_nctarank:
      return product(launch.cluster);
    case Special::reserved_smem_offset_end:
    case Special::reserved_smem_offset_cap:
      return kSharedReserved;
    case Special::total_smem_size:
      return allocated(cta_.shared().size() - kSharedReserved);
    case Special::aggr_smem_size:  // with what is the system's
      return allocated(cta_.shared().size());
    case Special::dynamic_smem_size:
      return launch.dynamic_shared_bytes;
    case Special::workspace_high:
      return launch.workspace >> 32;
    case Special::workspace_low:
      return launch.workspace & 0xFFFFFFFF;
    case Special::shared_address:
      return shared_address(cta_.rank(), 0) + use.addend;
    default:
      return 0;
  }
}

}  // namespace lc::machine
