#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "sim/isa/families.h"
#include "sim/isa/membermask.h"

// Instructions that lanes of a warp do together (PTX ISA 9.0, 9.7.9.6, 9.7.13.2, 9.7.13.9 -
// 9.7.13.14).
namespace lc::isa {
namespace {

using enum MeetingOperand;

constexpr MeetingOperands kShuffle{out, out_predicate, in, in, in, in};
constexpr MeetingOperands kVote{out_predicate, in_predicate, in};
constexpr MeetingOperands kBallot{out, in_predicate, in};
template <bool wide>
constexpr MeetingOperands kMatch{out, out_predicate, wide ? in_wide : in, in};
constexpr MeetingOperands kRedux{out, in, in};
constexpr MeetingOperands kElect{out, out_predicate, in};
constexpr MeetingOperands kWarpSync{in};

enum class ShuffleMode : std::uint8_t { up, down, bfly, idx };

struct Source {
  std::uint32_t lane = 0;
  bool in_range = false;
};

/// `bounds` is operand c: the clamp in bits 0..4, the segment mask in bits 8..12.
constexpr Source shuffle_source(ShuffleMode mode, std::uint32_t lane, std::uint32_t b,
                                std::uint32_t bounds) {
  const std::uint32_t segment = bounds >> 8 & 31, clamp = bounds & 31;
  const std::uint32_t lowest = lane & segment, limit = lowest | (clamp & ~segment);
  b &= 31;
  std::int32_t j = 0;
  switch (mode) {
    case ShuffleMode::up:
      j = static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(b);
      if (j < static_cast<std::int32_t>(limit)) return {lane, false};
      return {static_cast<std::uint32_t>(j), true};
    case ShuffleMode::down:
      j = static_cast<std::int32_t>(lane + b);
      break;
    case ShuffleMode::bfly:
      j = static_cast<std::int32_t>(lane ^ b);
      break;
    case ShuffleMode::idx:
      j = static_cast<std::int32_t>(lowest | (b & ~segment));
      break;
  }
  if (j > static_cast<std::int32_t>(limit)) return {lane, false};
  return {static_cast<std::uint32_t>(j), true};
}
static_assert(shuffle_source(ShuffleMode::down, 30, 4, 31).lane == 30);
static_assert(shuffle_source(ShuffleMode::up, 0, 1, 0).in_range == false);
static_assert(shuffle_source(ShuffleMode::idx, 9, 3, 0x181F).lane == 11);  // segments of 8

// Operands: d, p, a, b, c, membermask.
template <ShuffleMode mode>
Flow shuffle(Warp& warp, const Inst& inst, LaneMask active) {
  return for_each_membermask(warp, inst, kShuffle, 5, active, [&](const Inst& at, LaneMask group) {
    std::array<std::uint32_t, kWarpLanes> values;
    std::copy_n(warp.in32(at.op[2]), kWarpLanes, values.begin());
    const std::uint32_t* b = warp.in32(at.op[3]);
    const std::uint32_t* c = warp.in32(at.op[4]);
    std::array<std::uint32_t, kWarpLanes> results{};
    LaneMask in_range = 0;
    for_each_lane(group, [&](std::uint32_t lane) {
      const Source s = shuffle_source(mode, lane, b[lane], c[lane]);
      // A lane outside the group gives what its register holds, which the ISA leaves open.
      results[lane] = values[s.lane];
      if (s.in_range) in_range |= 1u << lane;
    });
    std::uint32_t* d = warp.out32(at.op[0]);
    for_each_lane(group, [&](std::uint32_t lane) { d[lane] = results[lane]; });
    warp.set_predicate(at.op[1], group, in_range);
  });
}

void bind_shuffle(Binder& b) {
  const ptx::Operand* p = b.second_of(0);
  b.inst().op = {b.out(b.first_of(0), Type::b32),
                 p == nullptr ? b.scratch() : b.out_predicate(*p),
                 b.in(1, Type::b32),
                 b.in(2, Type::u32),
                 b.in(3, Type::u32),
                 b.in(4, Type::u32)};
  const std::string_view mode = b.modifiers["mode"];
  b.run(mode == "up"     ? shuffle<ShuffleMode::up>
        : mode == "down" ? shuffle<ShuffleMode::down>
        : mode == "bfly" ? shuffle<ShuffleMode::bfly>
                         : shuffle<ShuffleMode::idx>);
}

// vote: d, a, membermask.

struct All {
  static LaneMask eval(LaneMask votes, LaneMask group) { return votes == group ? kAllLanes : 0; }
};
struct Any {
  static LaneMask eval(LaneMask votes, LaneMask) { return votes != 0 ? kAllLanes : 0; }
};
struct Uni {
  static LaneMask eval(LaneMask votes, LaneMask group) {
    return votes == group || votes == 0 ? kAllLanes : 0;
  }
};

template <class Mode>
Flow vote(Warp& warp, const Inst& inst, LaneMask active) {
  return for_each_membermask(warp, inst, kVote, 2, active, [&](const Inst& at, LaneMask group) {
    const LaneMask votes = warp.predicate(at.op[1]) & group;
    warp.set_predicate(at.op[0], group, Mode::eval(votes, group));
  });
}

Flow ballot(Warp& warp, const Inst& inst, LaneMask active) {
  return for_each_membermask(warp, inst, kBallot, 2, active, [&](const Inst& at, LaneMask group) {
    const LaneMask votes = warp.predicate(at.op[1]) & group;
    std::uint32_t* d = warp.out32(at.op[0]);
    for_each_lane(group, [&](std::uint32_t lane) { d[lane] = votes; });
  });
}

void bind_vote(Binder& b) {
  const std::string_view mode = b.modifiers["mode"];
  b.inst().op[0] = b.out_predicate(0);
  b.inst().op[1] = b.predicate(1);
  b.inst().op[2] = b.in(2, Type::u32);
  b.run(mode == "all" ? vote<All> : mode == "any" ? vote<Any> : vote<Uni>);
}

void bind_ballot(Binder& b) {
  b.inst().op[0] = b.out(0, Type::b32);
  b.inst().op[1] = b.predicate(1);
  b.inst().op[2] = b.in(2, Type::u32);
  b.run(ballot);
}

// match: d, p, a, membermask.

std::uint64_t value_of(const Warp& warp, Ref r, bool wide, std::uint32_t lane) {
  return wide ? warp.in64(r)[lane] : warp.in32(r)[lane];
}

LaneMask lanes_with(const Warp& warp, Ref r, bool wide, LaneMask group, std::uint64_t value) {
  LaneMask same = 0;
  for_each_lane(group, [&](std::uint32_t lane) {
    if (value_of(warp, r, wide, lane) == value) same |= 1u << lane;
  });
  return same;
}

template <bool all, bool wide>
Flow match(Warp& warp, const Inst& inst, LaneMask active) {
  return for_each_membermask(
      warp, inst, kMatch<wide>, 3, active, [&](const Inst& at, LaneMask group) {
        std::array<std::uint32_t, kWarpLanes> result{};
        for_each_lane(group, [&](std::uint32_t lane) {
          const LaneMask same =
              lanes_with(warp, at.op[2], wide, group, value_of(warp, at.op[2], wide, lane));
          result[lane] = all && same != group ? 0 : same;
        });
        std::uint32_t* d = warp.out32(at.op[0]);
        for_each_lane(group, [&](std::uint32_t lane) { d[lane] = result[lane]; });
        if (all) {
          warp.set_predicate(at.op[1], group,
                             result[machine::first_lane(group)] != 0 ? kAllLanes : 0);
        }
      });
}

template <bool all>
void bind_match(Binder& b) {
  const Type type = b.modifiers.type();
  const ptx::Operand* p = b.second_of(0);
  if (!all && p != nullptr) b.fail(*p, "`match.any` gives no predicate");
  b.inst().op[0] = b.out(b.first_of(0), Type::b32);
  b.inst().op[1] = p == nullptr ? b.scratch() : b.out_predicate(*p);
  b.inst().op[2] = b.in(1, type);
  b.inst().op[3] = b.in(2, Type::u32);
  b.run(type == Type::b64 ? match<all, true> : match<all, false>);
}

// redux: d, a, membermask.

struct ReduceAdd {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b) { return a + b; }
};
struct ReduceAnd {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct ReduceOr {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b) { return a | b; }
};
struct ReduceXor {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b) { return a ^ b; }
};
template <class T>
struct ReduceMin {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::min(static_cast<T>(a), static_cast<T>(b)));
  }
};
template <class T>
struct ReduceMax {
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::max(static_cast<T>(a), static_cast<T>(b)));
  }
};

