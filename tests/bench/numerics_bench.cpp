// One tcgen05.mma of kind f16, decoded operands and D words included: the path that is proven not
// to round, and the one that rounds, beside a single-precision product of the same shape by Eigen.
#include <Eigen/Core>
#include <random>
#include <vector>

#include "sim/numerics/fused_tile.h"
#include "sim/numerics/minifloat.h"
#include "tests/bench/measure.h"

using namespace lc::bench;
using namespace lc::numerics;

namespace {

constexpr std::size_t kM = 128, kN = 256, kK = 16;
constexpr std::uint64_t kMultiplyAdds = kM * kN * kK;
/// f16 operands, D read and written; the same count for Eigen, so that ratios compare times.
constexpr std::uint64_t kBytes = 2 * (kM + kN) * kK + 8 * kM * kN;

struct Codes {
  std::vector<std::uint16_t> a, b;
  std::vector<std::uint32_t> c;
};

/// Integers from -8 to 8, or normally distributed numbers.
Codes make_codes(bool integers) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> small(-8, 8);
  const auto draw = [&](auto& codes, Format format, std::size_t n) {
    codes.resize(n);
    for (auto& code : codes) {
      const double value = integers ? small(random) : normal(random);
      code = static_cast<std::remove_reference_t<decltype(code)>>(
          encode(format, value, Rounding::nearest_even));
    }
  };
  Codes codes;
  draw(codes.a, Format::f16, kM * kK);
  draw(codes.b, Format::f16, kN * kK);
  draw(codes.c, Format::f32, kM * kN);
  return codes;
}

void multiply(const Codes& codes, Path path, std::vector<std::uint32_t>& d) {
  const DotRule* rule =
      find_dot_rule(Family::tcgen05, Kind::f16, Format::f16, Format::f16, Format::f32);
  Operand a, b;
  a.decode<std::uint16_t>(Format::f16, Side::a, kM, kK, codes.a);
  b.decode<std::uint16_t>(Format::f16, Side::b, kN, kK, codes.b);
  TileOptions options;
  options.path = path;
  fused_tile(*rule, a, b, {d.data(), kN}, options);
}

void one_instruction(benchmark::State& state, bool integers, Path path) {
  const Codes codes = make_codes(integers);
  std::vector<std::uint32_t> d = codes.c, want = codes.c;
  multiply(codes, integers ? Path::rounding : Path::automatic, want);
  multiply(codes, path, d);
  const bool right = d == want;
  for (auto _ : state) {
    multiply(codes, path, d);
    benchmark::DoNotOptimize(d.data());
    benchmark::ClobberMemory();
  }
  finish(state, kMultiplyAdds, kBytes, right);
}

void eigen_product(benchmark::State& state) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows a = Rows::Ones(kM, kK), d = Rows::Zero(kM, kN);
  Eigen::MatrixXf b = Eigen::MatrixXf::Ones(kK, kN);
  const bool right = (a * b)(1, 1) == static_cast<float>(kK);
  for (auto _ : state) {
    d.noalias() += a * b;
    benchmark::DoNotOptimize(d.data());
    benchmark::ClobberMemory();
  }
  finish(state, kMultiplyAdds, kBytes, right);
}

BENCHMARK_CAPTURE(one_instruction, exact, true, Path::automatic)->Name("mma_f16/exact");
BENCHMARK_CAPTURE(one_instruction, rounding, false, Path::rounding)->Name("mma_f16/rounding");
BENCHMARK(eigen_product)->Name("mma_f16/eigen_sgemm");

}  // namespace
