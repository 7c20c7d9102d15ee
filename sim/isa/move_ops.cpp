#include <array>
#include <cstring>

#include "sim/isa/families.h"
#include "sim/isa/function_binder.h"
#include "sim/isa/special.h"
#include "sim/isa/typed.h"
#include "sim/machine/address_map.h"
#include "sim/machine/cluster.h"
#include "sim/machine/cta.h"
#include "sim/machine/generic_address.h"

// PTX ISA 9.7.9.3, 9.7.9.4, 9.7.9.19, 9.7.9.20: moves, packing, address spaces.
namespace lc::isa {
namespace {

/// `Words` words of T a lane.
template <class T, std::uint32_t Words = 1>
Flow copy(Warp& warp, const Inst& inst, LaneMask active) {
  T* d = destination<T>(warp, inst.op[0]);
  const T* a = source<T>(warp, inst.op[1]);
  if (active == kAllLanes) {
    std::memmove(d, a, sizeof(T) * Words * kWarpLanes);
    return Flow::next;
  }
  for_each_lane(active, [&](std::uint32_t lane) {
    for (std::uint32_t i = 0; i < Words; ++i) d[lane * Words + i] = a[lane * Words + i];
  });
  return Flow::next;
}

Flow copy_predicate(Warp& warp, const Inst& inst, LaneMask active) {
  warp.set_predicate(inst.op[0], active, warp.predicate(inst.op[1]));
  return Flow::next;
}

/// d = the base of the current frame's thread-local bytes + what op[1] holds.
Flow frame_address(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint64_t base = warp.local_base();
  const std::uint64_t* a = warp.in64(inst.op[1]);
  std::uint64_t* d = warp.out64(inst.op[0]);
  over_lanes(active, [&](std::uint32_t lane) { d[lane] = base + a[lane]; });
  return Flow::next;
}

/// The counter of the cluster stands for clock cycles and nanoseconds alike.
template <class T, int Shift>
Flow read_clock(Warp& warp, const Inst& inst, LaneMask active) {
  const T now = static_cast<T>(warp.cluster().clock() >> Shift);
  T* d = destination<T>(warp, inst.op[0]);
  over_lanes(active, [&](std::uint32_t lane) { d[lane] = now; });
  return Flow::next;
}

void bind_clock(Binder& b, Clock clock, Type type) {
  const bool wide = lane_width(type) == LaneWidth::b64;
  if (wide != (clock == Clock::whole)) {
    b.fail(b.operand(1), ptx::quoted(b.operand(1).name) + " has " +
                             (clock == Clock::whole ? "64" : "32") + " bits");
  }
  b.inst().op[0] = b.out(0, type);
  b.run(wide                   ? read_clock<std::uint64_t, 0>
        : clock == Clock::high ? read_clock<std::uint32_t, 32>
                               : read_clock<std::uint32_t, 0>);
}

/// The source when it is a variable of the thread's own frame: an offset from the frame's base.
bool place_frame_address(Binder& b, const ptx::Operand& source) {
  if (source.kind != ptx::Operand::Kind::variable) return false;
  const FunctionBinder::Named name = b.function().named(source);
  if (!name.frame) return false;
  b.inst().op[0] = b.out(0, Type::b64);
  b.inst().op[1] = b.constant(name.address + source.value, LaneWidth::b64);
  return true;
}

template <std::uint32_t Bits>
using Element = std::conditional_t<(Bits > 32), std::uint64_t, std::uint32_t>;

constexpr Type bits_type(std::uint32_t bits) {
  switch (bits) {
    case 8:
      return Type::b8;
    case 16:
      return Type::b16;
    case 32:
      return Type::b32;
    default:
      return Type::b64;
  }
}

/// Lanes of a register of Total bits, in words of T: one, or two for 128 bits.
template <std::uint32_t Total>
using Container = std::conditional_t<(Total > 32), std::uint64_t, std::uint32_t>;
template <std::uint32_t Total>
inline constexpr std::uint32_t kContainerWords = Total == 128 ? 2 : 1;

/// The bits of element i within its word of the container.
template <std::uint32_t Total, std::uint32_t Count>
struct Part {
  static constexpr std::uint32_t bits = Total / Count;
  static constexpr std::uint32_t word_bits = Total == 128 ? 64 : Total;
  static constexpr std::uint32_t word(std::uint32_t i) { return i * bits / word_bits; }
  static constexpr std::uint32_t shift(std::uint32_t i) { return i * bits % word_bits; }
  static constexpr std::uint64_t mask =
      bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bits & 63)) - 1;
};

