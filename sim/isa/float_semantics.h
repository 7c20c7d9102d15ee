#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sim/isa/float_number.h"
#include "sim/isa/half.h"
#include "sim/isa/typed.h"

// Arithmetic that IEEE 754 defines to the last bit, in the host's rounding mode: float_ops.cpp runs
// it as it is, directed_float_ops.cpp with the mode set for the instruction.
namespace lc::isa {

/// `scaled` is the result times kScale, where nothing that matters is too small for a float: tells
/// whether the result is subnormal once it is rounded to 24 bits, which is when .ftz flushes it
/// (measured on an H200).  What overflows in it is not small.
inline constexpr float kScale = 0x1p64f;

enum class FloatOp : std::uint8_t { add, sub, mul, fma, div, rcp, sqrt };

struct FloatAdd {
  template <class T>
  static T eval(T a, T b) {
    return a + b;
  }
  static float scaled(float a, float b) { return a * kScale + b * kScale; }
};
struct FloatSub {
  template <class T>
  static T eval(T a, T b) {
    return a - b;
  }
  static float scaled(float a, float b) { return a * kScale - b * kScale; }
};
struct FloatMul {
  template <class T>
  static T eval(T a, T b) {
    return a * b;
  }
  static float scaled(float a, float b) { return a * kScale * b; }
};
struct FloatFma {
  template <class T>
  static T eval(T a, T b, T c) {
    return std::fma(a, b, c);
  }
  static float scaled(float a, float b, float c) { return std::fma(a * kScale, b, c * kScale); }
};
struct FloatDiv {
  template <class T>
  static T eval(T a, T b) {
    return a / b;
  }
  static float scaled(float a, float b) { return a * kScale / b; }
};
struct FloatRcp {
  template <class T>
  static T eval(T a) {
    return T{1} / a;
  }
  static float scaled(float a) { return kScale / a; }
};
struct FloatSqrt {
  template <class T>
  static T eval(T a) {
    return std::sqrt(a);
  }
};

/// Gives the one NaN, flushes operands and result, clamps.
template <class Sem, bool Ftz, bool Sat>
struct Finished {
  template <class... T>
  static auto eval(T... a) {
    auto r = canonical(Sem::eval(flushed_if<Ftz>(a)...));
    if constexpr (Ftz && requires { Sem::scaled(a...); }) {
      const bool small = std::fabs(Sem::scaled(flushed(a)...)) < 0x1p-62f;
      r = small ? std::copysign(0.0f, r) : r;
    } else {
      r = flushed_if<Ftz>(r);
    }
    return Sat ? saturated(r) : r;
  }
};

/// The first operand is a half, or the first two are (PTX ISA 9.7.5).
template <class Sem, class H, bool Sat>
struct Mixed {
  static float eval(std::uint16_t a, float c) {
    return Finished<Sem, false, Sat>::eval(to_float(H{a}), c);
  }
  static float eval(std::uint16_t a, std::uint16_t b, float c) {
    return Finished<Sem, false, Sat>::eval(to_float(H{a}), to_float(H{b}), c);
  }
};

/// A 64-bit register as two floats, the low half first.
template <class Sem, std::size_t Sources>
Flow float_pairs(Warp& warp, const Inst& inst, LaneMask active) {
  const auto compute = [&]<std::size_t... I>(std::index_sequence<I...>) {
    std::uint32_t* d = warp.out32(inst.op[0]);
    const std::tuple<decltype(static_cast<void>(I), warp.in32({}))...> s{
        warp.in32(inst.op[I + 1])...};
    const auto one = [&](std::uint32_t i) {
      d[i] = to_word<float>(Sem::eval(from_word<float>(std::get<I>(s)[i])...));
    };
    if (active == kAllLanes) {
      LC_LANES_INDEPENDENT
      for (std::uint32_t i = 0; i < 2 * kWarpLanes; ++i) one(i);
    } else {
      for_each_lane(active, [&](std::uint32_t lane) {
        one(2 * lane);
        one(2 * lane + 1);
      });
    }
  };
  compute(std::make_index_sequence<Sources>{});
  return Flow::next;
}

/// Which handlers `float_handler` hands out: `Run::lanes<Sem, D, A…>`, `Run::pairs<Sem, Sources>`.
struct AsIs {
  template <class Sem, class D, class... A>
  static Flow lanes(Warp& warp, const Inst& inst, LaneMask active) {
    return lanewise<Sem, D, A...>(warp, inst, active);
  }
  template <class Sem, std::size_t Sources>
  static Flow pairs(Warp& warp, const Inst& inst, LaneMask active) {
    return float_pairs<Sem, Sources>(warp, inst, active);
  }
};

template <class Run, class Sem, class... A>
machine::Handler float_handler(Type type, bool ftz, bool sat) {
  if (type == Type::f64) {
    return Run::template lanes<Finished<Sem, false, false>, double,
                               std::conditional_t<true, double, A>...>;
  }
  if (type == Type::f32x2) {
    return ftz ? Run::template pairs<Finished<Sem, true, false>, sizeof...(A)>
               : Run::template pairs<Finished<Sem, false, false>, sizeof...(A)>;
  }
  if (ftz) {
    return sat ? Run::template lanes<Finished<Sem, true, true>, float, A...>
               : Run::template lanes<Finished<Sem, true, false>, float, A...>;
  }
  return sat ? Run::template lanes<Finished<Sem, false, true>, float, A...>
             : Run::template lanes<Finished<Sem, false, false>, float, A...>;
}

template <class Run>
machine::Handler float_handler(FloatOp op, Type type, bool ftz, bool sat) {
  switch (op) {
    case FloatOp::add:
      return float_handler<Run, FloatAdd, float, float>(type, ftz, sat);
    case FloatOp::sub:
      return float_handler<Run, FloatSub, float, float>(type, ftz, sat);
    case FloatOp::mul:
      return float_handler<Run, FloatMul, float, float>(type, ftz, sat);
    case FloatOp::fma:
      return float_handler<Run, FloatFma, float, float, float>(type, ftz, sat);
    case FloatOp::div:
      return float_handler<Run, FloatDiv, float, float>(type, ftz, sat);
    case FloatOp::rcp:
      return float_handler<Run, FloatRcp, float>(type, ftz, sat);
    case FloatOp::sqrt:
      return float_handler<Run, FloatSqrt, float>(type, ftz, sat);
  }
  return nullptr;
}

template <class Run, class H, bool Sat>
machine::Handler mixed_handler(FloatOp op) {
  using U = std::uint16_t;
  switch (op) {
    case FloatOp::add:
      return Run::template lanes<Mixed<FloatAdd, H, Sat>, float, U, float>;
    case FloatOp::sub:
      return Run::template lanes<Mixed<FloatSub, H, Sat>, float, U, float>;
    default:
      return Run::template lanes<Mixed<FloatFma, H, Sat>, float, U, U, float>;
  }
}

/// `half` is the type of the first operand: f16 or bf16.
template <class Run>
machine::Handler mixed_handler(FloatOp op, Type half, bool sat) {
  if (half == Type::f16) {
    return sat ? mixed_handler<Run, F16, true>(op) : mixed_handler<Run, F16, false>(op);
  }
  return sat ? mixed_handler<Run, Bf16, true>(op) : mixed_handler<Run, Bf16, false>(op);
}

/// Handlers that round as `Binder::keep(DirectedRounding)` says.
struct DirectedRounding {
  int mode = 0;  ///< of fesetround
};
/// For .rz, .rm and .rp.
DirectedRounding directed_rounding(std::string_view modifier);
machine::Handler directed_float_handler(FloatOp op, Type type, bool ftz, bool sat);
machine::Handler directed_mixed_handler(FloatOp op, Type half, bool sat);

}  // namespace lc::isa
