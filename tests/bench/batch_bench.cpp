// Descriptor decodes through the JSON door.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/layout/smem_descriptor.h"
#include "tests/bench/measure.h"
#include "verify/batch.h"

using namespace lc;
using namespace lc::bench;

namespace {

constexpr std::uint64_t kLines = 1000;

std::uint64_t start_of(std::uint64_t line) {
  return line * 16;
}

std::string questions() {
  std::string text;
  for (std::uint64_t i = 0; i < kLines; ++i) {
    const SmemDescriptor d{start_of(i), 16, 1024, 0, LboMode::relative, Swizzle::b128};
    text += fmt::format(
        R"({{"id":{},"op":"smem_descriptor.decode","arch":"sm_100","descriptor":"0x{:016x}"}})"
        "\n",
        i, encode_smem_descriptor(Arch::sm_100, d));
  }
  return text;
}

bool is_right(const std::string& answers) {
  std::istringstream in(answers);
  std::uint64_t count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const auto answer = nlohmann::json::parse(line);
    if (answer["id"] != count || answer["start_address"] != start_of(count)) return false;
  }
  return count == kLines;
}

void decode(benchmark::State& state) {
  const std::string text = questions();
  std::string answers;
  for (auto _ : state) {
    std::istringstream in(text);
    std::ostringstream out;
    verify::run_batch(in, out);
    answers = out.str();
  }
  finish(state, kLines, text.size(), is_right(answers));
}

BENCHMARK(decode)->Name("batch/decode")->Unit(benchmark::kMillisecond);

}  // namespace
