#include <cstring>
#include <span>

#include "sim/isa/families.h"
#include "sim/isa/tcgen05.h"
#include "sim/machine/cluster.h"
#include "sim/machine/tensor_work.h"

// Tensor Memory: allocation, loads and stores by warps, waits and fences (PTX ISA 9.0, 9.7.16.7,
// .8 and .11).
namespace lc::isa {
namespace {

struct AllocInfo {
  std::uint32_t cta_group = 1;
  Address to;
  machine::Window window = machine::Window::generic;
};

/// op[0]: columns.
Flow run_alloc(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow f = warp.gather_all(active); f != Flow::next) return f;
  require_whole_warp(warp);
  const auto& x = info<AllocInfo>(inst);
  if (warp.cluster().arch() != Arch::sm_100) {
    throw machine::Fault(machine::FaultKind::illegal_instruction, "tmem.arch",
                         "Tensor Memory exists on sm_100 and later, not on sm_90");
  }
  const std::uint32_t* n = warp.in32(inst.op[0]);
  const std::uint32_t columns = uniform("the number of columns", [&](auto l) { return n[l]; });
  const std::uint64_t to = uniform("the destination", [&](auto l) { return x.to.of(warp, l); });
  machine::Wait why;
  const auto column = machine::allocate_columns(warp, x.cta_group, columns, why);
  if (!column) return warp.wait(kAllLanes, why);
  std::memcpy(warp.at(x.window, to, 4, 4, machine::Access::write, 0), &*column, 4);
  const std::uint64_t addresses[kWarpLanes] = {to};
  warp.note_access(x.window, machine::Access::write, false, 4, 1, addresses);
  return Flow::next;
}

void bind_alloc(Binder& b) {
  AllocInfo x;
  x.cta_group = cta_group(b);
  x.to = b.address(0, b.modifiers["space"].empty() ? NameSpace::none : NameSpace::shared);
  x.window = b.modifiers["space"].empty() ? machine::Window::generic : machine::Window::shared_cta;
  b.keep(x);
  b.inst().op[0] = b.in(1, Type::u32);
  if (const auto n = b.immediate(1); n && (*n < 32 || *n > 512 || (*n & (*n - 1)) != 0)) {
    b.fail(b.operand(1), "32, 64, 128, 256 or 512 columns are allocated");
  }
  b.run(run_alloc);
}

/// op[0]: address, op[1]: columns.
template <std::uint32_t kCtaGroup>
Flow run_dealloc(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow f = warp.gather_all(active); f != Flow::next) return f;
  require_whole_warp(warp);
  const std::uint32_t *a = warp.in32(inst.op[0]), *n = warp.in32(inst.op[1]);
  const std::uint32_t address = uniform("the address", [&](auto l) { return a[l]; });
  const std::uint32_t columns = uniform("the number of columns", [&](auto l) { return n[l]; });
  machine::Wait why;
  if (machine::free_columns(warp, kCtaGroup, address, columns, why)) return Flow::next;
  return warp.wait(kAllLanes, why);
}

void bind_dealloc(Binder& b) {
  b.inst().op[0] = b.in(0, Type::u32);
  b.inst().op[1] = b.in(1, Type::u32);
  b.run(cta_group(b) == 2 ? run_dealloc<2> : run_dealloc<1>);
}

template <std::uint32_t kCtaGroup>
Flow run_relinquish(Warp& warp, const Inst&, LaneMask active) {
  if (const Flow f = warp.gather_all(active); f != Flow::next) return f;
  require_whole_warp(warp);
  warp.cta().tensor().relinquish(kCtaGroup);
  return Flow::next;
}

void bind_relinquish(Binder& b) {
  b.run(cta_group(b) == 2 ? run_relinquish<2> : run_relinquish<1>);
}

/// The registers are the long list.
struct TransferInfo {
  TmemTransfer transfer;
  Address address;
};

template <bool kLoads>
Flow run_transfer(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow f = warp.gather_all(active); f != Flow::next) return f;
  require_whole_warp(warp);
  const auto& x = info<TransferInfo>(inst);
  TmemTransfer transfer = x.transfer;
  transfer.warp = warp.number();
  transfer.address =
      uniform("the address", [&](auto l) { return tensor_address_of(x.address, warp, l); });
  const std::span registers(warp.frame()->code->refs.data() + inst.first, inst.count);
  if constexpr (kLoads) {
    machine::issue_tmem_load(warp, transfer, registers);
  } else {
    machine::issue_tmem_store(warp, transfer, registers);
  }
  return Flow::next;
}

