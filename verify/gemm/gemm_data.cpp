#include "verify/gemm/gemm_data.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "verify/gemm/gemm_values.h"

namespace lc::verify {
namespace {

using kernel::GemmMatrix;
using kernel::GemmProblem;
using numerics::Format;

/// Values for one matrix after the other.
class Values {
 public:
  Values(GemmFill fill, std::uint64_t seed) : fill_(fill), random_(seed) {}

  double element(int most) {
    if (fill_ == GemmFill::reals) return normal_(random_);
    return static_cast<double>(random_() % static_cast<unsigned>(2 * most + 1)) - most;
  }
  double scale() {
    const int spread = fill_ == GemmFill::reals ? 3 : 1;
    const int exponent = static_cast<int>(random_() % (2u * static_cast<unsigned>(spread) + 1));
    return std::ldexp(1.0, exponent - spread);
  }

 private:
  GemmFill fill_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

std::uint32_t code_of(Format format, double value) {
  if (!numerics::format_row(format).is_float()) {
    return static_cast<std::uint32_t>(
        static_cast<std::int32_t>(std::clamp(std::round(value), -127.0, 127.0)));
  }
  if (format == Format::tf32) format = Format::f32;  // a whole word; the tensor core cuts it
  return numerics::encode(format, value, numerics::Rounding::nearest_even,
                          numerics::Overflow::saturate);
}

/// What pads a row would be noticed in any sum, except beside an odd number of 4-bit elements: the
/// other half of their last byte is read.
Bytes matrix(const GemmMatrix& m, unsigned bits, Format format, int most, Values& values) {
  Bytes out(m.bytes(), bits == 4 ? 0x00 : 0x7F);
  for (std::uint64_t r = 0; r < m.rows; ++r) {
    for (std::uint64_t i = 0; i < m.contiguous; ++i) {
      put_code(&out[r * m.pitch], i, bits, code_of(format, values.element(most)));
    }
  }
  return out;
}

Bytes scales(std::uint64_t mn, const GemmProblem& p, Values& values) {
  const kernel::GemmScales s = kernel::scales_of(mn, p.k, p.type);
  const std::uint64_t blocks =
      (p.k + kernel::scale_block(p.type) - 1) / kernel::scale_block(p.type);
  Bytes out(s.bytes(), 0);
  for (std::uint64_t row = 0; row < mn; ++row) {
    for (std::uint64_t i = 0; i < blocks; ++i) {
      out[scale_at(s, row, i)] =
          static_cast<std::uint8_t>(code_of(scale_format(p.type), values.scale()));
    }
  }
  return out;
}

}  // namespace

GemmData make_gemm_data(const GemmProblem& p, GemmFill fill, std::uint64_t seed) {
  Values values(fill, seed);
  GemmData out;
  const unsigned bits = kernel::bits_of(p.type);
  out.a = matrix(kernel::matrix_a(p), bits, format_of(p.type), 3, values);
  out.b = matrix(kernel::matrix_b(p), bits, format_of(p.type), 3, values);
  if (p.beta != 0) {
    out.c =
        matrix(kernel::matrix_d(p), 8 * kernel::bytes_of(p.output), format_of(p.output), 8, values);
  }
  if (p.bias) {
    out.bias.resize(std::uint64_t{p.n} * 4);
    for (std::uint32_t n = 0; n < p.n; ++n) {
      put_code(out.bias.data(), n, 32, code_of(Format::f32, values.element(8)));
    }
  }
  if (kernel::block_scaled(p.type)) {
    out.scale_a = scales(p.m, p, values);
    out.scale_b = scales(p.n, p, values);
  }
  return out;
}

GemmDifference compare_d(const GemmProblem& p, const Bytes& found, const Bytes& expected) {
  constexpr std::size_t kFirst = 4;
  const bool approximate =
      p.activation == kernel::GemmActivation::gelu || p.activation == kernel::GemmActivation::silu;
  const std::uint64_t pitch = kernel::matrix_d(p).pitch;
  const unsigned bits = 8 * kernel::bytes_of(p.output);
  GemmDifference out;
  out.elements = std::uint64_t{p.m} * p.n;
  for (std::uint32_t m = 0; m < p.m; ++m) {
    for (std::uint32_t n = 0; n < p.n; ++n) {
      const std::uint32_t got = code_at(&found[m * pitch], n, bits);
      const std::uint32_t want = code_at(&expected[m * pitch], n, bits);
      if (got == want) continue;
      const double x = numerics::to_double(format_of(p.output), got);
      const double y = numerics::to_double(format_of(p.output), want);
      if (approximate && std::abs(x - y) <= std::ldexp(std::max(1.0, std::abs(y)), -8)) continue;
      if (out.differ++ == 0) {
        out.m_low = out.m_high = m;
        out.n_low = out.n_high = n;
      }
      out.m_high = m;
      out.n_low = std::min(out.n_low, n);
      out.n_high = std::max(out.n_high, n);
      if (out.first.size() < kFirst) out.first.push_back({m, n, x, y});
    }
  }
  return out;
}

}  // namespace lc::verify
