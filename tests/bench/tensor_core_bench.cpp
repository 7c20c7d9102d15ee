// One tcgen05.mma of kind f16, 128 x 128 x 16, as the machine executes it: operands fetched through
// their descriptors, D in Tensor Memory.  Beside it a product of the same shape by Eigen, and a
// load of Tensor Memory.
#include <Eigen/Core>
#include <cstring>
#include <random>
#include <vector>

#include "sim/machine/tensor_core.h"
#include "sim/machine/tmem_movement.h"
#include "sim/numerics/minifloat.h"
#include "tests/bench/measure.h"

using namespace lc;
using namespace lc::bench;
using namespace lc::machine;

namespace {

constexpr std::uint32_t kM = 128, kN = 128, kK = 16;
constexpr std::uint32_t kA = 0x400, kB = 0x4400;
constexpr std::uint64_t kMultiplyAdds = std::uint64_t{kM} * kN * kK;
constexpr std::uint64_t kBytes = 2 * (kM + kN) * kK + 8 * kM * kN;

struct World {
  SharedMemory shared{0x10000};
  TensorMemory tensor;
  MmaRequest request;

  /// Small whole numbers, which no rule rounds, or normally distributed ones.
  explicit World(bool integers) {
    tensor.allocate(512, 1);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> small(-2, 2);
    for (std::uint32_t at = kA; at < kB + 0x4000; at += 2) {
      const double value = integers ? small(random) : normal(random);
      const std::uint32_t code =
          numerics::encode(numerics::Format::f16, value, numerics::Rounding::nearest_even);
      std::memcpy(shared.bytes(at, 2, 2, Access::write), &code, 2);
    }
    InstructionDescriptor x;
    x.a = x.b = Element::f16;
    x.m = kM;
    x.n = kN;
    request.instruction = encode(x);
    request.read_d = false;
    const auto descriptor = [](std::uint32_t at) {
      return encode_smem_descriptor(Arch::sm_100, {at, 16, 1024, 0, {}, Swizzle::b128});
    };
    request.a_descriptor = descriptor(kA);
    request.b_descriptor = descriptor(kB);
    run();
    request.read_d = true;
  }

  void run() {
    const MmaCta cta{&shared, &tensor};
    execute_mma(request, {&cta, 1});
  }
};

void one_instruction(benchmark::State& state, bool integers) {
  World world(integers);
  // D keeps growing; from time to time it starts afresh, so that the exact path stays exact.
  std::uint32_t count = 0;
  for (auto _ : state) {
    world.request.read_d = ++count % 1024 != 0;
    world.run();
    benchmark::ClobberMemory();
  }
  finish(state, kMultiplyAdds, kBytes, world.tensor.read(5, 7) != TensorMemory::kPoison);
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

void tensor_load(benchmark::State& state) {
  World world(true);
  TmemTransfer x;
  x.num = 32;
  std::vector<std::uint32_t> registers(32 * 32);
  for (auto _ : state) {
    tmem_load(world.tensor, x, registers);
    benchmark::ClobberMemory();
  }
  finish(state, registers.size(), registers.size() * 4, registers[5] == world.tensor.read(5, 0));
}

BENCHMARK_CAPTURE(one_instruction, exact, true)->Name("tcgen05_mma_f16/exact");
BENCHMARK_CAPTURE(one_instruction, rounding, false)->Name("tcgen05_mma_f16/rounding");
BENCHMARK(eigen_product)->Name("tcgen05_mma_f16/eigen_sgemm");
BENCHMARK(tensor_load)->Name("tcgen05_ld/32x32b.x32");

}  // namespace
