#include <array>
#include <cmath>

#include "sim/isa/families.h"
#include "sim/isa/float_extreme.h"
#include "sim/isa/half_fma.h"
#include "sim/isa/typed.h"

// PTX ISA 9.7.4: f16, bf16 and pairs of them.  Sums and products are computed as floats, whose 24
// bits are more than twice those of a half: rounding twice is then the same as rounding once.
namespace lc::isa {
namespace {

struct Add {
  template <class H>
  static H eval(H a, H b) {
    return nearest<H>(to_float(a) + to_float(b));
  }
};
struct Sub {
  template <class H>
  static H eval(H a, H b) {
    return nearest<H>(to_float(a) - to_float(b));
  }
};
struct Mul {
  template <class H>
  static H eval(H a, H b) {
    return nearest<H>(to_float(a) * to_float(b));
  }
};
struct Fma {
  template <class H>
  static H eval(H a, H b, H c) {
    return fused(a, b, c);
  }
};

/// .oob: a factor from outside of a tensor makes the result +0; the addend does not (measured).
template <class Sem>
struct InBounds {
  template <class H>
  static H eval(H a, H b, H c) {
    if (a.bits == kOutOfBoundsNan || b.bits == kOutOfBoundsNan) return {0};
    return Sem::eval(a, b, c);
  }
};

template <class Sem>
struct AsFloats {
  template <class H, class... More>
  static H eval(H a, More... more) {
    return nearest<H>(Sem::eval(to_float(a), to_float(more)...));
  }
};

struct Neg {
  template <class H>
  static H eval(H a) {
    return is_nan(a) ? H{H::kNan} : H{static_cast<std::uint16_t>(a.bits ^ 0x8000)};
  }
};
struct Abs {
  template <class H>
  static H eval(H a) {
    return is_nan(a) ? H{H::kNan} : H{static_cast<std::uint16_t>(a.bits & 0x7FFF)};
  }
};
struct Ex2 {
  static float eval(float a) { return std::exp2(a); }
};
struct Tanh {
  static float eval(float a) { return std::tanh(a); }
};

template <class H>
H without_subnormal(H h) {
  return (h.bits & H::kInfinity) == 0 ? H{static_cast<std::uint16_t>(h.bits & 0x8000)} : h;
}

enum class Clamp { none, sat, relu };

template <class H, Clamp clamp>
H clamped(H h) {
  if constexpr (clamp == Clamp::none) return h;
  const bool nan = is_nan(h);
  if (clamp == Clamp::relu && nan) return {H::kNan};
  if (nan || (h.bits & 0x8000) != 0) return {0};
  return clamp == Clamp::sat && h.bits > H::kOne ? H{H::kOne} : h;
}

/// One half: flushed, computed, flushed again, clamped.
template <class Sem, class H, bool Ftz, Clamp clamp>
struct Half {
  template <class... A>
  static std::uint16_t eval(A... a) {
    if constexpr (Ftz) {
      return clamped<H, clamp>(without_subnormal(Sem::eval(without_subnormal(H{a})...))).bits;
    } else {
      return clamped<H, clamp>(Sem::eval(H{a}...)).bits;
    }
  }
};

template <class T, std::size_t>
using Same = T;

template <class Sem, class H, bool Ftz, Clamp clamp, std::size_t... I>
machine::Handler handler(bool pair, std::index_sequence<I...>) {
  using One = Half<Sem, H, Ftz, clamp>;
  return pair ? lanewise<Halves<One, std::uint16_t>, std::uint32_t, Same<std::uint32_t, I>...>
              : lanewise<One, std::uint16_t, Same<std::uint16_t, I>...>;
}

template <class Sem, class H, std::size_t Sources>
machine::Handler handler(bool pair, bool ftz, Clamp clamp) {
  constexpr std::make_index_sequence<Sources> i;
  switch (clamp) {
    case Clamp::none:
      break;
    case Clamp::sat:
      return ftz ? handler<Sem, H, true, Clamp::sat>(pair, i)
                 : handler<Sem, H, false, Clamp::sat>(pair, i);
    case Clamp::relu:
      return ftz ? handler<Sem, H, true, Clamp::relu>(pair, i)
                 : handler<Sem, H, false, Clamp::relu>(pair, i);
  }
  return ftz ? handler<Sem, H, true, Clamp::none>(pair, i)
             : handler<Sem, H, false, Clamp::none>(pair, i);
}

template <class Sem, std::size_t Sources>
void bind(Binder& b) {
  const Type type = b.modifiers.type();
  b.inst().op[0] = b.out(0, type);
  for (std::size_t i = 1; i <= Sources; ++i) b.inst().op[i] = b.in(i, type);
  const bool pair = type == Type::f16x2 || type == Type::bf16x2;
  const bool ftz = b.modifiers.has("ftz");
  const Clamp clamp = b.modifiers.has("sat")    ? Clamp::sat
                      : b.modifiers.has("relu") ? Clamp::relu
                                                : Clamp::none;
  b.run(type == Type::f16 || type == Type::f16x2 ? handler<Sem, F16, Sources>(pair, ftz, clamp)
                                                 : handler<Sem, Bf16, Sources>(pair, ftz, clamp));
}

template <bool Largest, bool Nan>
void bind_extreme(Binder& b) {
  using Sem = Extreme<Largest, Nan>;
  if (b.modifiers.has("xorsign")) return bind<AsFloats<XorSign<Sem>>, 2>(b);
  bind<AsFloats<Sem>, 2>(b);
}

template <bool Largest>
void bind_extreme(Binder& b) {
  if (b.modifiers.has("NaN")) return bind_extreme<Largest, true>(b);
  bind_extreme<Largest, false>(b);
}

constexpr std::string_view kNote = "bits differ from hardware";

constexpr std::array kOps{
    Op{"add", "[rn] [ftz] [sat] type=f16|f16x2", "d, a, b", bind<Add, 2>},
    Op{"add", "[rn] type=bf16|bf16x2", "d, a, b", bind<Add, 2>},
    Op{"sub", "[rn] [ftz] [sat] type=f16|f16x2", "d, a, b", bind<Sub, 2>},
    Op{"sub", "[rn] type=bf16|bf16x2", "d, a, b", bind<Sub, 2>},
    Op{"mul", "[rn] [ftz] [sat] type=f16|f16x2", "d, a, b", bind<Mul, 2>},
    Op{"mul", "[rn] type=bf16|bf16x2", "d, a, b", bind<Mul, 2>},
    Op{"fma", "rn [ftz] [sat|relu] type=f16|f16x2", "d, a, b, c", bind<Fma, 3>},
    Op{"fma", "rn [relu] type=bf16|bf16x2", "d, a, b, c", bind<Fma, 3>},
    Op{"fma", "rn oob [relu] type=f16|f16x2|bf16|bf16x2", "d, a, b, c", bind<InBounds<Fma>, 3>},
    Op{"neg", "[ftz] type=f16|f16x2", "d, a", bind<Neg, 1>},
    Op{"neg", "type=bf16|bf16x2", "d, a", bind<Neg, 1>},
    Op{"abs", "[ftz] type=f16|f16x2", "d, a", bind<Abs, 1>},
    Op{"abs", "type=bf16|bf16x2", "d, a", bind<Abs, 1>},
    Op{"min", "[ftz] [NaN] type=f16|f16x2", "d, a, b", bind_extreme<false>},
    Op{"min", "[ftz] [NaN] xorsign abs type=f16|f16x2", "d, a, b", bind_extreme<false>},
    Op{"min", "[NaN] type=bf16|bf16x2", "d, a, b", bind_extreme<false>},
    Op{"min", "[NaN] xorsign abs type=bf16|bf16x2", "d, a, b", bind_extreme<false>},
    Op{"max", "[ftz] [NaN] type=f16|f16x2", "d, a, b", bind_extreme<true>},
    Op{"max", "[ftz] [NaN] xorsign abs type=f16|f16x2", "d, a, b", bind_extreme<true>},
    Op{"max", "[NaN] type=bf16|bf16x2", "d, a, b", bind_extreme<true>},
    Op{"max", "[NaN] xorsign abs type=bf16|bf16x2", "d, a, b", bind_extreme<true>},
    Op{"ex2", "approx type=f16|f16x2", "d, a", bind<AsFloats<Ex2>, 1>, kNote},
    Op{"ex2", "approx ftz type=bf16|bf16x2", "d, a", bind<AsFloats<Ex2>, 1>, kNote},
    Op{"tanh", "approx type=f16|f16x2|bf16|bf16x2", "d, a", bind<AsFloats<Tanh>, 1>, kNote},
};

}  // namespace

std::span<const Op> half_ops() {
  return kOps;
}

}  // namespace lc::isa