/// Binds the address in operand `address`, the registers in `registers` and, for 16x32bx2, the half
/// split offset in `split`.
template <bool kLoads>
void bind_transfer(Binder& b, std::size_t registers, std::size_t address, std::size_t split) {
  TransferInfo x;
  x.transfer.shape = *value_of<TmemShape>(b.modifiers["shape"]);
  x.transfer.num = b.modifiers.number("num");
  x.transfer.pack = b.modifiers.has("pack::16b") || b.modifiers.has("unpack::16b");
  if (x.transfer.shape == TmemShape::s16x32bx2) {
    const auto offset = b.immediate(split);
    if (!offset) b.fail(b.operand(split), "the half split offset is a number");
    x.transfer.half_split_offset = static_cast<std::uint32_t>(*offset);
  }
  x.address = tensor_address(b, address);
  if (x.transfer.num > tmem_shape_row(x.transfer.shape).max_num) {
    b.fail("shape ." + std::string(b.modifiers["shape"]) + " comes as .x1 to .x" +
           std::to_string(tmem_shape_row(x.transfer.shape).max_num));
  }
  const auto elements = b.elements(registers);
  if (b.operand(registers).kind != ptx::Operand::Kind::vector ||
      elements.size() != x.transfer.registers()) {
    b.fail(b.operand(registers),
           "the shape takes " + std::to_string(x.transfer.registers()) + " registers in braces");
  }
  for (const ptx::Operand& e : elements) {
    b.list(kLoads ? b.out(e, Type::b32) : b.in(e, Type::b32));
  }
  b.keep(x);
  b.run(run_transfer<kLoads>);
}

void bind_load(Binder& b) {
  bind_transfer<true>(b, 0, 1, 2);
}
void bind_store(Binder& b) {
  bind_transfer<false>(b, 1, 0, 0);
}
void bind_store_halves(Binder& b) {
  bind_transfer<false>(b, 2, 0, 1);
}

void bind_load_reduce(Binder& b) {
  b.fail(
      "`tcgen05.ld.red` exists on sm_101a, sm_103a and sm_110a, not on sm_100a, which the virtual "
      "GPU is",
      "tcgen05.ld and a loop over the registers");
}

template <void (*kFinish)(Warp&)>
Flow run_wait(Warp& warp, const Inst&, LaneMask active) {
  if (const Flow f = warp.gather_all(active); f != Flow::next) return f;
  kFinish(warp);
  return Flow::next;
}

void bind_wait(Binder& b) {
  b.run(b.modifiers.has("wait::ld") ? run_wait<machine::finish_tmem_loads>
                                    : run_wait<machine::finish_tmem_stores>);
}

/// The order that the fences ask for holds here always: instructions of a thread take effect, or
/// are issued, in the order of the program.
Flow run_fence(Warp&, const Inst&, LaneMask) {
  return Flow::next;
}
void bind_fence(Binder& b) {
  b.run(run_fence);
}

constexpr std::array kOps{
    Op{"tcgen05", "alloc cta=cta_group::1|cta_group::2 sync aligned [space=shared::cta] b32",
       "[dst], n", bind_alloc},
    Op{"tcgen05", "dealloc cta=cta_group::1|cta_group::2 sync aligned b32", "taddr, n",
       bind_dealloc},
    Op{"tcgen05", "relinquish_alloc_permit cta=cta_group::1|cta_group::2 sync aligned", "",
       bind_relinquish},
    Op{"tcgen05",
       "ld sync aligned shape=16x64b|16x128b|16x256b|32x32b num=x1|x2|x4|x8|x16|x32|x64|x128 "
       "[pack::16b] b32",
       "{r}, [taddr]", bind_load},
    Op{"tcgen05", "ld sync aligned shape=16x32bx2 num=x1|x2|x4|x8|x16|x32|x64|x128 [pack::16b] b32",
       "{r}, [taddr], off", bind_load},
    Op{"tcgen05",
       "ld red sync aligned shape=32x32b|16x32bx2 num=x2|x4|x8|x16|x32|x64|x128 op=min|max [abs] "
       "[NaN] type=f32|u32|s32",
       "{r}, redval, [taddr], off?", bind_load_reduce, "on sm_101a, sm_103a and sm_110a only"},
    Op{"tcgen05",
       "st sync aligned shape=16x64b|16x128b|16x256b|32x32b num=x1|x2|x4|x8|x16|x32|x64|x128 "
       "[unpack::16b] b32",
       "[taddr], {r}", bind_store},
    Op{"tcgen05",
       "st sync aligned shape=16x32bx2 num=x1|x2|x4|x8|x16|x32|x64|x128 [unpack::16b] b32",
       "[taddr], off, {r}", bind_store_halves},
    Op{"tcgen05", "wait::ld|wait::st sync aligned", "", bind_wait},
    Op{"tcgen05", "fence::before_thread_sync|fence::after_thread_sync", "", bind_fence, {}},
};

}  // namespace

std::span<const Op> tcgen05_memory_ops() {
  return kOps;
}

}  // namespace lc::isa
