#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/machine/events.h"
#include "sim/machine/program.h"

namespace lc::observe {

/// Which instructions of a program were executed, how often, and by how many threads.
struct CoverageRow {
  std::string function;
  std::uint32_t line = 0;
  std::string text;
  std::uint64_t executed = 0;  ///< by warps; an instruction that waits counts once
  std::uint64_t threads = 0;
};

/// Listens to one launch after another of the same program.
class Coverage : public machine::Observer {
 public:
  explicit Coverage(std::shared_ptr<const machine::Program> program)
      : program_(std::move(program)) {}

  using Observer::see;
  void see(const machine::StepEvent& event) override;

  /// Every instruction of the entry and of what it can call, in the order of the text.
  std::vector<CoverageRow> rows() const;
  std::string text() const;
  std::string json() const;

 private:
  struct Count {
    std::uint64_t executed = 0, threads = 0;
  };
  std::shared_ptr<const machine::Program> program_;
  std::unordered_map<const machine::FunctionCode*, std::vector<Count>> counts_;
};

}  // namespace lc::observe
