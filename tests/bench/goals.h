#pragma once

/// What the benchmarks have to reach: one row per promise, checked at the end of `lc_bench`.
namespace lc::bench {

enum class Measure : unsigned char {
  ns_per_item,
  items_per_second,
  gigabytes_per_second,
  milliseconds,  ///< of one iteration
  ratio          ///< of the bytes per second to those of `against`, in the same run
};

struct Goal {
  const char* benchmark;  ///< as registered, "fill_addresses/k_major"
  Measure measure;
  bool at_most;  ///< the limit is a ceiling
  double limit;
  const char* against = nullptr;
};

inline constexpr Goal kGoals[] = {
    {"fill_addresses/k_major", Measure::ns_per_item, true, 0.5},
    {"fill_addresses/mn_major", Measure::ns_per_item, true, 0.5},
    {"check/compare_128B", Measure::gigabytes_per_second, false, 1.5},
    {"check/compare_128B", Measure::ratio, false, 0.25, "check/memcmp"},
    {"check/diagnose_228_KiB", Measure::milliseconds, true, 1000},
    {"batch/decode", Measure::items_per_second, false, 50'000},
    {"mma_f16/exact", Measure::ratio, false, 0.5, "mma_f16/eigen_sgemm"},
    {"mma_f16/rounding", Measure::items_per_second, false, 1e9},
    {"tcgen05_mma_f16/exact", Measure::ratio, false, 0.5, "tcgen05_mma_f16/eigen_sgemm"},
    {"tcgen05_mma_f16/rounding", Measure::items_per_second, false, 1e9},
    {"tcgen05_ld/32x32b.x32", Measure::ns_per_item, true, 2},
    {"warp_instructions/mix", Measure::items_per_second, false, 10e6},
    {"kernel/start", Measure::ns_per_item, true, 50e6},
};

}  // namespace lc::bench
