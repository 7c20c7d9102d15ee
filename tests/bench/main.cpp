// Runs the benchmarks and ends with one line per goal: measured, promised, pass or miss.  The exit
// code is 1 when a result was wrong; a missed goal on a busy machine is no failure.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <map>
#include <string>

#include "tests/bench/goals.h"

namespace {

using lc::bench::Goal;
using lc::bench::Measure;

/// What one benchmark was measured to do.
struct Measured {
  double seconds = 0;  ///< CPU time of one iteration
  double items_per_second = 0;
  double bytes_per_second = 0;
};

/// Prints as usual and keeps what the goals need.
class Keeper : public benchmark::ConsoleReporter {
 public:
  Keeper() : ConsoleReporter(OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) any_error_ = true;
      const auto counter = [&](const char* name) {
        const auto found = run.counters.find(name);
        return found == run.counters.end() ? 0.0 : static_cast<double>(found->second.value);
      };
      measured_[run.run_name.str()] = {
          run.cpu_accumulated_time / static_cast<double>(run.iterations),
          counter("items_per_second"), counter("bytes_per_second")};
    }
    ConsoleReporter::ReportRuns(runs);
  }

  bool any_error() const { return any_error_; }
  const Measured* find(const char* benchmark) const {
    const auto found = measured_.find(benchmark);
    return found == measured_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, Measured> measured_;
  bool any_error_ = false;
};

double value_of(const Goal& goal, const Measured& m, const Measured* against) {
  switch (goal.measure) {
    case Measure::ns_per_item:
      return 1e9 / m.items_per_second;
    case Measure::items_per_second:
      return m.items_per_second;
    case Measure::gigabytes_per_second:
      return m.bytes_per_second / 1e9;
    case Measure::milliseconds:
      return m.seconds * 1e3;
    case Measure::ratio:
      return m.bytes_per_second / against->bytes_per_second;
  }
  return 0;
}

std::string unit_of(const Goal& goal) {
  switch (goal.measure) {
    case Measure::ns_per_item:
      return "ns each";
    case Measure::items_per_second:
      return "a second";
    case Measure::gigabytes_per_second:
      return "GB/s";
    case Measure::milliseconds:
      return "ms";
    case Measure::ratio:
      return fmt::format("x {}", goal.against);
  }
  return "";
}

std::string digits(double value) {
  return value < 1000 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

void print_goals(const Keeper& keeper) {
  fmt::print("\n{:<32}{:>10}  {:<10}{:<22}\n", "goal", "measured", "promised", "unit");
  for (const Goal& goal : lc::bench::kGoals) {
    const Measured* measured = keeper.find(goal.benchmark);
    const Measured* against = goal.against == nullptr ? nullptr : keeper.find(goal.against);
    if (measured == nullptr || (goal.measure == Measure::ratio && against == nullptr)) continue;
    const double value = value_of(goal, *measured, against);
    const bool pass = goal.at_most ? value <= goal.limit : value >= goal.limit;
    fmt::print("{:<32}{:>10}  {:<10}{:<22}{}\n", goal.benchmark, digits(value),
               (goal.at_most ? "<= " : ">= ") + digits(goal.limit), unit_of(goal),
               pass ? "pass" : "MISS");
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  print_goals(keeper);
  return keeper.any_error() ? 1 : 0;
}
