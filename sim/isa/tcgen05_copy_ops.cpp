#include <optional>

#include "sim/isa/families.h"
#include "sim/isa/tcgen05.h"
#include "sim/machine/cluster.h"
#include "sim/machine/tensor_work.h"

// Copies into Tensor Memory, shifts, and commits (PTX ISA 9.0, 9.7.16.9 and .12).
namespace lc::isa {
namespace {

using machine::TmemCopy;

/// op[0]: the shared-memory descriptor.
struct CopyInfo {
  std::uint32_t cta_group = 1;
  TmemCopy copy;
  Address to;
};

Flow run_copy(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& x = info<CopyInfo>(inst);
  for_each_lane(active, [&](std::uint32_t lane) {
    TmemCopy copy = x.copy;
    copy.address = tensor_address_of(x.to, warp, lane);
    copy.descriptor = warp.in64(inst.op[0])[lane];
    machine::issue_tmem_copy(warp, lane, x.cta_group, copy);
  });
  return Flow::next;
}

/// The shape with its multicast, as sim/layout names them.
TmemCopyShape copy_shape(const Binder& b) {
  std::string name(b.modifiers["shape"]);
  if (const auto cast = b.modifiers["multicast"]; !cast.empty()) name += "." + std::string(cast);
  if (const auto shape = value_of<TmemCopyShape>(name)) return *shape;
  b.fail("there is no copy of shape ." + name,
         "64x128b with .warpx2::02_13 or .warpx2::01_23, 32x128b with .warpx4, the others alone");
}

void bind_copy(Binder& b) {
  CopyInfo x;
  x.cta_group = cta_group(b);
  x.copy.shape = copy_shape(b);
  if (b.modifiers.has("b6x16_p32")) x.copy.format = TmemDecompression::b6x16_p32;
  if (b.modifiers.has("b4x16_p64")) x.copy.format = TmemDecompression::b4x16_p64;
  if (b.modifiers.has("b8x16") != (x.copy.format != TmemDecompression::none)) {
    b.fail(".b8x16 and the format of the source go together", ".b8x16.b4x16_p64");
  }
  x.to = tensor_address(b, 0);
  b.inst().op[0] = b.in(1, Type::b64);
  b.keep(x);
  b.run(run_copy);
}

struct ShiftInfo {
  std::uint32_t cta_group = 1;
  Address at;
};

Flow run_shift(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& x = info<ShiftInfo>(inst);
  for_each_lane(active, [&](std::uint32_t lane) {
    machine::issue_tmem_shift(warp, lane, x.cta_group, tensor_address_of(x.at, warp, lane));
  });
  return Flow::next;
}

void bind_shift(Binder& b) {
  b.keep(ShiftInfo{cta_group(b), tensor_address(b, 0)});
  b.run(run_shift);
}

/// op[0]: the CTA mask, for multicast.
struct CommitInfo {
  std::uint32_t cta_group = 1;
  bool generic = false;
  bool multicast = false;
  Address barrier;
};

Flow run_commit(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& x = info<CommitInfo>(inst);
  for_each_lane(active, [&](std::uint32_t lane) {
    std::uint64_t address = x.barrier.of(warp, lane);
    if (x.generic) {
      const machine::SpaceAddress a = machine::from_generic(address);
      if (a.space != machine::Space::shared) {
        throw machine::Fault(machine::FaultKind::invalid_address_space, "commit.space",
                             "the mbarrier of a commit lies in shared memory; " +
                                 machine::hex(address) + " does not",
                             address);
      }
      address = a.address;
    }
    const auto place =
        warp.cluster().shared_place(address, warp.cta().rank(), machine::SharedWindow::cluster);
    std::optional<std::uint32_t> mask;
    if (x.multicast) mask = warp.in32(inst.op[0])[lane] & 0xFFFF;
    machine::issue_tensor_commit(warp, lane, x.cta_group, {place.cta->rank(), place.offset}, mask);
  });
  return Flow::next;
}

void bind_commit(Binder& b) {
  CommitInfo x;
  x.cta_group = cta_group(b);
  x.generic = b.modifiers["space"].empty();
  x.multicast = b.modifiers.has("multicast::cluster");
  x.barrier = b.address(0, x.generic ? NameSpace::none : NameSpace::shared);
  if (x.generic && !x.barrier.wide) {
    // The name of a shared variable, or a 32-bit register, is an address in the shared window.
    x.generic = b.space_of_address(0) != NameSpace::shared;
  }
  if (x.multicast) {
    if (b.immediate(1)) b.fail(b.operand(1), "the CTA mask is a 16-bit register");
    b.inst().op[0] = b.in(1, Type::u16);
  }
  b.keep(x);
  b.run(run_commit);
}

constexpr std::array kOps{
    Op{"tcgen05",
       "cp cta=cta_group::1|cta_group::2 shape=128x256b|4x256b|128x128b|64x128b|32x128b "
       "[multicast=warpx2::02_13|warpx2::01_23|warpx4] [b8x16] [b6x16_p32|b4x16_p64]",
       "[taddr], s", bind_copy},
    Op{"tcgen05", "shift cta=cta_group::1|cta_group::2 down", "[taddr]", bind_shift},
    Op{"tcgen05",
       "commit cta=cta_group::1|cta_group::2 mbarrier::arrive::one [space=shared::cluster] b64",
       "[mbar]", bind_commit},
    Op{"tcgen05",
       "commit cta=cta_group::1|cta_group::2 mbarrier::arrive::one [space=shared::cluster] "
       "multicast::cluster b64",
       "[mbar], mask", bind_commit},
};

}  // namespace

std::span<const Op> tcgen05_copy_ops() {
  return kOps;
}

}  // namespace lc::isa