/// -0 counts as less than +0.  A NaN gives way to numbers, or with .NaN makes the result NaN.
template <bool smaller, bool absolute, bool nan>
struct ReduceFloat {
  static constexpr std::uint32_t kNan = 0x7FFFFFFF;
  static bool is_nan(std::uint32_t w) { return (w & 0x7FFFFFFF) > 0x7F800000; }
  /// In the order of the numbers.
  static std::int32_t rank(std::uint32_t w) {
    const auto magnitude = static_cast<std::int32_t>(w & 0x7FFFFFFF);
    return w >> 31 != 0 ? -magnitude - 1 : magnitude;
  }
  static std::uint32_t prepared(std::uint32_t w) {
    if (is_nan(w)) return kNan;
    return absolute ? w & 0x7FFFFFFF : w;
  }
  static std::uint32_t eval(std::uint32_t a, std::uint32_t b) {
    a = prepared(a);
    b = prepared(b);
    if (is_nan(a) || is_nan(b)) return nan ? kNan : is_nan(a) ? b : a;
    return (rank(a) < rank(b)) == smaller ? a : b;
  }
};

template <class Sem>
Flow redux(Warp& warp, const Inst& inst, LaneMask active) {
  return for_each_membermask(warp, inst, kRedux, 2, active, [&](const Inst& at, LaneMask group) {
    const std::uint32_t* a = warp.in32(at.op[1]);
    std::uint32_t sum = a[machine::first_lane(group)];
    if constexpr (requires { Sem::prepared(sum); }) sum = Sem::prepared(sum);
    for_each_lane(group & (group - 1), [&](std::uint32_t lane) { sum = Sem::eval(sum, a[lane]); });
    std::uint32_t* d = warp.out32(at.op[0]);
    for_each_lane(group, [&](std::uint32_t lane) { d[lane] = sum; });
  });
}