/// The first element is the lowest.
template <std::uint32_t Total, std::uint32_t Count>
Flow pack(Warp& warp, const Inst& inst, LaneMask active) {
  using P = Part<Total, Count>;
  using E = Element<P::bits>;
  using C = Container<Total>;
  std::array<const E*, Count> parts;
  for (std::uint32_t i = 0; i < Count; ++i) parts[i] = source<E>(warp, warp.listed(inst, i));
  C* d = destination<C>(warp, inst.op[0]);
  over_lanes(active, [&](std::uint32_t lane) {
    std::array<C, kContainerWords<Total>> all{};
    for (std::uint32_t i = 0; i < Count; ++i) {
      const C part = static_cast<C>(static_cast<C>(parts[i][lane]) & static_cast<C>(P::mask));
      all[P::word(i)] = static_cast<C>(all[P::word(i)] | part << P::shift(i));
    }
    for (std::uint32_t w = 0; w < all.size(); ++w) d[lane * all.size() + w] = all[w];
  });
  return Flow::next;
}

template <std::uint32_t Total, std::uint32_t Count>
Flow unpack(Warp& warp, const Inst& inst, LaneMask active) {
  using P = Part<Total, Count>;
  using E = Element<P::bits>;
  using C = Container<Total>;
  std::array<E*, Count> parts;
  for (std::uint32_t i = 0; i < Count; ++i) parts[i] = destination<E>(warp, warp.listed(inst, i));
  const C* a = source<C>(warp, inst.op[1]);
  over_lanes(active, [&](std::uint32_t lane) {
    std::array<C, kContainerWords<Total>> all;
    for (std::uint32_t w = 0; w < all.size(); ++w) all[w] = a[lane * all.size() + w];
    for (std::uint32_t i = 0; i < Count; ++i) {
      parts[i][lane] = static_cast<E>(all[P::word(i)] >> P::shift(i) & static_cast<C>(P::mask));
    }
  });
  return Flow::next;
}

struct Packing {
  std::uint32_t total, count;
  machine::Handler pack, unpack;
};

constexpr Packing kPackings[] = {
    {16, 2, pack<16, 2>, unpack<16, 2>},    {32, 2, pack<32, 2>, unpack<32, 2>},
    {32, 4, pack<32, 4>, unpack<32, 4>},    {64, 2, pack<64, 2>, unpack<64, 2>},
    {64, 4, pack<64, 4>, unpack<64, 4>},    {64, 8, pack<64, 8>, unpack<64, 8>},
    {128, 2, pack<128, 2>, unpack<128, 2>}, {128, 4, pack<128, 4>, unpack<128, 4>},
};

void bind_vector(Binder& b, Type type) {
  constexpr auto vector = ptx::Operand::Kind::vector;
  const bool unpacks = b.operand(0).kind == vector;
  if (unpacks && b.operand(1).kind == vector) b.fail("only one of the operands may be a vector");
  const auto elements = b.elements(unpacks ? 0 : 1);
  const std::uint32_t total = ptx::row_of(type).bits;
  for (const Packing& packing : kPackings) {
    if (packing.total != total || packing.count != elements.size()) continue;
    const Type element = bits_type(total / packing.count);
    if (unpacks) {
      b.inst().op[1] = b.in(1, type);
      for (const ptx::Operand& e : elements) b.list(b.out(e, element));
    } else {
      b.inst().op[0] = b.out(0, type);
      for (const ptx::Operand& e : elements) b.list(b.in(e, element));
    }
    return b.run(unpacks ? packing.unpack : packing.pack);
  }
  b.fail("." + std::string(ptx::row_of(type).name) + " does not consist of " +
             std::to_string(elements.size()) + " elements",
         "2 or 4 elements of 8 to 64 bits that fill the register");
}

void bind_mov(Binder& b) {
  const Type type = b.modifiers.type();
  if (type == Type::pred) {
    b.inst().op = {b.out_predicate(0), b.predicate(1)};
    return b.run(copy_predicate);
  }
  constexpr auto vector = ptx::Operand::Kind::vector;
  if (b.operand(0).kind == vector || b.operand(1).kind == vector) return bind_vector(b, type);
  const Clock clock = clock_of(b.operand(1));
  if (clock != Clock::none) return bind_clock(b, clock, type);
  const LaneWidth width = lane_width(type);
  if (width == LaneWidth::b64 && place_frame_address(b, b.operand(1))) return b.run(frame_address);
  place(b, type, {type});
  b.run(width == LaneWidth::b128  ? copy<std::uint64_t, 2>
        : width == LaneWidth::b64 ? copy<std::uint64_t>
                                  : copy<std::uint32_t>);
}

