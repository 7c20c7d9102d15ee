#pragma once

#include <bit>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sim/isa/binder.h"

// Instructions that compute each lane by itself.  A semantic struct has one static `eval`; the
// templates here make the loop over lanes, which the compiler vectorises when all are active:
//
//     struct Add {
//       template <class T>
//       static T eval(T a, T b) { return a + b; }
//     };
//     b.run(lanewise<Add, std::uint32_t, std::uint32_t, std::uint32_t>);   // d, a, b
//
// Operands are Inst::op in order: destination first.
namespace lc::isa {

/// Before a loop over lanes whose iterations do not depend on each other: registers are the same or
/// apart, so a destination that is also a source is no obstacle to vectors.
#if defined(__clang__)
#define LC_LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define LC_LANES_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LC_LANES_INDEPENDENT
#endif

/// The register word a value lives in.
template <class T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Signed and unsigned integers, float, double; narrow values are zero-extended in their word.
template <class T>
T from_word(Word<T> w) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(w);
  } else {
    return static_cast<T>(w);
  }
}
template <class T>
Word<T> to_word(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<Word<T>>(value);
  } else {
    return static_cast<Word<T>>(static_cast<std::make_unsigned_t<T>>(value));
  }
}

template <class T>
const Word<T>* source(const Warp& warp, Ref r) {
  if constexpr (sizeof(T) == 8) {
    return warp.in64(r);
  } else {
    return warp.in32(r);
  }
}
template <class T>
Word<T>* destination(const Warp& warp, Ref r) {
  if constexpr (sizeof(T) == 8) {
    return warp.out64(r);
  } else {
    return warp.out32(r);
  }
}

/// Calls `f(lane)` for the active lanes; a plain loop when that is all of them.
template <class F>
void over_lanes(LaneMask active, F&& f) {
  if (active == kAllLanes) {
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) f(lane);
  } else {
    for_each_lane(active, f);
  }
}

/// d = Sem::eval(a, …): D the destination's type, A… the sources'.
template <class Sem, class D, class... A>
Flow lanewise(Warp& warp, const Inst& inst, LaneMask active) {
  const auto compute = [&]<std::size_t... I>(std::index_sequence<I...>) {
    Word<D>* d = destination<D>(warp, inst.op[0]);
    const std::tuple<const Word<A>*...> s{source<A>(warp, inst.op[I + 1])...};
    const auto one = [&](std::uint32_t lane) {
      d[lane] = to_word<D>(Sem::eval(from_word<A>(std::get<I>(s)[lane])...));
    };
    if (active == kAllLanes) {
      LC_LANES_INDEPENDENT
      for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) one(lane);
    } else {
      for_each_lane(active, one);
    }
  };
  compute(std::index_sequence_for<A...>{});
  return Flow::next;
}

}  // namespace lc::isa
