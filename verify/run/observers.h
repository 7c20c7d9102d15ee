#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/launch.h"
#include "sim/observe/bank_use.h"
#include "sim/observe/coverage.h"
#include "sim/observe/smem_dump.h"
#include "sim/observe/timeline.h"
#include "verify/json.h"

namespace lc::verify {

/// What watches a launch: --coverage, --banks, --timeline, --trace, --dump-smem with --dump.
class LaunchObservers {
 public:
  /// Throws `Error` for options that do not fit together.
  explicit LaunchObservers(const Question& question);

  bool wanted() const;
  /// Begins to watch a launch of the program; nullptr when nothing is wanted.
  const machine::Events* watch(const std::shared_ptr<const machine::Program>& program);

  /// Writes the trace and the dump, and returns their paths.
  std::vector<std::string> save(Arch arch, const std::string& kernel, const std::string& device);
  /// A dump was asked for, and the launch read no operands and copied no boxes.
  bool dump_is_empty() const;
  /// How many tiles were dumped; empty without a dump.
  std::string dump_text() const;
  /// The reports, each behind an empty line.
  std::string text() const;
  void add_to(Answer& out) const;

 private:
  bool wants_coverage_, wants_banks_, wants_timeline_;
  std::string trace_path_, dump_path_;
  std::vector<observe::DumpPoint> points_;
  machine::Events events_;
  std::optional<observe::Coverage> coverage_;
  std::optional<observe::BankUse> banks_;
  std::optional<observe::Timeline> timeline_;
  std::optional<observe::SmemDump> dump_;
};

}  // namespace lc::verify