/// d = a + Offset, modulo 2^64.
template <std::uint64_t Offset>
struct Moved {
  static std::uint64_t eval(std::uint64_t a) { return a + Offset; }
};

template <std::uint64_t Offset>
Flow moved_frame_address(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint64_t base = warp.local_base() + Offset;
  const std::uint64_t* a = warp.in64(inst.op[1]);
  std::uint64_t* d = warp.out64(inst.op[0]);
  over_lanes(active, [&](std::uint32_t lane) { d[lane] = base + a[lane]; });
  return Flow::next;
}

/// Window is added; an address of the thread's frame is only known as it runs.
template <std::uint64_t Window>
void bind_cvta(Binder& b) {
  if (place_frame_address(b, b.operand(1))) return b.run(moved_frame_address<Window>);
  place(b, Type::u64, {Type::u64});
  b.run(lanewise<Moved<Window>, std::uint64_t, std::uint64_t>);
}

template <std::uint64_t Window>
void bind_cvta_to(Binder& b) {
  place(b, Type::u64, {Type::u64});
  b.run(lanewise<Moved<0 - Window>, std::uint64_t, std::uint64_t>);
}

enum class In { constant, global, local, shared_cta, shared_cluster, parameter };

template <In where>
bool lies_in(Warp& warp, std::uint64_t a) {
  const machine::Space space = machine::from_generic(a).space;
  switch (where) {
    case In::constant:
      return machine::is_constant_address(a);
    case In::parameter:
      return machine::is_parameter_address(a);
    case In::global:
      // The parameters' window lies in the global one, that of constants does not.
      return space == machine::Space::global && !machine::is_constant_address(a);
    case In::local:
      return space == machine::Space::local;
    case In::shared_cta:
      return machine::is_in_shared_cta(a, warp.cta().rank());
    case In::shared_cluster:
      return space == machine::Space::shared &&
             machine::from_generic(a).address >> machine::kSharedRankShift < warp.cluster().size();
  }
  return false;
}

template <In where>
Flow isspacep(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint64_t* a = warp.in64(inst.op[1]);
  LaneMask there = 0;
  for_each_lane(active, [&](std::uint32_t lane) {
    there |= LaneMask{lies_in<where>(warp, a[lane])} << lane;
  });
  warp.set_predicate(inst.op[0], active, there);
  return Flow::next;
}

template <In where>
void bind_isspacep(Binder& b) {
  b.inst().op = {b.out_predicate(0), b.in(1, Type::u64)};
  b.run(isspacep<where>);
}

constexpr std::array kOps{
    Op{"mov", "type=pred|b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f32|f64", "d, a", bind_mov},
    Op{"cvta", "global|const|param|param::entry u64", "d, a", bind_cvta<0>},
    Op{"cvta", "shared|shared::cta|shared::cluster u64", "d, a",
       bind_cvta<machine::kSharedWindowBase>},
    Op{"cvta", "local u64", "d, a", bind_cvta<machine::kLocalWindowBase>},
    Op{"cvta", "to global|const|param|param::entry u64", "d, a", bind_cvta_to<0>},
    Op{"cvta", "to shared|shared::cta|shared::cluster u64", "d, a",
       bind_cvta_to<machine::kSharedWindowBase>},
    Op{"cvta", "to local u64", "d, a", bind_cvta_to<machine::kLocalWindowBase>},
    Op{"isspacep", "const", "p, a", bind_isspacep<In::constant>},
    Op{"isspacep", "global", "p, a", bind_isspacep<In::global>},
    Op{"isspacep", "local", "p, a", bind_isspacep<In::local>},
    Op{"isspacep", "shared|shared::cta", "p, a", bind_isspacep<In::shared_cta>},
    Op{"isspacep", "shared::cluster", "p, a", bind_isspacep<In::shared_cluster>},
    Op{"isspacep", "param|param::entry", "p, a", bind_isspacep<In::parameter>},
};

}  // namespace

std::span<const Op> move_ops() {
  return kOps;
}

}  // namespace lc::isa