void bind_redux_operands(Binder& b, Type type) {
  b.inst().op[0] = b.out(0, type);
  b.inst().op[1] = b.in(1, type);
  b.inst().op[2] = b.in(2, Type::u32);
}

void bind_redux(Binder& b) {
  const std::string_view op = b.modifiers["op"];
  const Type type = b.modifiers.type();
  const bool is_signed = type == Type::s32;
  bind_redux_operands(b, type);
  if (op == "add") return b.run(redux<ReduceAdd>);
  if (op == "and") return b.run(redux<ReduceAnd>);
  if (op == "or") return b.run(redux<ReduceOr>);
  if (op == "xor") return b.run(redux<ReduceXor>);
  if (op == "min") {
    return b.run(is_signed ? redux<ReduceMin<std::int32_t>> : redux<ReduceMin<std::uint32_t>>);
  }
  b.run(is_signed ? redux<ReduceMax<std::int32_t>> : redux<ReduceMax<std::uint32_t>>);
}

template <bool smaller>
void bind_redux_float(Binder& b) {
  bind_redux_operands(b, Type::f32);
  const bool absolute = b.modifiers.has("abs"), nan = b.modifiers.has("NaN");
  if (absolute) {
    return b.run(nan ? redux<ReduceFloat<smaller, true, true>>
                     : redux<ReduceFloat<smaller, true, false>>);
  }
  b.run(nan ? redux<ReduceFloat<smaller, false, true>> : redux<ReduceFloat<smaller, false, false>>);
}

