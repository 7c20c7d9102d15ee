// Addresses of a 128 x 64 bf16 tile with the 128B swizzle, through a descriptor that is known at
// run time only.
#include <vector>

#include "sim/layout/operand.h"
#include "tests/bench/measure.h"

using namespace lc;
using namespace lc::bench;

namespace {

constexpr std::uint32_t kMn = 128, kK = 64;

/// The words of a packed tile at 0x400; LBO counts for the MN-major one.
constexpr std::uint64_t word_of(Major major) {
  const std::uint64_t lbo = major == Major::k ? 16 : 8192;
  return encode_smem_descriptor(Arch::sm_100,
                                {0x400, lbo, 1024, 0, LboMode::relative, Swizzle::b128});
}

OperandLayout layout_of(std::uint64_t word, Major major) {
  return operand_layout(decode_smem_descriptor(Arch::sm_100, word).fields, major, Element::bf16);
}

bool is_right(const std::vector<std::uint32_t>& map, Major major) {
  const OperandLayout l = layout_of(word_of(major), major);
  for (std::uint64_t i = 0; i < map.size(); ++i) {
    if (map[i] != l.address(i / kK, i % kK)) return false;
  }
  return true;
}

/// Decodes the descriptor and fills the whole map.
void whole_map(benchmark::State& state, Major major) {
  std::uint64_t word = word_of(major);
  std::vector<std::uint32_t> map(std::size_t{kMn} * kK);
  for (auto _ : state) {
    benchmark::DoNotOptimize(word);
    benchmark::DoNotOptimize(major);
    fill_addresses(layout_of(word, major), kMn, kK, map.data());
    benchmark::DoNotOptimize(map.data());
    benchmark::ClobberMemory();
  }
  finish(state, map.size(), map.size() * sizeof map[0], is_right(map, major));
}

/// One `address` call per element, in order.
void single_addresses(benchmark::State& state, Major major) {
  std::uint64_t word = word_of(major);
  std::uint64_t sum = 0, want = 0;
  for (std::uint32_t i = 0; i < kMn * kK; ++i) {
    want += layout_of(word, major).address(i / kK, i % kK);
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(word);
    const OperandLayout l = layout_of(word, major);
    sum = 0;
    for (std::uint32_t mn = 0; mn < kMn; ++mn) {
      for (std::uint32_t k = 0; k < kK; ++k) sum += l.address(mn, k);
    }
    benchmark::DoNotOptimize(sum);
  }
  finish(state, std::uint64_t{kMn} * kK, 0, sum == want);
}

/// What writing so many numbers costs at least: a row-major map without swizzle.
void plain_numbers(benchmark::State& state) {
  std::uint32_t first = 0x400;
  std::vector<std::uint32_t> map(std::size_t{kMn} * kK);
  for (auto _ : state) {
    benchmark::DoNotOptimize(first);
    for (std::uint32_t i = 0; i < kMn * kK; ++i) map[i] = first + 2 * i;
    benchmark::DoNotOptimize(map.data());
    benchmark::ClobberMemory();
  }
  finish(state, map.size(), map.size() * sizeof map[0], map[1] == first + 2);
}

BENCHMARK_CAPTURE(whole_map, k_major, Major::k)->Name("fill_addresses/k_major");
BENCHMARK_CAPTURE(whole_map, mn_major, Major::mn)->Name("fill_addresses/mn_major");
BENCHMARK_CAPTURE(single_addresses, k_major, Major::k)->Name("address/k_major");
BENCHMARK_CAPTURE(single_addresses, mn_major, Major::mn)->Name("address/mn_major");
BENCHMARK(plain_numbers)->Name("row_major_without_swizzle");

}  // namespace
