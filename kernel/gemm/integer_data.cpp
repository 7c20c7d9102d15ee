#include "kernel/gemm/integer_data.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel/mix32.h"

namespace lc::kernel {

namespace {

constexpr unsigned char kPadding = 0x7F;  ///< NaN or huge in every type

/// The bits of a small integer, or of a half of one where the type has it.
std::uint32_t float_bits(float value, unsigned exponent_bits, unsigned mantissa_bits) {
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);  // [0.5, 1)
  const std::uint32_t sign = value < 0 ? 1u : 0u;
  const int biased = exponent - 1 + (1 << (exponent_bits - 1)) - 1;
  const float mantissa = (2 * fraction - 1) * static_cast<float>(1u << mantissa_bits);
  return sign << (exponent_bits + mantissa_bits) |
         static_cast<std::uint32_t>(biased) << mantissa_bits | static_cast<std::uint32_t>(mantissa);
}

std::uint32_t bits_of_value(GemmType type, int value) {
  const auto f = static_cast<float>(value);
  switch (type) {
    case GemmType::f16:
      return float_bits(f, 5, 10);
    case GemmType::bf16:
      return float_bits(f, 8, 7);
    case GemmType::tf32:
      return float_bits(f, 8, 23);
    case GemmType::e5m2:
      return float_bits(f, 5, 2);
    case GemmType::s8:
      return static_cast<std::uint8_t>(value);
    case GemmType::nvf4:
      return float_bits(f, 2, 1);
    case GemmType::e4m3:
    case GemmType::mxf8:
      break;
  }
  return float_bits(f, 4, 3);
}

std::uint32_t bits_of_value(GemmOutput type, int value) {
  const auto f = static_cast<float>(value);
  return type == GemmOutput::f16    ? float_bits(f, 5, 10)
         : type == GemmOutput::bf16 ? float_bits(f, 8, 7)
         : type == GemmOutput::s32  ? static_cast<std::uint32_t>(value)
                                    : float_bits(f, 8, 23);
}

void put(Bytes& bytes, std::uint64_t bit, unsigned bits, std::uint32_t value) {
  if (bits == 4) {
    unsigned char& byte = bytes[bit / 8];
    byte = static_cast<unsigned char>(bit % 8 == 0 ? (byte & 0xF0) | value
                                                   : (byte & 0x0F) | value << 4);
  } else {
    std::memcpy(&bytes[bit / 8], &value, bits / 8);
  }
}

/// Pseudo-random integers, one stream for each matrix: any element without those before it.
class Integers {
 public:
  Integers(std::uint64_t seed, std::uint32_t matrix, int most)
      : seed_(static_cast<std::uint32_t>(seed) * 16 + matrix), most_(most) {}

  int operator()(std::uint64_t row, std::uint64_t column) const {
    const std::uint32_t x = mix32(mix32(static_cast<std::uint32_t>(row) + seed_ * 0x9E3779B9u) +
                                  static_cast<std::uint32_t>(column));
    return static_cast<int>(x % static_cast<std::uint32_t>(2 * most_ + 1)) - most_;
  }

 private:
  std::uint32_t seed_;
  int most_;
};

enum Matrix : std::uint32_t { kA, kB, kC, kBias, kScaleA, kScaleB };

/// Element (mn, k) of A or B.
int element(const Integers& values, GemmMajor major, std::uint64_t mn, std::uint64_t k) {
  return major == GemmMajor::k ? values(mn, k) : values(k, mn);
}

Bytes operand(const GemmMatrix& matrix, GemmType type, const Integers& values) {
  const unsigned bits = bits_of(type);
  // 4-bit maps count an even number of elements: the last nibble of a row is read.
  Bytes out(matrix.bytes(), bits == 4 ? 0 : kPadding);
  for (std::uint64_t r = 0; r < matrix.rows; ++r) {
    for (std::uint64_t i = 0; i < matrix.contiguous; ++i) {
      put(out, r * matrix.pitch * 8 + i * bits, bits, bits_of_value(type, values(r, i)));
    }
  }
  return out;
}

/// 2^exponent, -1 to 1, as ue8m0 or ue4m3.
unsigned char scale_bits(GemmType type, int exponent) {
  return static_cast<unsigned char>(type == GemmType::nvf4 ? (7 + exponent) << 3 : 127 + exponent);
}

Bytes scales(std::uint64_t mn, std::uint64_t k, GemmType type, const Integers& values) {
  const GemmScales s = scales_of(mn, k, type);
  Bytes out(s.bytes(), 0);
  for (std::uint64_t row = 0; row < mn; ++row) {
    for (std::uint64_t i = 0; i * scale_block(type) < k; ++i) {
      const std::uint64_t block = row / 128 * s.k_blocks + i / 4;
      const std::uint64_t at = block * 512 + row % 32 * 16 + row % 128 / 32 * 4 + i % 4;
      out[at] = scale_bits(type, values(row, i));
    }
  }
  return out;
}

double activated(GemmActivation activation, double x) {
  switch (activation) {
    case GemmActivation::relu:
      return x > 0 ? x : 0;
    case GemmActivation::gelu:
      return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
    case GemmActivation::silu:
      return x / (1 + std::exp(-x));
    case GemmActivation::none:
      break;
  }
  return x;
}

/// `bits` of significand, to nearest even.
double rounded(double x, int bits) {
  if (x == 0) return 0;
  int exponent = 0;
  std::frexp(x, &exponent);
  const double unit = std::ldexp(1.0, exponent - bits);
  return std::nearbyint(x / unit) * unit;
}

double rounded(double x, GemmOutput type) {
  return type == GemmOutput::f16    ? rounded(x, 11)
         : type == GemmOutput::bf16 ? rounded(x, 8)
         : type == GemmOutput::f32  ? rounded(x, 24)
                                    : x;
}

}  // namespace

