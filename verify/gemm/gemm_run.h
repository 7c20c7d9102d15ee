#pragma once

#include <string>
#include <vector>

#include "kernel/gemm/plan.h"
#include "verify/check/check_file.h"
#include "verify/gemm/gemm_data.h"
#include "verify/gemm/gemm_options.h"

namespace lc::verify {

/// What a run of a GEMM kernel left.
struct GemmOutcome {
  std::string device;
  bool virtual_device = true;
  kernel::GemmPlan plan;
  GemmDifference d;
  std::vector<std::string> explanations;  ///< of D, where it is wrong
  Bytes dump;                             ///< a dump file (docs/dump-format.md)
  FileReport report;                      ///< the check of it
  std::string saved;                      ///< where the dump was written

  bool tiles_hold() const { return report.result() == TileReport::Result::same; }
  bool holds() const { return tiles_hold() && d.differ == 0; }
};

/// Runs the kernel, compares D, checks the dump.  `library`: of the CUDA driver.  Tells its stages
/// to `progress` (nullptr: nobody).  Throws `Error`.
GemmOutcome run_gemm(const GemmOptions& options, const std::string& library, std::string command,
                     std::ostream* progress);

}  // namespace lc::verify
