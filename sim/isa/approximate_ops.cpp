#include <array>
#include <cmath>

#include "sim/isa/families.h"
#include "sim/isa/float_semantics.h"

// PTX ISA 9.7.3: what the hardware approximates.  The C library's results are closer to the true
// values than the ISA demands, so their last bits are not those of a GPU.
namespace lc::isa {
namespace {

constexpr std::string_view kNote = "bits differ from hardware";

/// d = a * (1/b); a divisor beyond 2^126 has no reciprocal that is normal.
struct DivApprox {
  static float eval(float a, float b) {
    const float m = std::fabs(b);
    return m > 0x1p126f && m <= 0x1.fffffep127f ? a * std::copysign(0.0f, b) : a / b;
  }
};

struct Rsqrt {
  template <class T>
  static T eval(T a) {
    return static_cast<T>(1 / std::sqrt(static_cast<double>(a)));
  }
};

struct Sin {
  static float eval(float a) { return std::sin(a); }
};
struct Cos {
  static float eval(float a) { return std::cos(a); }
};
struct Lg2 {
  static float eval(float a) { return std::log2(a); }
};
struct Ex2 {
  static float eval(float a) { return std::exp2(a); }
};
struct Tanh {
  static float eval(float a) { return std::tanh(a); }
};

/// Works on the upper word of a double, whose lower word is then 0 (PTX ISA 9.7.3.14, 9.7.3.17).
template <class Sem>
struct UpperWord {
  static std::uint64_t eval(std::uint64_t a) {
    std::uint32_t high = static_cast<std::uint32_t>(a >> 32);
    if ((high & 0x7FF00000) == 0) high &= 0x80000000;
    if ((high & 0x7FFFFFFF) > 0x7FF00000) return std::uint64_t{0x7FFFFFFF} << 32;
    const double r = Sem::eval(std::bit_cast<double>(std::uint64_t{high} << 32));
    if (r != r) return std::uint64_t{0x7FFFFFFF} << 32;
    std::uint32_t d = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(r) >> 32);
    if ((d & 0x7FF00000) == 0) d &= 0x80000000;
    return std::uint64_t{d} << 32;
  }
};

template <class Sem>
void bind_unary(Binder& b) {
  place(b, Type::f32, {Type::f32});
  b.run(b.modifiers.has("ftz") ? lanewise<Finished<Sem, true, false>, float, float>
                               : lanewise<Finished<Sem, false, false>, float, float>);
}

template <class Sem>
void bind_binary(Binder& b) {
  place(b, Type::f32, {Type::f32, Type::f32});
  b.run(b.modifiers.has("ftz") ? lanewise<Finished<Sem, true, false>, float, float, float>
                               : lanewise<Finished<Sem, false, false>, float, float, float>);
}

template <class Sem>
void bind_upper_word(Binder& b) {
  place(b, Type::f64, {Type::f64});
  b.run(lanewise<UpperWord<Sem>, std::uint64_t, std::uint64_t>);
}

void bind_rsqrt_f64(Binder& b) {
  place(b, Type::f64, {Type::f64});
  b.run(lanewise<Rsqrt, double, double>);
}

constexpr std::array kOps{
    Op{"div", "approx [ftz] f32", "d, a, b", bind_binary<DivApprox>, kNote},
    Op{"div", "full [ftz] f32", "d, a, b", bind_binary<FloatDiv>, kNote},
    Op{"rcp", "approx [ftz] f32", "d, a", bind_unary<FloatRcp>, kNote},
    Op{"rcp", "approx ftz f64", "d, a", bind_upper_word<FloatRcp>, kNote},
    Op{"sqrt", "approx [ftz] f32", "d, a", bind_unary<FloatSqrt>, kNote},
    Op{"rsqrt", "approx [ftz] f32", "d, a", bind_unary<Rsqrt>, kNote},
    Op{"rsqrt", "approx ftz f64", "d, a", bind_upper_word<Rsqrt>, kNote},
    Op{"rsqrt", "approx f64", "d, a", bind_rsqrt_f64, kNote},
    Op{"sin", "approx [ftz] f32", "d, a", bind_unary<Sin>, kNote},
    Op{"cos", "approx [ftz] f32", "d, a", bind_unary<Cos>, kNote},
    Op{"lg2", "approx [ftz] f32", "d, a", bind_unary<Lg2>, kNote},
    Op{"ex2", "approx [ftz] f32", "d, a", bind_unary<Ex2>, kNote},
    Op{"tanh", "approx f32", "d, a", bind_unary<Tanh>, kNote},
};

}  // namespace

std::span<const Op> approximate_ops() {
  return kOps;
}

}  // namespace lc::isa