// elect: d, p, membermask.  The lowest lane leads; which one hardware takes is not specified.

Flow elect(Warp& warp, const Inst& inst, LaneMask active) {
  return for_each_membermask(warp, inst, kElect, 2, active, [&](const Inst& at, LaneMask group) {
    const std::uint32_t leader = machine::first_lane(group);
    std::uint32_t* d = warp.out32(at.op[0]);
    for_each_lane(group, [&](std::uint32_t lane) { d[lane] = leader; });
    warp.set_predicate(at.op[1], group, 1u << leader);
  });
}

void bind_elect(Binder& b) {
  const ptx::Operand* p = b.second_of(0);
  if (p == nullptr) b.fail(b.operand(0), "`elect.sync` gives a lane and a predicate", "d|p");
  b.inst().op[0] = b.out(b.first_of(0), Type::b32);
  b.inst().op[1] = b.out_predicate(*p);
  b.inst().op[2] = b.in(1, Type::u32);
  b.run(elect);
}

Flow active_mask(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint32_t* d = warp.out32(inst.op[0]);
  for_each_lane(active, [&](std::uint32_t lane) { d[lane] = active; });
  return Flow::next;
}

void bind_active_mask(Binder& b) {
  b.inst().op[0] = b.out(0, Type::b32);
  b.run(active_mask);
}

Flow warp_sync(Warp& warp, const Inst& inst, LaneMask active) {
  return for_each_membermask(warp, inst, kWarpSync, 0, active, [](const Inst&, LaneMask) {});
}

void bind_warp_sync(Binder& b) {
  b.inst().op[0] = b.in(0, Type::u32);
  b.run(warp_sync);
}

void bind_without_sync(Binder& b) {
  b.fail("the form without .sync does not exist for sm_70 and later",
         std::string(b.mnemonic().opcode) + ".sync, with a membermask");
}

constexpr std::string_view kOld = "refused: removed with sm_70";

constexpr std::array kOps{
    Op{"shfl", "sync mode=up|down|bfly|idx b32", "d|p, a, b, c, membermask", bind_shuffle},
    Op{"vote", "sync mode=all|any|uni pred", "d, a, membermask", bind_vote},
    Op{"vote", "sync ballot b32", "d, a, membermask", bind_ballot},
    Op{"match", "any sync type=b32|b64", "d, a, membermask", bind_match<false>},
    Op{"match", "all sync type=b32|b64", "d|p, a, membermask", bind_match<true>},
    Op{"redux", "sync op=add|min|max type=u32|s32", "d, a, membermask", bind_redux},
    Op{"redux", "sync op=and|or|xor type=b32", "d, a, membermask", bind_redux},
    Op{"redux", "sync min [abs] [NaN] f32", "d, a, membermask", bind_redux_float<true>},
    Op{"redux", "sync max [abs] [NaN] f32", "d, a, membermask", bind_redux_float<false>},
    Op{"elect", "sync", "d|p, membermask", bind_elect,
       "the lowest lane leads, where the ISA leaves the choice open"},
    Op{"activemask", "b32", "d", bind_active_mask},
    Op{"bar", "warp sync", "membermask", bind_warp_sync},
    Op{"shfl", "mode=up|down|bfly|idx b32", "d|p, a, b, c", bind_without_sync, kOld},
    Op{"vote", "all|any|uni pred", "d, a", bind_without_sync, kOld},
    Op{"vote", "ballot b32", "d, a", bind_without_sync, kOld},
};

}  // namespace

std::span<const Op> warp_ops() {
  return kOps;
}

}  // namespace lc::isa