GemmData integer_data(const GemmProblem& p, std::uint64_t seed) {
  GemmData out;
  out.a = operand(matrix_a(p), p.type, {seed, kA, 3});
  out.b = operand(matrix_b(p), p.type, {seed, kB, 3});
  const GemmMatrix d = matrix_d(p);
  const Integers c(seed, kC, 8), bias(seed, kBias, 8);
  out.c.assign(d.bytes(), kPadding);
  const unsigned bits = 8 * bytes_of(p.output);
  for (std::uint64_t row = 0; row < p.m; ++row) {
    for (std::uint64_t i = 0; i < p.n; ++i) {
      put(out.c, row * d.pitch * 8 + i * bits, bits, bits_of_value(p.output, c(row, i)));
    }
  }
  out.bias.resize(std::uint64_t{p.n} * 4);
  for (std::uint64_t i = 0; i < p.n; ++i) {
    put(out.bias, i * 32, 32, bits_of_value(GemmOutput::f32, bias(0, i)));
  }
  if (block_scaled(p.type)) {
    out.scale_a = scales(p.m, p.k, p.type, {seed, kScaleA, 1});
    out.scale_b = scales(p.n, p.k, p.type, {seed, kScaleB, 1});
  }
  return out;
}

std::vector<double> expected_values(const GemmProblem& p, std::uint64_t seed) {
  const Integers a(seed, kA, 3), b(seed, kB, 3), c(seed, kC, 8), bias(seed, kBias, 8);
  const Integers scale_a(seed, kScaleA, 1), scale_b(seed, kScaleB, 1);
  const std::uint64_t k = p.k;
  const auto values = [&](const Integers& of, const Integers& scale, GemmMajor major,
                          std::uint64_t mn) {
    std::vector<float> row(k);
    for (std::uint64_t i = 0; i < k; ++i) {
      const int exponent = block_scaled(p.type) ? scale(mn, i / scale_block(p.type)) : 0;
      row[i] = std::ldexp(static_cast<float>(element(of, major, mn, i)), exponent);
    }
    return row;
  };
  std::vector<float> columns;
  for (std::uint64_t n = 0; n < p.n; ++n) {
    const std::vector<float> column = values(b, scale_b, p.b_major, n);
    columns.insert(columns.end(), column.begin(), column.end());
  }
  std::vector<double> out;
  out.reserve(std::uint64_t{p.m} * p.n);
  for (std::uint64_t m = 0; m < p.m; ++m) {
    const std::vector<float> row = values(a, scale_a, p.a_major, m);
    for (std::uint64_t n = 0; n < p.n; ++n) {
      // Sums of a few thousand products of at most 36 quarters are exact in f32.
      double sum = 0;
      for (std::uint64_t first = 0; first < k; first += 4096) {
        float part = 0;
        const std::uint64_t end = std::min<std::uint64_t>(k, first + 4096);
        for (std::uint64_t i = first; i < end; ++i) part += row[i] * columns[n * k + i];
        sum += part;
      }
      double x = double{p.alpha} * sum + (p.bias ? bias(0, n) : 0);
      if (p.beta != 0) x += double{p.beta} * c(m, n);
      out.push_back(activated(p.activation, x));
    }
  }
  return out;
}

double value_of_d(const GemmProblem& p, const Bytes& d, std::uint32_t row, std::uint32_t column) {
  const unsigned char* at =
      &d[row * matrix_d(p).pitch + std::uint64_t{column} * bytes_of(p.output)];
  if (p.output == GemmOutput::s32) {
    std::int32_t v;
    std::memcpy(&v, at, sizeof v);
    return v;
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, bytes_of(p.output));
  if (p.output == GemmOutput::bf16) bits <<= 16;
  if (p.output != GemmOutput::f16) {
    float v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const int fraction = static_cast<int>(bits & 0x3FF);
  if (exponent == 31) return fraction != 0 ? NAN : bits >> 15 ? -INFINITY : INFINITY;
  const double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return bits >> 15 ? -value : value;
}

std::string difference(const GemmProblem& p, const std::vector<double>& expected, const Bytes& d,
                       unsigned char untouched) {
  const bool exact = p.activation == GemmActivation::none || p.activation == GemmActivation::relu;
  const auto place = [](std::uint64_t m, std::uint64_t n) {
    return "D[" + std::to_string(m) + "][" + std::to_string(n) + "] ";
  };
  std::uint64_t wrong = 0;
  std::string first;
  for (std::uint32_t m = 0; m < p.m; ++m) {
    for (std::uint32_t n = 0; n < p.n; ++n) {
      const double want = expected[std::uint64_t{m} * p.n + n], got = value_of_d(p, d, m, n);
      const bool same = exact ? got == rounded(want, p.output)
                              : std::fabs(got - want) <= std::ldexp(std::fabs(want) + 1, -8);
      if (same || wrong++ != 0) continue;
      first = place(m, n) + "is " + std::to_string(got) + " instead of " + std::to_string(want);
    }
  }
  if (wrong != 0) {
    return first + ", " + std::to_string(wrong) + " of " +
           std::to_string(std::uint64_t{p.m} * p.n) + " wrong";
  }
  const GemmMatrix matrix = matrix_d(p);
  for (std::uint64_t row = 0; row < matrix.rows; ++row) {
    for (std::uint64_t i = matrix.contiguous * bytes_of(p.output); i < matrix.pitch; ++i) {
      const unsigned char byte = d[row * matrix.pitch + i];
      if (byte != untouched && byte != 0) {
        return "bytes behind row " + std::to_string(row) + " of D are not as before, nor zero";
      }
    }
  }
  return "";
}

}  // namespace lc::kernel
