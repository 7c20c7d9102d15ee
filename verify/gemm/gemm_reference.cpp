#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "sim/numerics/fused_tile.h"
#include "verify/gemm/gemm_data.h"
#include "verify/gemm/gemm_operand_view.h"
#include "verify/gemm/gemm_values.h"

namespace lc::verify {
namespace {

using kernel::GemmProblem;
using kernel::GemmType;
using numerics::Format;

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix values(const OperandView& view, std::uint32_t mn, std::uint32_t k) {
  Matrix out(mn, k);
  for (std::uint32_t i = 0; i < mn; ++i) {
    for (std::uint32_t j = 0; j < k; ++j) out(i, j) = static_cast<float>(view.value(i, j));
  }
  return out;
}

/// Sums of small integers: exact in float whatever the order.
Matrix integer_sums(const GemmProblem& p, const GemmData& data) {
  const Matrix a = values(OperandView(p, true, data), p.m, p.k);
  const Matrix b = values(OperandView(p, false, data), p.n, p.k);
  return a * b.transpose();
}

numerics::Kind kind_of(GemmType type) {
  using enum kernel::GemmType;
  switch (type) {
    case f16:
    case bf16:
      return numerics::Kind::f16;
    case tf32:
      return numerics::Kind::tf32;
    case s8:
      return numerics::Kind::i8;
    case mxf8:
      return numerics::Kind::mxf8f6f4;
    case nvf4:
      return numerics::Kind::mxf4nvf4;
    default:
      return numerics::Kind::f8f6f4;
  }
}

/// `rows` rows of an operand from `first` on, `step` elements of K from `k`; zero beyond the
/// matrix, where TMA fills and kernels write zeros.
numerics::Operand tile(const OperandView& view, const GemmProblem& p, numerics::Side side,
                       std::uint32_t first, std::uint32_t rows, std::uint32_t k,
                       std::uint32_t step) {
  std::vector<std::uint32_t> codes(std::size_t{rows} * step, 0);
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < step && k + j < p.k; ++j) {
      codes[std::size_t{i} * step + j] = view.code(first + i, k + j);
    }
  }
  numerics::Operand out;
  out.decode<std::uint32_t>(format_of(p.type), side, rows, step, codes);
  if (kernel::block_scaled(p.type)) {
    const std::uint32_t block = kernel::scale_block(p.type), per_row = step / block;
    std::vector<std::uint8_t> scales(std::size_t{rows} * per_row, 0);
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (std::uint32_t j = 0; j < per_row && k + j * block < p.k; ++j) {
        scales[std::size_t{i} * per_row + j] = view.scale(first + i, k / block + j);
      }
    }
    out.set_scales(scale_format(p.type), per_row, scales);
  }
  return out;
}

/// The accumulators of the tensor core: instructions of 32 bytes of K, one after another.
std::vector<std::uint32_t> tensor_core_sums(const GemmProblem& p, const GemmData& data,
                                            bool sm_90) {
  constexpr std::uint32_t kBlock = 128;
  const Format d = p.type == GemmType::s8 ? Format::s32 : Format::f32;
  const Format type = format_of(p.type);
  const auto family = sm_90 ? numerics::Family::wgmma : numerics::Family::tcgen05;
  const numerics::DotRule* const rule =
      numerics::find_dot_rule(family, kind_of(p.type), type, type, d);
  const OperandView a(p, true, data), b(p, false, data);
  const std::uint32_t step = 256 / kernel::bits_of(p.type);
  std::vector<std::uint32_t> sums(std::size_t{p.m} * p.n, 0);
  for (std::uint32_t m = 0; m < p.m; m += kBlock) {
    const std::uint32_t rows = std::min(kBlock, p.m - m);
    for (std::uint32_t n = 0; n < p.n; n += kBlock) {
      const std::uint32_t columns = std::min(kBlock, p.n - n);
      for (std::uint32_t k = 0; k < p.k; k += step) {
        numerics::TileOptions options;
        options.read_c = k != 0;
        fused_tile(*rule, tile(a, p, numerics::Side::a, m, rows, k, step),
                   tile(b, p, numerics::Side::b, n, columns, k, step),
                   {&sums[std::size_t{m} * p.n + n], p.n}, options);
      }
    }
  }
  return sums;
}

float activated(kernel::GemmActivation activation, float x) {
  using enum kernel::GemmActivation;
  switch (activation) {
    case relu:
      return x > 0 ? x : 0.f;
    case gelu:
      return 0.5f * x * (1.f + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
    case silu:
      return x / (1.f + std::exp(-x));
    default:
      return x;
  }
}

/// alpha * sum, + bias, + beta * c as a fused multiply-add, in f32 as the kernels do.
struct Epilogue {
  const GemmProblem& p;
  const GemmData& data;
  std::uint64_t pitch = kernel::matrix_d(p).pitch;
  unsigned bits = 8 * kernel::bytes_of(p.output);

  std::uint32_t operator()(float sum, std::uint32_t m, std::uint32_t n) const {
    float x = p.alpha * sum;
    if (p.bias) x += std::bit_cast<float>(code_at(data.bias.data(), n, 32));
    if (p.beta != 0) {
      const std::uint32_t c = code_at(&data.c[m * pitch], n, bits);
      x = std::fma(p.beta, static_cast<float>(numerics::to_double(format_of(p.output), c)), x);
    }
    x = activated(p.activation, x);
    if (p.output == kernel::GemmOutput::f32) return std::bit_cast<std::uint32_t>(x);
    return numerics::encode(format_of(p.output), x, numerics::Rounding::nearest_even);
  }
};

}  // namespace

Bytes expected_d(const GemmProblem& p, GemmFill fill, const GemmData& data, bool sm_90) {
  const Epilogue finish{p, data};
  Bytes d(kernel::matrix_d(p).bytes(), 0);
  const bool integers = fill == GemmFill::integers;
  const bool integer_sum = p.type == GemmType::s8;
  Matrix exact;
  std::vector<std::uint32_t> words;
  if (integers) {
    exact = integer_sums(p, data);
  } else {
    words = tensor_core_sums(p, data, sm_90);
  }
  for (std::uint32_t m = 0; m < p.m; ++m) {
    for (std::uint32_t n = 0; n < p.n; ++n) {
      const std::uint32_t word = integers ? 0 : words[std::size_t{m} * p.n + n];
      const float sum = integers      ? exact(m, n)
                        : integer_sum ? static_cast<float>(static_cast<std::int32_t>(word))
                                      : std::bit_cast<float>(word);
      const bool raw = p.output == kernel::GemmOutput::s32;
      const auto whole =
          integers ? static_cast<std::uint32_t>(static_cast<std::int32_t>(sum)) : word;
      put_code(&d[m * finish.pitch], n, finish.bits, raw ? whole : finish(sum, m, n));
    }
  }
  return d;
}

}  // namespace lc::verify
